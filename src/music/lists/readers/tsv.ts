import { findTable, readTable, readWithoutHeader } from './delimited.ts';
import type { Reader } from './reader.ts';

/** Also the text export of Apple Music and iTunes, in UTF-16 with `\r` line ends. */
export const tsv: Reader = {
  format: 'tsv',
  name: 'tab-separated table',
  looksLike: (source) => findTable(source, ['\t']) !== null,
  read(source) {
    const table = findTable(source, ['\t']);
    return table ? readTable(source, table) : readWithoutHeader(source, '\t');
  },
};
