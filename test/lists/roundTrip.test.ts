/** What a writer writes, the reader of the same format reads back: same addresses, same order, no search needed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListRow, WrittenFormat } from '../../src/domain/listExport.ts';
import { joinNames, tidyText } from '../../src/music/lists/list.ts';
import { readList } from '../../src/music/lists/readList.ts';
import { WRITERS, writeList } from '../../src/music/lists/writeList.ts';
import { hostileTexts } from '../support/hostileText.ts';
import { seeded } from '../support/seeded.ts';
import { EPISODE, ISRC, OTHER_TRACK, TRACK } from './told.ts';

const ROWS: readonly ListRow[] = [
  {
    title: 'Plinth, "two" - Live',
    artists: ['Ovo Brenk', 'Tam'],
    album: 'First',
    duration_ms: 200_400,
    uri: TRACK,
    isrc: ISRC,
    added_at: '2026-01-02T10:00:00Z',
  },
  { title: '=1+1', artists: [], album: null, duration_ms: null, uri: EPISODE, isrc: null, added_at: null },
  {
    title: 'Kettle',
    artists: ['Ula'],
    album: null,
    duration_ms: 1_000,
    uri: 'spotify:local:Ula::Kettle:1',
    isrc: null,
    added_at: null,
  },
  { title: '', artists: [], album: null, duration_ms: null, uri: null, isrc: null, added_at: null },
];

const WRITTEN: Readonly<Record<WrittenFormat, string>> = {
  csv: [
    '\ufefftitle,artists,album,duration_ms,uri,isrc,added_at',
    `"Plinth, ""two"" - Live","Ovo Brenk, Tam",First,200400,${TRACK},${ISRC},2026-01-02T10:00:00Z`,
    `'=1+1,,,,${EPISODE},,`,
    'Kettle,Ula,,1000,spotify:local:Ula::Kettle:1,,',
    ',,,,,,',
    '',
  ].join('\n'),
  json: `${JSON.stringify({ name: 'Road\nrope', tracks: ROWS }, null, 2)}\n`,
  m3u8: [
    '#EXTM3U',
    '#PLAYLIST:Road rope',
    '#EXTINF:200,Ovo Brenk, Tam - Plinth, "two" - Live',
    '#EXTALB:First',
    TRACK,
    '#EXTINF:-1,=1+1',
    EPISODE,
    '#EXTINF:1,Ula - Kettle',
    'spotify:local:Ula::Kettle:1',
    "# not in Spotify's catalog: ",
    '',
  ].join('\n'),
  txt: [
    '# Playlist: Road rope',
    `Ovo Brenk, Tam - Plinth, "two" - Live  https://open.spotify.com/track/${'a'.repeat(22)}`,
    `=1+1  https://open.spotify.com/episode/${'e'.repeat(22)}`,
    'Ula - Kettle  spotify:local:Ula::Kettle:1',
    "# not in Spotify's catalog: ",
    '',
  ].join('\n'),
};

const FORMATS = Object.keys(WRITERS) as WrittenFormat[];
const LOCAL = 'a local file, which Spotify keeps on one device only';

for (const format of FORMATS) {
  test(`${format} is written like this`, () => {
    assert.equal(writeList(format, ROWS, 'Road\nrope'), WRITTEN[format]);
  });
}

/** Text that a reader or a spreadsheet could mistake for something other than a name. */
const TRAPS = [
  ...`Ovo - Plinth| by |title,artist|title;artist;album|"|'=|=cmd()|+1|-|@x|# |#EXTINF:1,|// |1. |3:45|[playlist]|["a"]`.split(
    '|',
  ),
  ...`{"a":1}|<playlist>|sep=;|${TRACK}|https://open.spotify.com/album/|https://example.com/1|[${ISRC}]|${ISRC}`.split(
    '|',
  ),
  ...',|;|\t|\n|\\|Playlist: x|🎺|é|Side B:'.split('|'),
];

type Next = () => number;

function textFrom(next: Next, hostile: readonly string[]): string {
  const pick = (list: readonly string[]) => list[Math.floor(next() * list.length)] ?? '';
  return Array.from({ length: Math.floor(next() * 4) }, () => pick(next() < 0.7 ? TRAPS : hostile)).join('');
}

function rowFrom(next: Next, hostile: readonly string[]): ListRow {
  const text = () => textFrom(next, hostile);
  const id = Array.from({ length: 22 }, () => Math.floor(next() * 36).toString(36)).join('');
  const kinds = ['track', 'track', 'episode'].map((kind) => `spotify:${kind}:${id}`);
  return {
    title: text(),
    artists: Array.from({ length: Math.floor(next() * 3) }, text),
    album: next() < 0.5 ? null : text(),
    duration_ms: next() < 0.5 ? null : Math.floor(next() * 1e6),
    uri: [...kinds, 'spotify:local:Ovo+Brenk::Plinth:200'][Math.floor(next() * 5)] ?? null,
    isrc: next() < 0.5 ? null : ISRC,
    added_at: next() < 0.5 ? null : '2026-01-02T10:00:00Z',
  };
}

const ENCODERS: readonly (readonly [string, (text: string) => Buffer])[] = [
  ['utf-8', (text) => Buffer.from(text)],
  ['utf-8', (text) => Buffer.from(`\ufeff${text}`)],
  ['utf-8', (text) => Buffer.from(text.replaceAll('\n', '\r\n'))],
  ['utf-16le', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['utf-16le', (text) => Buffer.from(text, 'utf16le')],
  ['utf-16be', (text) => Buffer.from(`\ufeff${text.replaceAll('\n', '\r')}`, 'utf16le').swap16()],
];

test('any rows with any names come back, in any format and encoding', () => {
  const hostile = hostileTexts(200);
  for (let seed = 1; seed <= 60; seed += 1) {
    const next = seeded(seed * 7919);
    const rows = Array.from({ length: 1 + Math.floor(next() * 12) }, () => rowFrom(next, hostile));
    // A list without a single song is refused, so each list gets one.
    rows.splice(Math.floor(next() * rows.length), 0, { ...rowFrom(next, hostile), uri: OTHER_TRACK });
    const name = textFrom(next, hostile);
    const [encoding, encode] = ENCODERS[Math.floor(next() * ENCODERS.length)] ?? ENCODERS[0] ?? assert.fail();
    for (const format of FORMATS) {
      const written = writeList(format, rows, name);
      const read = readList(encode(written));
      const where = `seed ${seed}, ${format}:\n${written}`;
      const heading = format === 'txt' ? 1 : 0;
      // CSV and JSON keep a song without an address by its names, which can be searched for. Here only addresses are compared.
      const known = read.entries.filter(({ uri }) => uri !== undefined);
      assert.deepEqual(
        {
          format: read.format,
          encoding: read.encoding,
          uris: known.map(({ uri }) => uri),
          local: read.notSongs.filter(({ why }) => why === LOCAL).length,
          rows: read.entries.length + read.notSongs.length - heading,
          name: read.name,
        },
        {
          format,
          encoding,
          uris: rows.map(({ uri }) => uri).filter((uri) => uri !== null && !uri.startsWith('spotify:local:')),
          local: rows.filter(({ uri }) => uri?.startsWith('spotify:local:')).length,
          rows: rows.length,
          name: format === 'csv' ? undefined : tidyText(name) || undefined,
        },
        where,
      );
      if (format !== 'csv' && format !== 'json') continue;
      const named = rows.filter(({ uri }) => uri !== null && !uri.startsWith('spotify:local:'));
      assert.deepEqual(
        known.map(({ title, artist }) => ({ title, artist })),
        named.map(({ title, artists }) => ({
          title: tidyText(title).slice(0, 200),
          artist: joinNames(artists).slice(0, 200),
        })),
        where,
      );
    }
  }
});
