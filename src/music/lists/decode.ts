/** Decodes bytes to text: as a person or the file says, as Unicode, or in the legacy encoding that the bytes look like. */
import { isUtf8 } from 'node:buffer';
import { detectAll } from 'jschardet';
import { MAX_LIST_BYTES } from '../../domain/listImport.ts';
import { refused } from './list.ts';

const SIGNATURES: ReadonlyArray<readonly [bytes: string, what: string, remedy: string]> = [
  ['PK\u0003\u0004', 'a ZIP archive or an Excel workbook', 'Unpack it, or save the table as CSV.'],
  ['\u00d0\u00cf\u0011\u00e0', 'an old Excel or Word file', 'Save it as CSV or as plain text.'],
  ['\u001f\u008b', 'a compressed file', 'Unpack it first.'],
  ['%PDF', 'a PDF file', 'Copy its text into a text file.'],
  ['bplist0', 'a binary property list', 'Convert it to XML with `plutil -convert xml1 FILE`.'],
  ['SQLite format 3', 'a database', 'Export the songs as CSV.'],
];
const SAMPLE = 64 * 1024;
/** Where XML and M3U name their encoding. */
const DECLARED = /^(?:<\?xml[^>]*?\sencoding=["']|(?:#EXTM3U\s+)?#EXTENC:\s*)([\w-]+)/iu;
/** The characters of the bytes 0x80 to 0x9f: several releases of Node decode `windows-1252` as Latin-1 (nodejs/node#56542). */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** The upper halves of the Latin encodings of DOS, which Node does not know. The letters of 437 are in 850 at the same places. */
const DOS: Readonly<Record<string, string>> = {
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  cp852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
};
type Family = 'western' | 'central' | 'turkish' | 'cyrillic' | 'greek' | 'japanese' | 'chinese' | 'korean';
/** The encodings that lists come in: the detector's name, the one that `TextDecoder` knows, and the languages. */
const LEGACY: ReadonlyArray<readonly [detected: string, encoding: string, family: Family]> = [
  ['windows-1252', 'windows-1252', 'western'],
  ['mac-roman', 'macintosh', 'western'],
  ['cp850', 'cp850', 'western'],
  ['windows-1250', 'windows-1250', 'central'],
  ['iso-8859-2', 'iso-8859-2', 'central'],
  ['cp852', 'cp852', 'central'],
  ['windows-1254', 'windows-1254', 'turkish'],
  ['windows-1251', 'windows-1251', 'cyrillic'],
  ['koi8-r', 'koi8-r', 'cyrillic'],
  ['cp866', 'ibm866', 'cyrillic'],
  ['mac-cyrillic', 'x-mac-cyrillic', 'cyrillic'],
  ['windows-1253', 'windows-1253', 'greek'],
  ['cp932', 'shift_jis', 'japanese'],
  ['euc-jp', 'euc-jp', 'japanese'],
  ['gb18030', 'gb18030', 'chinese'],
  ['big5', 'big5', 'chinese'],
  ['cp949', 'euc-kr', 'korean'],
];
const SIGN = String.raw`(?![\p{ASCII}™®])[\p{S}\p{Cc}\p{Cf}\p{No}†‡¶§\ufffd]`;
const [LATIN, OTHER] = [String.raw`\p{sc=Latin}`, String.raw`[\p{sc=Cyrillic}\p{sc=Greek}]`];
/** A sign in a word, or a change of case or script, as text has it that is read in the wrong encoding. */
const ODD = new RegExp(
  String.raw`(?<=\p{L})${SIGN}|${SIGN}(?=\p{L})|\p{L}[“”…]\p{L}|\p{L}[‚„‰ˆ‹›¡¿]|\p{L}[–—]\p{Ll}|\p{Ll}(?!\p{ASCII})\p{Lu}|${LATIN}${OTHER}|${OTHER}${LATIN}|(?!${LATIN})\p{Ll}\p{Lu}`,
  'gu',
);
/** With fewer letters than this, the detector guesses. */
const FEW = 7;
/** Families whose letters take two bytes. */
const WIDE: ReadonlySet<Family> = new Set(['japanese', 'chinese', 'korean']);
/** Western letters that are few in Western names; their bytes are common letters in Central Europe and Turkey. */
const LIKE_OTHERS = /[ðþýÐÞÝøæõìòùûšžŸÆØÕÌÒÙÛŠŽ]|è[aeiou]/u;
/** Below this, the detector has seen too few letters to tell one language from another. */
const FAINT = 0.05;

export interface Decoded {
  text: string;
  /** `mixed`: some lines are UTF-8, others Windows-1252. */
  encoding: string;
  /** Says that another encoding may be the right one. */
  doubt?: string;
}

/** Text with `\n` line ends, in the encoding that is `asked` for, if any. @throws RelayError `INVALID_ARGUMENT` if it is not text */
export function decodeList(bytes: Uint8Array, asked?: string): Decoded {
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
  const { text, ...rest } = asked === undefined ? decoded(buffer) : decodedAs(buffer, asked);
  if (text.trim() === '') throw refused('The file is empty.', { remedy: 'Give a file with songs in it.' });
  const sample = text.slice(0, SAMPLE);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if ((sample.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0) * 50 > sample.length)
    throw refused('The file is not text.', {
      remedy: 'Give a list of songs as text, CSV, JSON, M3U, PLS or XML.',
    });
  return { text: text.replaceAll('\0', '').replace(/\r\n?/g, '\n'), ...rest };
}

function decodedAs(buffer: Buffer, asked: string): Decoded {
  const text = inEncoding(buffer, asked);
  if (text !== null) return { text, encoding: asked.toLowerCase() };
  throw refused(`The encoding "${asked}" is not known.`, {
    remedy: 'Give a name such as windows-1251, shift_jis, gbk, euc-kr, iso-8859-2 or cp850.',
  });
}

function decoded(buffer: Buffer): Decoded {
  const wide = wideEncoding(buffer);
  if (wide) return { text: new TextDecoder(wide).decode(buffer), encoding: wide };
  // Japanese in seven bits, as mails have it.
  if (buffer.subarray(0, SAMPLE).toString('latin1').includes('\u001b$B'))
    return decodedAs(buffer, 'iso-2022-jp');
  if (isUtf8(buffer))
    return { text: unmangled(buffer.toString('utf8').replace(/^\ufeff/u, '')), encoding: 'utf-8' };
  const [, declared = ''] = DECLARED.exec(buffer.subarray(0, 200).toString('latin1')) ?? [];
  const text = /^(?:|utf-?8|us-ascii)$/iu.test(declared) ? null : inEncoding(buffer, declared);
  if (text !== null) return { text, encoding: declared.toLowerCase() };
  return detected(buffer);
}

/** The text, also where a program took UTF-8 for Windows-1252: "Ã©". Only such a text is UTF-8 again as bytes. */
function unmangled(text: string): string {
  const byteOf = (sign: string) => String.fromCharCode(0x80 | WINDOWS_1252.indexOf(sign));
  const bytes = Buffer.from(text.replace(/[^\0-\u00ff]/gu, byteOf), 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
}

/** Decodes the lines that are not UTF-8 in the encoding that they look like together. */
function detected(buffer: Buffer): Decoded {
  const lines: { bytes: Buffer; isHigh: boolean; isUtf8: boolean }[] = [];
  for (let from = 0; from < buffer.length; ) {
    const end = buffer.indexOf(0x0a, from);
    const bytes = buffer.subarray(from, end === -1 ? buffer.length : end + 1);
    const unicode = isUtf8(bytes);
    lines.push({ bytes, isUtf8: unicode, isHigh: !unicode || bytes.toString('utf8').length < bytes.length });
    from += bytes.length;
  }
  const high = lines.filter(({ isHigh }) => isHigh);
  const utf8 = high.filter((line) => line.isUtf8).length;
  const { encoding, doubt } = detect(high.flatMap((line) => (line.isUtf8 ? [] : [line.bytes])));
  // A line of two Chinese characters may happen to be valid UTF-8.
  const isMixed = utf8 > 0 && (encoding === 'windows-1252' || utf8 * 2 >= high.length);
  const text = isMixed
    ? lines
        .map((line) => (line.isUtf8 ? line.bytes.toString('utf8') : inEncoding(line.bytes, encoding)))
        .join('')
    : (inEncoding(buffer, encoding) ?? '');
  return { text, encoding: isMixed ? 'mixed' : encoding, ...(doubt && { doubt }) };
}

/**
 * The encoding of lines. Windows-1252 stays unless another is clearly more likely: a few accents look like letters of many
 * languages. There is a doubt if the lines are few for what they seem to be, or nearly as much like another language.
 */
function detect(lines: readonly Buffer[]): { encoding: string; doubt?: string } {
  const sample = Buffer.concat(lines).subarray(0, SAMPLE);
  const found = detectAll(sample, { detectEncodings: LEGACY.map(([name]) => name), minimumThreshold: 0 });
  const scores = new Map(found.map(({ encoding, confidence }) => [detectorKey(encoding ?? ''), confidence]));
  const ranked = LEGACY.map(([name, encoding, family]) => {
    const text = inEncoding(sample, encoding) ?? '';
    const odd = text.match(ODD)?.length ?? 0;
    return { encoding, family, text, odd, score: (scores.get(detectorKey(name)) ?? 0) / (1 + odd) };
  }).sort((a, b) => b.score - a.score);
  const western = ranked.find(({ encoding }) => encoding === 'windows-1252');
  const [best = western] = ranked;
  if (!best || !western) return { encoding: 'windows-1252' };
  const isOther = best.score > FAINT / 2 && best.score > western.score * 1.5;
  // Accents are letters, and a word of another script has more than two.
  const accents = western.text.match(/(?!\p{ASCII})\p{L}/gu)?.length ?? 0;
  const isSame =
    best.text === western.text || accents === 0 || (accents < 3 && /cyrillic|greek/u.test(best.family));
  const chosen = isOther && !isSame ? best : western;
  const [other] = ranked.filter(({ family, text }) => family !== chosen.family && text !== chosen.text);
  const isFew = sample.filter((byte) => byte > 0x7f).length < (WIDE.has(chosen.family) ? 2 : 1) * FEW;
  const isUnclear =
    chosen === western
      ? chosen.odd > 0 || (isFew && LIKE_OTHERS.test(chosen.text))
      : isFew || chosen.score < FAINT || (other?.score ?? 0) > chosen.score * 0.7;
  if (!isUnclear) return { encoding: chosen.encoding };
  const others = ranked.filter((one) => one !== chosen).slice(0, 2);
  return {
    encoding: chosen.encoding,
    doubt: `The encoding of the file is not certain: it was read as ${chosen.encoding}, and may be ${others.map(({ encoding }) => encoding).join(' or ')}. If names look wrong, give the encoding with --encoding.`,
  };
}

/** Joins the spellings of a name: the detector answers "Windows-1251" and "IBM866" when it is asked for "windows-1251" and "cp866". */
function detectorKey(name: string): string {
  return name.toLowerCase().replace(/^ibm/u, 'cp').replaceAll('-', '');
}

/** The text in a legacy encoding; null if nothing here knows its name. */
function inEncoding(bytes: Buffer, encoding: string): string | null {
  const name = encoding.trim().toLowerCase();
  const upper = /^(?:windows-1252|cp-?1252|iso-8859-1|latin-?1)$/u.test(name)
    ? WINDOWS_1252
    : DOS[name.replace(/^ibm|^cp-/u, 'cp').replace('cp437', 'cp850')];
  if (upper !== undefined)
    return bytes
      .toString('latin1')
      .replace(/[\u0080-\u00ff]/g, (sign) => upper.charAt(sign.charCodeAt(0) - 0x80) || sign);
  try {
    return new TextDecoder(name.replace(/^cp-?125/u, 'windows-125')).decode(bytes);
  } catch {
    return null;
  }
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
