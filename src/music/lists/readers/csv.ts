/** Tables with a separator between cells. */
import { columnKey } from '../columns.ts';
import { refused } from '../decode.ts';
import type { Source } from '../source.ts';
import { findTable, readTable, readWithoutHeader, type Table } from './delimited.ts';
import type { Reader } from './reader.ts';

const DELIMITERS = [',', ';', '|'];

export const csv: Reader = {
  format: 'csv',
  name: 'CSV',
  looksLike: (source) => tableOf(source) !== null || isVideoIds(source),
  read(source) {
    const table = tableOf(source);
    if (table) return { ...readTable(source, table), ...(table.header === -1 && { isHistory: true }) };
    if (isVideoIds(source)) {
      throw refused('Line 1 names video IDs and no titles.', {
        line: 1,
        remedy: 'Give the file "music library songs.csv" from the same takeout, or a list with titles.',
      });
    }
    const counts = DELIMITERS.map((delimiter) => source.text.split(delimiter).length);
    return readWithoutHeader(source, DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',');
  },
};

function tableOf(source: Source): Table | null {
  return findTable(source, DELIMITERS) ?? lastFmTable(source);
}

/** `Artist,Album,Title,"31 Dec 2019 10:00"`: the plays of a Last.fm account come without a header. */
function lastFmTable(source: Source): Table | null {
  const sample = source.lines.slice(0, 20).filter((line) => line.trim() !== '');
  const plays = sample.filter((line) => /,"?\d{1,2} [A-Z][a-z]{2} \d{4},? \d\d:\d\d"?$/u.test(line));
  if (plays.length === 0 || plays.length * 5 < sample.length * 4) return null;
  const columns = new Map([
    ['artist', [0]],
    ['album', [1]],
    ['title', [2]],
  ] as const);
  const used = { artist: 'column 1', album: 'column 2', title: 'column 3' };
  return { delimiter: ',', header: -1, plan: { columns, used }, width: null };
}

/** True for a playlist of YouTube's takeout. It holds only IDs, which nothing but YouTube can read. */
function isVideoIds({ lines }: Source): boolean {
  return /^videoid(?:playlist|time)/u.test(columnKey(lines[0]?.slice(0, 200) ?? ''));
}

/** Reads tables with tabs, such as the text export of Apple Music and iTunes in UTF-16 with `\r` line ends. */
export const tsv: Reader = {
  format: 'tsv',
  name: 'tab-separated table',
  looksLike: (source) => findTable(source, ['\t']) !== null,
  read(source) {
    const table = findTable(source, ['\t']);
    return table ? readTable(source, table) : readWithoutHeader(source, '\t');
  },
};
