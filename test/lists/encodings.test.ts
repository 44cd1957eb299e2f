import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_LIST_BYTES } from '../../src/domain/listImport.ts';
import { decodeList } from '../../src/music/lists/decode.ts';
import { refusal, testRefusals } from './told.ts';

const TEXT = 'Ülo Brænk – “Plïnth” €\nЖар Вейр - Чайник\n';
const WESTERN = 'Ülo Brænk – “Plïnth” € Ÿ\n';

function bigEndian(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

/** Encodes text as Windows-1252. It knows only the letters that the tests use. */
function windows1252(text: string): Buffer {
  const codes = new Map(Object.entries({ '–': 0x96, '“': 0x93, '€': 0x80, Ÿ: 0x9f, '’': 0x92, '”': 0x94 }));
  return Buffer.from(Array.from(text, (sign) => codes.get(sign) ?? sign.charCodeAt(0)));
}

const WRITTEN: Readonly<Record<string, readonly [bytes: Buffer, text: string, encoding: string]>> = {
  'UTF-8': [Buffer.from(TEXT), TEXT, 'utf-8'],
  'UTF-8 with a byte order mark': [Buffer.from(`\ufeff${TEXT}`), TEXT, 'utf-8'],
  'UTF-16 little-endian': [Buffer.from(`\ufeff${TEXT}`, 'utf16le'), TEXT, 'utf-16le'],
  'UTF-16 big-endian': [bigEndian(`\ufeff${TEXT}`), TEXT, 'utf-16be'],
  'UTF-16 little-endian without a mark': [Buffer.from(TEXT, 'utf16le'), TEXT, 'utf-16le'],
  'UTF-16 big-endian without a mark': [bigEndian(TEXT), TEXT, 'utf-16be'],
  'Windows-1252': [windows1252(WESTERN), WESTERN, 'windows-1252'],
  'UTF-8 and Windows-1252 in one file': [
    Buffer.concat([Buffer.from(TEXT), windows1252(WESTERN)]),
    TEXT + WESTERN,
    'mixed',
  ],
  'line ends of Windows and of old Macs': [Buffer.from('a\r\nb\rc\n\r\n'), 'a\nb\nc\n\n', 'utf-8'],
  'Japanese in seven bits': [
    Buffer.from('\u001b$B2N<j\u001b(B - \u001b$B2N\u001b(B\n'),
    '歌手 - 歌\n',
    'iso-2022-jp',
  ],
  'UTF-8 that was taken for Windows-1252': [
    Buffer.from('SÃ³l â€“ PlÃ¯nth\nOvo\n'),
    'Sól – Plïnth\nOvo\n',
    'utf-8',
  ],
  'UTF-8 with letters that such a text has too': [
    Buffer.from('Ã – Plïnth\nОво\n'),
    'Ã – Plïnth\nОво\n',
    'utf-8',
  ],
};

for (const [name, [bytes, text, encoding]] of Object.entries(WRITTEN)) {
  test(`${name} is read`, () => assert.deepEqual(decodeList(bytes), { text, encoding }));
}

/** Encodes text in an encoding of one or two bytes, by trying each pair of bytes. */
function encoded(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const codes = new Map<string, number[]>();
  const add = (bytes: number[]) => {
    const sign = decoder.decode(Buffer.from(bytes));
    if (sign.length === 1 && !codes.has(sign)) codes.set(sign, bytes);
  };
  for (let lead = 0; lead < 256; lead += 1) add([lead]);
  for (let lead = 0x81; lead < 255; lead += 1)
    for (let trail = 0x40; trail < 255; trail += 1) add([lead, trail]);
  return Buffer.from(Array.from(text).flatMap((sign) => codes.get(sign) ?? [0x3f]));
}

const LEGACY: readonly (readonly [encoding: string, text: string])[] = [
  ['windows-1251', 'Бумажный Змей - Чайник\nХолмы - Карусель\nThe Weirs - Верёвка\n'],
  ['koi8-r', 'Бумажный Змей - Чайник\nХолмы - Карусель\nThe Weirs - Верёвка\n'],
  ['shift_jis', '紙の凧,やかん\nオボ,回転木馬\n'],
  ['gb18030', '纸风筝 - 我的茶壶\n山坡 - 旋转木马的歌\n'],
  ['big5', '紙風箏 - 我的茶壺\n山坡 - 旋轉木馬的歌\n'],
  ['euc-kr', '종이 연 - 나의 주전자\n언덕 - 회전목마\n'],
  ['windows-1250', 'Žluťásek - Řeka\nPapírový drak - Čajová píseň\n'],
  ['macintosh', 'Le Cerf-volant - Thé à la crème\nÉlodie Vère - Où es-tu passée\n'],
];

for (const [encoding, text] of LEGACY) {
  test(`${encoding} is told by its letters`, () =>
    assert.deepEqual(decodeList(encoded(text, encoding)), { text, encoding }));
}

for (const text of [
  'Björg - Jóa\nNeedle & Coffee - Hillside Carousel\n',
  'Le Cerf - Thé à la crème\n',
  'Tam’s – “Kettle”\n',
  'Bad Benny - Yonagu ñ\n',
]) {
  test(`a few accents stay Western: ${text.trim()}`, () => {
    assert.deepEqual(decodeList(windows1252(text)), { text, encoding: 'windows-1252' });
  });
}

test('what a person says and what the file declares go before what the bytes look like', () => {
  const bytes = encoded('Жар - Вей\n', 'koi8-r');
  assert.deepEqual(decodeList(bytes, 'KOI8-R'), { text: 'Жар - Вей\n', encoding: 'koi8-r' });
  assert.equal(decodeList(Buffer.from([0x84, 0x6c, 0x0a]), 'cp850').text, 'äl\n');
  for (const head of ['<?xml version="1.0" encoding="koi8-r"?>\n', '#EXTM3U\n#EXTENC: KOI8-R\n'])
    assert.equal(decodeList(Buffer.concat([Buffer.from(head), bytes])).text, `${head}Жар - Вей\n`);
  assert.match(refusal(bytes, { encoding: 'klingon' }), /The encoding "klingon" is not known/);
});

test('a text too short to tell its encoding carries a doubt', () => {
  for (const [text, encoding] of [
    ['Żar - Łąka\n', 'windows-1250'],
    ['Tam - Vèelka\n', 'windows-1252'],
    ['Ovo - Dağ\n', 'windows-1254'],
    ['Lucé - Halo\n', 'macintosh'],
    ['纸风 - 茶壶\n', 'gb18030'],
  ] as const)
    assert.match(decodeList(encoded(text, encoding)).doubt ?? '', /encoding of the file is not certain/);
});

testRefusals((what) => `${what} is refused`, {
  nothing: [Buffer.alloc(0), 'The file is empty.'],
  'blank lines': [Buffer.from('\ufeff \r\n\r\n'), 'The file is empty.'],
  'a workbook': [
    Buffer.from('PK\u0003\u0004\0\0xl/'),
    'The file is a ZIP archive or an Excel workbook, not a list.',
  ],
  'a file that is not text': [
    Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * at * 31) & 255)),
    'The file is not text.',
  ],
  'a file that is too large': [
    Buffer.alloc(MAX_LIST_BYTES + 1, 'a'),
    'The file is 21 MiB; at most 20 MiB are read.',
  ],
});
