import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { generateCatalogue, sharedCatalogue } from '../../src/demo/catalogue/generate.ts';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import { assertNone } from '../support/entries.ts';

const catalogue = sharedCatalogue();

/** Digest of the whole catalogue. If it changes, tests that refer to what is in the catalogue may have to change too. */
const FINGERPRINT = '3332b816cd9ba7a148af82af057274112aa2dd4198572d35596a63b08915a8fb';

function fingerprint(): string {
  const { tracks, episodes, artists } = generateCatalogue();
  const lines = tracks.map((one) => {
    const by = one.artists.map((artist) => artist.id).join('+');
    const { name, releaseDate, type, upc } = one.album;
    return [
      one.id,
      one.name,
      by,
      one.isrc,
      one.durationMs,
      one.explicit,
      one.popularity,
      name,
      releaseDate,
      type,
      upc,
    ];
  });
  const rest = [...episodes.map(({ id, name, durationMs }) => [id, name, durationMs]), ...artists];
  return createHash('sha256')
    .update(JSON.stringify([lines, rest]))
    .digest('hex');
}

test('the catalogue is the same on every machine', () => {
  assert.equal(fingerprint(), FINGERPRINT);
});

test('the catalogue is large enough, and every ID is unique and well-formed', () => {
  const { tracks, artists, albums, shows, episodes } = catalogue;
  assert.ok(tracks.length >= 5_000, `${tracks.length} tracks`);
  assert.ok(artists.length >= 400, `${artists.length} artists`);
  const ids = [...tracks, ...artists, ...albums, ...shows, ...episodes].map((entry) => entry.id);
  assert.equal(new Set(ids).size, ids.length);
  assertNone(ids, (id) => !/^[0-9A-Za-z]{22}$/.test(id));
});

test('one recording is on several albums under several track IDs', () => {
  const albums = new Map<string, Set<string>>();
  for (const { isrc, album } of catalogue.tracks)
    albums.set(isrc, (albums.get(isrc) ?? new Set()).add(album.id));
  const shared = [...albums.values()].filter((ids) => ids.size >= 2).length;
  const widely = [...albums.values()].filter((ids) => ids.size >= 4).length;
  assert.ok(shared > 1_000, `${shared} recordings on two albums or more`);
  assert.ok(widely > 10, `${widely} recordings on four albums or more`);
});

/** Kinds of tracks that the matching rules need to be tested with. */
const KINDS: Record<string, (track: DemoTrack) => boolean> = {
  'remaster with a year': ({ name }) => name.endsWith('- 2011 Remaster'),
  'remaster without a year': ({ name }) => name.endsWith('- Remastered'),
  live: ({ name }) => name.endsWith('- Live'),
  'live with a place': ({ name }) => /\(Live at .+\)$/.test(name),
  remix: ({ name }) => name.endsWith(' Remix'),
  acoustic: ({ name }) => name.endsWith('- Acoustic'),
  instrumental: ({ name }) => name.endsWith('- Instrumental'),
  'sped up': ({ name }) => name.endsWith('- Sped Up'),
  'radio edit': ({ name }) => name.endsWith('- Radio Edit'),
  mono: ({ name }) => name.endsWith('- Mono'),
  karaoke: ({ name }) => name.endsWith('- Karaoke Version'),
  'karaoke that names the original': ({ name }) => /\(Originally Performed by .+\) \[Karaoke\]$/.test(name),
  tribute: ({ name }) => /\(Tribute to .+\)$/.test(name),
  cover: ({ name }) => name.endsWith('- Cover'),
  'guest as (feat.': ({ name }) => name.includes('(feat. '),
  'guest as (ft.': ({ name }) => name.includes('(ft. '),
  'guest as feat. without brackets': ({ name }) => / feat\. /.test(name),
  'guest as (with': ({ name }) => name.includes('(with '),
  'guest as (featuring': ({ name }) => name.includes('(featuring '),
  'guest as [feat.': ({ name }) => name.includes('[feat. '),
  'guest that the title does not name': ({ name, artists }) =>
    artists.length === 2 && !/feat|ft\.|with/.test(name),
  single: ({ album }) => album.type === 'single',
  compilation: ({ album }) => album.type === 'compilation',
  deluxe: ({ album }) => album.name.endsWith('(Deluxe)'),
  'various artists': ({ album }) => album.artists.some(({ name }) => name === 'Various Artists'),
  explicit: ({ explicit }) => explicit,
  'release date of a year alone': ({ album }) => album.precision === 'year' && album.releaseDate.length === 4,
  Cyrillic: ({ name }) => /\p{Script=Cyrillic}/u.test(name),
  Greek: ({ name }) => /\p{Script=Greek}/u.test(name),
  Japanese: ({ name }) => /\p{Script=Hiragana}/u.test(name),
  Korean: ({ name }) => /\p{Script=Hangul}/u.test(name),
  Arabic: ({ name }) => /\p{Script=Arabic}/u.test(name),
  Hebrew: ({ name }) => /\p{Script=Hebrew}/u.test(name),
  Chinese: ({ name }) => /^\p{Script=Han}+$/u.test(name),
  strokes: ({ name }) => /ø/.test(name) && /å/.test(name),
  'title of punctuation alone': ({ name }) => !/[\p{L}\p{N}]/u.test(name),
  'title of digits alone': ({ name }) => /^\d+$/.test(name),
  'artist of punctuation alone': ({ artists }) => artists.some(({ name }) => !/[\p{L}\p{N}]/u.test(name)),
  'artist of digits alone': ({ artists }) => artists.some(({ name }) => /^\d+$/.test(name)),
  'artist with The': ({ artists }) => artists.some(({ name }) => name.startsWith('The ')),
  'artist with &': ({ artists }) => artists.some(({ name }) => name.includes(' & ')),
};

for (const [kind, is] of Object.entries(KINDS)) {
  test(`the catalogue has: ${kind}`, () => assert.ok(catalogue.tracks.some(is)));
}

test('several artists have songs with the same title', () => {
  const called = catalogue.tracks.filter((track) => track.name === 'Paper Viaduct');
  const artists = new Set(called.map((track) => track.artists[0]?.id));
  assert.ok(artists.size >= 5, `${artists.size} artists`);
});
