import { joinNames, tidyText } from '../entry.ts';
import type { ListRow, Writer } from './row.ts';

const COLUMNS = ['title', 'artists', 'album', 'duration_ms', 'uri', 'isrc', 'added_at'] as const;

/** Quoted as in RFC 4180. Several artists are separated by commas. */
export const csv: Writer = (rows) =>
  [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((column) => cell(row, column)).join(','))]
    .map((line) => `${line}\n`)
    .join('');

function cell(row: ListRow, column: (typeof COLUMNS)[number]): string {
  const value = column === 'artists' ? joinNames(row.artists) : row[column];
  const text = guarded(tidyText(String(value ?? '')));
  return /[",]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A spreadsheet takes a cell that begins like this for a formula, and titles are chosen by strangers (CWE-1236). The
 * reader takes the apostrophe away again.
 */
function guarded(text: string): string {
  return /^'*[=+\-@]/u.test(text) ? `'${text}` : text;
}
