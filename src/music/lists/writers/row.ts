/** One row of a playlist or of the saved songs, on its way to a file. */
import type { ListRow } from '../../../domain/listExport.ts';
import { joinNames, tidyText } from '../entry.ts';

export type { ListRow };

export type Writer = (rows: readonly ListRow[], name: string | undefined) => string;

/** "Artist, Artist - Title" on one line, or what there is of it. */
export function rowWords({ title, artists }: ListRow): string {
  return [joinNames(artists), tidyText(title)].filter((part) => part !== '').join(' - ');
}
