/** The way out: rows to text. What is written here, `readList` reads back to the same URIs, in the same order. */
import type { WrittenFormat } from '../../../domain/listExport.ts';
import { csv } from './csv.ts';
import { json } from './json.ts';
import { m3u8 } from './m3u8.ts';
import type { ListRow, Writer } from './row.ts';
import { txt } from './txt.ts';

/** The formats that are written. @internal */
export const WRITERS: Readonly<Record<WrittenFormat, Writer>> = { csv, json, m3u8, txt };

/** Text with `\n` line ends, one of them at the end. `name` is the playlist's; CSV has no place for it. */
export function writeList(
  format: WrittenFormat,
  rows: readonly ListRow[],
  { name }: { name?: string } = {},
): string {
  return WRITERS[format](rows, name);
}
