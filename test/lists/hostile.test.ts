/** Large, broken and malicious files: read or refused within a bound, and no line lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RelayError } from '../../src/domain/errors.ts';
import { readList } from '../../src/music/lists/readList.ts';
import { hostileTexts } from '../support/hostileText.ts';
import { processorMs } from '../support/processorTime.ts';
import { seeded } from '../support/seeded.ts';
import { bytesOf, refusal } from './told.ts';

/** Processor time. A file takes a tenth of this at most, and a quadratic pattern far longer. */
const MAX_MS = 3_000;
const KILOBYTES = 200;
const SIZE = KILOBYTES * 1_000;

function filled(pattern: string, size = SIZE): string {
  return pattern.repeat(Math.ceil(size / pattern.length));
}

/** Text on which a regular expression could backtrack for long. */
const LINES = [...' -|- |\u00a0 |([|"a| by|1 |1:11|spotify:|https://|#|, |“|\t|.'.split('|'), ' | '];

const FILES: Readonly<Record<string, string>> = {
  'empty rows of a table': `title,artist\n${filled(',')}`,
  'a row of quotation marks': `title,artist\n${filled('"')}`,
  'a row that is never closed': `title,artist\n"${filled('Plinth,Ovo\n')}`,
  'one long line': filled('x'),
  'one long line of dashes': filled('a - '),
  spaces: `${filled(' ')}x`,
  'line ends': `${filled('\n')}x`,
  'JSON brackets': filled('['),
  'JSON keys': `{${filled('"key":1,')}"a":1}`,
  'a JSON string': `["${filled('\\u0041')}"]`,
  'XML elements': `<playlist>${filled('<a>')}`,
  'XML attributes': `<playlist ${Array.from({ length: SIZE / 20 }, (_, at) => `a${at}="x"`).join(' ')}/>`,
  'M3U titles': `#EXTM3U\n${filled('#EXTINF:1,\n')}`,
  'a long M3U line': `#EXTM3U\n#EXTINF:1 ${filled('x', 9_000_000)},Ovo - Plinth`,
  'PLS keys': `[playlist]\n${filled('File1=\n')}`,
  ...Object.fromEntries(
    LINES.map((sign) => [`lines of ${JSON.stringify(sign)}`, filled(`${filled(sign, 480)}x\n`)]),
  ),
};

for (const [name, file] of Object.entries(FILES)) {
  test(`${KILOBYTES} kB, ${name}: done in time`, () => {
    const before = process.cpuUsage();
    try {
      readList(bytesOf(file));
    } catch (error) {
      assert(error instanceof RelayError, String(error));
    }
    assert(processorMs(before) < MAX_MS);
  });
}

test('a list of ten thousand lines is read whole', () => {
  const count = 10_000;
  const song = (at: number) => `${at + 1}. Artist ${at % 997} - Title ${at} (Live) 3:45`;
  const before = process.cpuUsage();
  const { entries, notSongs, decided } = readList(
    bytesOf(Array.from({ length: count }, (_, at) => song(at)).join('\n')),
  );
  assert.deepEqual(
    { count: entries.length, notSongs, side: decided.artistSide?.side, last: entries.at(-1) },
    {
      count,
      notSongs: [],
      side: 'left',
      last: {
        line: count,
        title: `Title ${count - 1} (Live)`,
        artist: `Artist ${(count - 1) % 997}`,
        raw: song(count - 1),
      },
    },
  );
  assert(processorMs(before) < MAX_MS);
});

test('every line of any text is reported as an entry or as not a song', () => {
  const hostile = hostileTexts(100).map((text) => text.slice(0, 60).replace(/\p{Cc}/gu, ''));
  const parts = [...hostile, ...'Ovo - Plinth| - |1. |3:45 |# | by |"|•'.split('|')];
  for (let seed = 1; seed <= 80; seed += 1) {
    const next = seeded(seed * 104_729);
    const pick = () => parts[Math.floor(next() * parts.length)] ?? '';
    const lines = Array.from({ length: 1 + Math.floor(next() * 20) }, () =>
      Array.from({ length: Math.floor(next() * 4) }, pick).join(''),
    );
    const text = ['Ovo - Plinth', ...lines, 'Tam - Kettle'].join('\n');
    const { entries, notSongs } = readList(bytesOf(text), { format: 'txt' });
    const told = new Set([...entries, ...notSongs].map(({ line }) => line));
    assert.deepEqual(
      [...told].sort((a, b) => a - b),
      Array.from({ length: lines.length + 2 }, (_, at) => at + 1),
      `seed ${seed}: ${JSON.stringify(text)}`,
    );
  }
});

test('any bytes are read or refused with a remedy', () => {
  const samples = [
    'title,artist\nPlinth,Ovo\n"a',
    '[{"title":"Plinth"',
    '#EXTM3U\n#EXTINF:1,Ovo - Plinth',
    '<plist><dict>',
    '[playlist]\nFile1=a',
  ];
  for (let seed = 1; seed <= 200; seed += 1) {
    const next = seeded(seed * 15_485_863);
    const bytes = Buffer.from(samples[seed % samples.length] ?? '');
    for (let count = Math.floor(next() * 6); count > 0; count -= 1) {
      bytes[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
    }
    try {
      readList(bytes);
    } catch (error) {
      assert(error instanceof RelayError && error.remedy, `seed ${seed}: ${String(error)}`);
    }
  }
});

test('a file that is not in the given format is refused, and no other format is tried', () => {
  assert.equal(
    refusal('Ovo - Plinth\n', { format: 'json' }),
    'Line 1 is not valid JSON: invalid symbol. | line 1',
  );
  assert.equal(
    refusal('Ovo - Plinth\n', { format: 'xspf' }),
    'Line 1 is not valid XML: Root element is missing or invalid. | line 1',
  );
});
