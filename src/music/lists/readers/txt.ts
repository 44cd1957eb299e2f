import { refused } from '../decode.ts';
import { excerpt, type Row } from '../list.ts';
import type { Reader } from './reader.ts';

/** A comment begins with `# ` or `//`. "#1 Artist" has a number, and "#Title" is a title. */
const COMMENT = /^(?:#(?:[\s#]|$)|\/\/)/u;
const NO_WORDS = /^[\s\-=_*~#.+–—]*$/u;
/** The comment in which `writeList.ts` writes the playlist's name. */
const NAME = /^#\s*playlist:\s*(.+)$/iu;

/** One song a line. The last format to be tried. */
export const txt: Reader = {
  format: 'txt',
  name: 'text with one song a line',
  looksLike: () => true,
  read({ lines, text }) {
    if (/^\s*<(?:!doctype html|html|head|body)\b/iu.test(text)) {
      throw refused('Line 1 begins a web page, not a list.', {
        line: 1,
        remedy: 'Copy the songs from the page into a text file, or export the list as CSV.',
      });
    }
    if (/^\s*<\?xml\b/iu.test(text)) {
      throw refused('The XML is neither XSPF nor an iTunes library.', {
        line: 1,
        remedy: 'Export the playlist as XSPF, as CSV, or from iTunes or Music as XML.',
      });
    }
    const name = NAME.exec(lines.slice(0, 5).find((line) => NAME.test(line)) ?? '')?.[1]?.trim();
    // A last line end is not an empty line.
    const given = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
    return { rows: given.map(rowOf), ...(name && { name }) };
  },
};

function rowOf(written: string, index: number): Row {
  const row = { line: index + 1, raw: excerpt(written) };
  const start = written.slice(0, 1_000);
  if (start.trim() === '' && written.trim() === '') return { ...row, why: 'empty' };
  if (COMMENT.test(start.trimStart())) return { ...row, why: 'comment' };
  if (NO_WORDS.test(start)) return { ...row, why: 'no words' };
  if (/^[^\t]*:\s*$/u.test(start) && !/\s[-–—]\s/u.test(start)) return { ...row, why: 'heading' };
  return { ...row, text: written.trim() };
}
