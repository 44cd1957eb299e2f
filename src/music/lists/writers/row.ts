/** One row of a playlist or of the saved songs, on its way to a file. */
import { joinNames, tidyText } from '../entry.ts';

export interface ListRow {
  title: string;
  /** Of an episode, the show. */
  artists: readonly string[];
  album: string | null;
  duration_ms: number | null;
  /** Null for a row that Spotify no longer has; `spotify:local:…` for a local file. Neither can be read back. */
  uri: string | null;
  isrc: string | null;
  /** ISO 8601. */
  added_at: string | null;
}

export type Writer = (rows: readonly ListRow[], name: string | undefined) => string;

/** "Artist, Artist - Title" on one line, or what there is of it. */
export function rowWords({ title, artists }: ListRow): string {
  return [joinNames(artists), tidyText(title)].filter((part) => part !== '').join(' - ');
}
