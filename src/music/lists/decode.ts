/**
 * Decodes bytes to text. The encoding is detected by content: a byte order mark, the zero bytes of UTF-16, valid UTF-8,
 * and otherwise Windows-1252, in which every file can be read.
 */
import { isUtf8 } from 'node:buffer';
import { RelayError } from '../../domain/errors.ts';
import { MAX_LIST_BYTES } from '../../domain/listImport.ts';
import type { Remedy } from '../../domain/remedy.ts';
import type { Encoding } from './list.ts';

export interface Decoded {
  /** With `\n` line ends, without byte order mark and zero bytes. */
  text: string;
  encoding: Encoding;
}

/** The first bytes of files that are not text, and what to do about each kind. */
const SIGNATURES: ReadonlyArray<readonly [bytes: string, what: string, remedy: string]> = [
  ['PK\u0003\u0004', 'a ZIP archive or an Excel workbook', 'Unpack it, or save the table as CSV.'],
  ['\u00d0\u00cf\u0011\u00e0', 'an old Excel or Word file', 'Save it as CSV or as plain text.'],
  ['\u001f\u008b', 'a compressed file', 'Unpack it first.'],
  ['%PDF', 'a PDF file', 'Copy its text into a text file.'],
  ['bplist0', 'a binary property list', 'Convert it to XML with `plutil -convert xml1 FILE`.'],
  ['SQLite format 3', 'a database', 'Export the songs as CSV.'],
];

/** Line feed, space and comma, which are in lists of any script. */
const COMMON_BYTES: ReadonlySet<number> = new Set([0x0a, 0x20, 0x2c]);
/** How much of a file, in bytes or in characters, is looked at to tell its encoding, and whether it is text. */
const SAMPLE = 64 * 1024;

/**
 * @throws RelayError `INVALID_ARGUMENT` if the file is empty, too large or not text.
 */
export function decodeList(bytes: Uint8Array): Decoded {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length > MAX_LIST_BYTES) {
    throw refused(
      `The file is ${mebibytes(buffer.length)} MiB; at most ${mebibytes(MAX_LIST_BYTES)} MiB are read.`,
      {
        remedy: 'Split it, or export one playlist instead of the whole library.',
      },
    );
  }
  refuseBinary(buffer);
  const { text, encoding } = decode(buffer);
  if (text.trim() === '') throw refused('The file is empty.', { remedy: 'Give a file with songs in it.' });
  refuseControls(text);
  const plain = text.includes('\0') ? text.replaceAll('\0', '') : text;
  return { text: plain.replace(/\r\n?/g, '\n'), encoding };
}

function decode(buffer: Buffer): Decoded {
  if (startsWith(buffer, [0xef, 0xbb, 0xbf])) return utf8(buffer.subarray(3));
  // The mark of UTF-32 begins like this too, but no list is written in UTF-32.
  if (startsWith(buffer, [0xff, 0xfe])) return utf16(buffer.subarray(2), 'utf-16le');
  if (startsWith(buffer, [0xfe, 0xff])) return utf16(buffer.subarray(2), 'utf-16be');
  const wide = utf16WithoutMark(buffer);
  return wide ? utf16(buffer, wide) : utf8(buffer);
}

/**
 * UTF-16 without a byte order mark: most line ends, spaces and commas have a zero byte beside them, always on the same side.
 */
function utf16WithoutMark(buffer: Buffer): 'utf-16le' | 'utf-16be' | null {
  const sample = buffer.subarray(0, SAMPLE);
  if (!sample.includes(0)) return null;
  let [all, little, big] = [0, 0, 0];
  sample.forEach((byte, at) => {
    if (!COMMON_BYTES.has(byte)) return;
    all += 1;
    if (at % 2 === 0 && sample[at + 1] === 0) little += 1;
    if (at % 2 === 1 && sample[at - 1] === 0) big += 1;
  });
  if (little * 2 > all) return 'utf-16le';
  return big * 2 > all ? 'utf-16be' : null;
}

function utf16(bytes: Buffer, encoding: 'utf-16le' | 'utf-16be'): Decoded {
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

function utf8(bytes: Buffer): Decoded {
  const text = strictUtf8(bytes);
  return text === null ? byLine(bytes) : { text, encoding: 'utf-8' };
}

/** Decodes line by line, so that one wrong byte does not spoil the letters of the whole file. */
function byLine(bytes: Buffer): Decoded {
  let hasUtf8 = false;
  const lines: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from);
    const line = bytes.subarray(from, end === -1 ? bytes.length : end + 1);
    const text = strictUtf8(line);
    if (text !== null && text.length < line.length) hasUtf8 = true;
    lines.push(text ?? windows1252(line));
    from += line.length;
  }
  return { text: lines.join(''), encoding: hasUtf8 ? 'mixed' : 'windows-1252' };
}

function strictUtf8(bytes: Buffer): string | null {
  return isUtf8(bytes) ? bytes.toString('utf8') : null;
}

/**
 * The characters of the bytes 0x80 to 0x9f. They are spelled out because several releases of Node decode `windows-1252` as
 * Latin-1 (nodejs/node#56542).
 */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function windows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (sign) => WINDOWS_1252.charAt(sign.charCodeAt(0) - 0x80));
}

function refuseBinary(buffer: Buffer): void {
  const start = buffer.subarray(0, 16).toString('latin1');
  const found = SIGNATURES.find(([bytes]) => start.startsWith(bytes));
  if (found) throw refused(`The file is ${found[1]}, not a list.`, { remedy: found[2] });
}

/** A list may have a few stray control characters. A file with many of them is not text. */
function refuseControls(text: string): void {
  const sample = text.slice(0, SAMPLE);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const controls = sample.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0;
  if (controls * 50 > sample.length) {
    throw refused('The file is not text.', {
      remedy: 'Give a list of songs as text, CSV, JSON, M3U, PLS or XML.',
    });
  }
}

function startsWith(buffer: Buffer, bytes: readonly number[]): boolean {
  return bytes.every((byte, at) => buffer[at] === byte);
}

function mebibytes(bytes: number): string {
  return String(Math.ceil(bytes / 1024 / 1024));
}

/** The error for a file that cannot be read as a list. `line` counts from 1. */
export function refused(
  message: string,
  { remedy, line }: { remedy: string | Remedy; line?: number },
): RelayError {
  return new RelayError('INVALID_ARGUMENT', message, {
    remedy,
    ...(line !== undefined && { details: { line } }),
  });
}
