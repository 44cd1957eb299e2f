/** Writes a list: rows in, text out. `readList` reads the text back to the same URIs, in the same order. */

import { counted } from '../../base/lists.ts';
import { visibleJson } from '../../base/visibleText.ts';
import { csvField, type ListRow, type WrittenFormat } from '../../domain/listExport.ts';
import { takeAddresses, takeIsrc } from './entries.ts';
import { joinNames, tidyText } from './list.ts';

type Writer = (rows: readonly ListRow[], name: string) => string;

/** "Artist, Artist - Title" on one line, or only the part that the row has. */
function rowWords({ title, artists }: ListRow): string {
  return [joinNames(artists), tidyText(title)].filter((part) => part !== '').join(' - ');
}

const COLUMNS = ['title', 'artists', 'album', 'duration_ms', 'uri', 'isrc', 'added_at'] as const;

/** Quoted as in RFC 4180. Several artists are separated by commas. Without the mark in front, spreadsheets do not read UTF-8. */
const csv: Writer = (rows) =>
  [`\ufeff${COLUMNS.join(',')}`, ...rows.map((row) => COLUMNS.map((column) => cell(row, column)).join(','))]
    .map((line) => `${line}\n`)
    .join('');

function cell(row: ListRow, column: (typeof COLUMNS)[number]): string {
  const value = column === 'artists' ? joinNames(row.artists) : row[column];
  return csvField(guarded(tidyText(String(value ?? ''))));
}

/** Adds an apostrophe to a cell that a spreadsheet would read as a formula (CWE-1236). The reader removes it again. */
function guarded(text: string): string {
  return /^'*[=+\-@]/u.test(text) ? `'${text}` : text;
}

/** `{name, tracks: […]}` with the rows as they are. */
const json: Writer = (rows, name) => `${visibleJson({ name, tracks: rows }, 2)}\n`;

/** Extended M3U in UTF-8. A row without an address becomes a comment; as an entry it would get the next row's address. */
const m3u8: Writer = (rows, name) => {
  const title = tidyText(name);
  return ['#EXTM3U', ...(title === '' ? [] : [`#PLAYLIST:${title}`]), ...rows.flatMap(linesOf)]
    .map((line) => `${line}\n`)
    .join('');
};

function linesOf(row: ListRow): string[] {
  if (row.uri === null) return [`# not in Spotify's catalog: ${rowWords(row)}`];
  const seconds = row.duration_ms === null ? -1 : Math.round(row.duration_ms / 1000);
  const album = tidyText(row.album ?? '');
  return [`#EXTINF:${seconds},${rowWords(row)}`, ...(album === '' ? [] : [`#EXTALB:${album}`]), row.uri];
}

/** "Artist - Title  link", one row a line, below a comment with the playlist's name. */
const txt: Writer = (rows, name) => {
  const title = tidyText(name);
  const heading = title === '' ? counted(rows.length, 'row') : `Playlist: ${title}`;
  return [`# ${heading}`, ...rows.map(lineOf)].map((line) => `${line}\n`).join('');
};

function lineOf(row: ListRow): string {
  const words = rowWords(row);
  if (row.uri === null) return `# not in Spotify's catalog: ${words}`;
  return isPlain(words) ? `${words}  ${linkOf(row.uri)}` : linkOf(row.uri);
}

/** False for names that a reader would take for a comment, an address or a code. Then only the link is written. */
function isPlain(words: string): boolean {
  const { refs } = takeAddresses(words);
  return words !== '' && !/^[#/]/u.test(words) && refs.length === 0 && takeIsrc(words).isrc === undefined;
}

function linkOf(uri: string): string {
  const [, kind, id] = /^spotify:(track|episode):(\w+)$/u.exec(uri) ?? [];
  return kind === undefined ? uri : `https://open.spotify.com/${kind}/${id}`;
}

/** The formats that are written. @internal */
export const WRITERS: Readonly<Record<WrittenFormat, Writer>> = { csv, json, m3u8, txt };

/** The list as text, in which each line ends with `\n`. `name` is the playlist's name, which CSV cannot hold. */
export function writeList(format: WrittenFormat, rows: readonly ListRow[], name: string): string {
  return WRITERS[format](rows, name);
}
