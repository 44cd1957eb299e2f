import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_LIST_BYTES } from '../../src/domain/listImport.ts';
import { decodeList } from '../../src/music/lists/decode.ts';
import { testRefusals } from './told.ts';

const TEXT = 'Ülo Brænk – “Plïnth” €\nЖар Вейр - Чайник\n';
const WESTERN = 'Ülo Brænk – “Plïnth” € Ÿ\n';

function bigEndian(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

/** Encodes text as Windows-1252. It knows only the letters that the tests use. */
function windows1252(text: string): Buffer {
  const codes = new Map(Object.entries({ '–': 0x96, '“': 0x93, '”': 0x94, '€': 0x80, Ÿ: 0x9f }));
  return Buffer.from(Array.from(text, (sign) => codes.get(sign) ?? sign.charCodeAt(0)));
}

const WRITTEN: Readonly<Record<string, readonly [bytes: Buffer, text: string, encoding: string]>> = {
  'UTF-8': [Buffer.from(TEXT), TEXT, 'utf-8'],
  'UTF-8 with a byte order mark': [Buffer.from(`\ufeff${TEXT}`), TEXT, 'utf-8'],
  'UTF-16 little-endian': [Buffer.from(`\ufeff${TEXT}`, 'utf16le'), TEXT, 'utf-16le'],
  'UTF-16 big-endian': [bigEndian(`\ufeff${TEXT}`), TEXT, 'utf-16be'],
  'UTF-16 little-endian without a mark': [Buffer.from(TEXT, 'utf16le'), TEXT, 'utf-16le'],
  'UTF-16 big-endian without a mark': [bigEndian(TEXT), TEXT, 'utf-16be'],
  'UTF-16 without Latin letters': [
    Buffer.from('音楽家 - 曲名\n歌手 - 歌\n', 'utf16le'),
    '音楽家 - 曲名\n歌手 - 歌\n',
    'utf-16le',
  ],
  'Windows-1252': [windows1252(WESTERN), WESTERN, 'windows-1252'],
  'UTF-8 and Windows-1252 in one file': [
    Buffer.concat([Buffer.from(TEXT), windows1252(WESTERN)]),
    TEXT + WESTERN,
    'mixed',
  ],
  'line ends of Windows and of old Macs': [Buffer.from('a\r\nb\rc\n\r\n'), 'a\nb\nc\n\n', 'utf-8'],
  'stray zero bytes': [
    Buffer.from(`${'Ovo - Plinth\n'.repeat(20)}Ovo - Ket\0tle\n`),
    `${'Ovo - Plinth\n'.repeat(20)}Ovo - Kettle\n`,
    'utf-8',
  ],
};

for (const [name, [bytes, text, encoding]] of Object.entries(WRITTEN)) {
  test(`${name} is read`, () => assert.deepEqual(decodeList(bytes), { text, encoding }));
}

testRefusals((what) => `${what} is refused`, {
  nothing: [Buffer.alloc(0), 'The file is empty.'],
  'blank lines': [Buffer.from('\ufeff \r\n\r\n'), 'The file is empty.'],
  'a workbook': [
    Buffer.from('PK\u0003\u0004\0\0xl/'),
    'The file is a ZIP archive or an Excel workbook, not a list.',
  ],
  'a PDF file': [Buffer.from('%PDF-1.7\n'), 'The file is a PDF file, not a list.'],
  'a binary property list': [
    Buffer.from('bplist00\u0001'),
    'The file is a binary property list, not a list.',
  ],
  'a file that is not text': [
    Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * at * 31) & 255)),
    'The file is not text.',
  ],
  'a file of zeros': [Buffer.alloc(5_000), 'The file is not text.'],
  'a file that is too large': [
    Buffer.alloc(MAX_LIST_BYTES + 1, 'a'),
    'The file is 21 MiB; at most 20 MiB are read.',
  ],
});
