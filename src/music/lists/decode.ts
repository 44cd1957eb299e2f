/** Decodes bytes to text: by a byte order mark, the zero bytes of UTF-16, valid UTF-8, and otherwise Windows-1252 line by line. */
import { isUtf8 } from 'node:buffer';
import { MAX_LIST_BYTES } from '../../domain/listImport.ts';
import { type Encoding, refused } from './list.ts';

const SIGNATURES: ReadonlyArray<readonly [bytes: string, what: string, remedy: string]> = [
  ['PK\u0003\u0004', 'a ZIP archive or an Excel workbook', 'Unpack it, or save the table as CSV.'],
  ['\u00d0\u00cf\u0011\u00e0', 'an old Excel or Word file', 'Save it as CSV or as plain text.'],
  ['\u001f\u008b', 'a compressed file', 'Unpack it first.'],
  ['%PDF', 'a PDF file', 'Copy its text into a text file.'],
  ['bplist0', 'a binary property list', 'Convert it to XML with `plutil -convert xml1 FILE`.'],
  ['SQLite format 3', 'a database', 'Export the songs as CSV.'],
];
const SAMPLE = 64 * 1024;
/** The characters of the bytes 0x80 to 0x9f: several releases of Node decode `windows-1252` as Latin-1 (nodejs/node#56542). */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** @returns text with `\n` line ends. @throws RelayError `INVALID_ARGUMENT` if the file is empty, too large or not text */
export function decodeList(bytes: Uint8Array): { text: string; encoding: Encoding } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mebibytes = (size: number) => Math.ceil(size / 1024 / 1024);
  if (buffer.length > MAX_LIST_BYTES)
    throw refused(
      `The file is ${mebibytes(buffer.length)} MiB; at most ${mebibytes(MAX_LIST_BYTES)} MiB are read.`,
      {
        remedy: 'Split it, or export one playlist instead of the whole library.',
      },
    );
  const found = SIGNATURES.find(([start]) => buffer.subarray(0, 16).toString('latin1').startsWith(start));
  if (found) throw refused(`The file is ${found[1]}, not a list.`, { remedy: found[2] });
  const { text, encoding } = decoded(buffer);
  if (text.trim() === '') throw refused('The file is empty.', { remedy: 'Give a file with songs in it.' });
  const sample = text.slice(0, SAMPLE);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if ((sample.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0) * 50 > sample.length)
    throw refused('The file is not text.', {
      remedy: 'Give a list of songs as text, CSV, JSON, M3U, PLS or XML.',
    });
  return { text: text.replaceAll('\0', '').replace(/\r\n?/g, '\n'), encoding };
}

function decoded(buffer: Buffer): { text: string; encoding: Encoding } {
  const wide = wideEncoding(buffer);
  if (wide) return { text: new TextDecoder(wide).decode(buffer), encoding: wide };
  if (isUtf8(buffer)) return { text: buffer.toString('utf8').replace(/^\ufeff/u, ''), encoding: 'utf-8' };
  let hasUtf8 = false;
  const lines: string[] = [];
  for (let from = 0; from < buffer.length; ) {
    const end = buffer.indexOf(0x0a, from);
    const line = buffer.subarray(from, end === -1 ? buffer.length : end + 1);
    const text = isUtf8(line) ? line.toString('utf8') : latin(line);
    hasUtf8 ||= isUtf8(line) && text.length < line.length;
    lines.push(text);
    from += line.length;
  }
  return { text: lines.join(''), encoding: hasUtf8 ? 'mixed' : 'windows-1252' };
}

/** UTF-16 has a byte order mark, or zero bytes on one side of most line ends, spaces and commas. */
function wideEncoding(buffer: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (buffer[0] === 0xff && buffer[1] === 0xfe) return 'utf-16le';
  if (buffer[0] === 0xfe && buffer[1] === 0xff) return 'utf-16be';
  let [all, little, big] = [0, 0, 0];
  buffer.subarray(0, SAMPLE).forEach((byte, at, sample) => {
    if (byte !== 0x0a && byte !== 0x20 && byte !== 0x2c) return;
    all += 1;
    if (at % 2 === 0 && sample[at + 1] === 0) little += 1;
    if (at % 2 === 1 && sample[at - 1] === 0) big += 1;
  });
  if (little * 2 > all) return 'utf-16le';
  return big * 2 > all ? 'utf-16be' : null;
}

function latin(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (sign) => WINDOWS_1252.charAt(sign.charCodeAt(0) - 0x80));
}
