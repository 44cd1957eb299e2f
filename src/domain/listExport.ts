/** Rows of playlists and of the saved songs on their way to a file. Plain JSON values. */

/** Formats that are written. */
export const WRITTEN_FORMATS = ['csv', 'json', 'm3u8', 'txt'] as const;
export type WrittenFormat = (typeof WRITTEN_FORMATS)[number];

export interface ListRow {
  title: string;
  /** Names of the artists; for an episode, the name of the show. */
  artists: readonly string[];
  album: string | null;
  duration_ms: number | null;
  /** URI of the row: null if Spotify no longer has the item, `spotify:local:…` for a local file. Neither can be read back. */
  uri: string | null;
  isrc: string | null;
  /** ISO 8601. */
  added_at: string | null;
}

/** A playlist without its rows. */
export interface PlaylistFacts {
  id: string;
  name: string;
  /** Number of rows; null if Spotify does not say. */
  rows: number | null;
  /** Name of the owner, or their ID if they have none. */
  owner: string;
  /** True if Spotify gives the playlist's rows to this account: the account owns the playlist, or may write to it. */
  readable: boolean;
}

/** Writes a text as one field of CSV, in quotation marks if the text needs them (RFC 4180). */
export function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
