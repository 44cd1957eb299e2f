import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { generateCatalogue, sharedCatalogue } from '../../src/demo/catalogue/generate.ts';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';

const catalogue = sharedCatalogue();

/** Digest of the whole catalogue. If it changes, tests that refer to what is in the catalogue may have to change too. */
const FINGERPRINT = 'e658e47079ade0e5c9a6cd21dd557494f0fe2458563396bb749b1717af4d6e51';

function fingerprint(): string {
  const { tracks, episodes, artists } = generateCatalogue();
  const lines = tracks.map((one) => {
    const by = one.artists.map((artist) => artist.id).join('+');
    const { name, releaseDate, type } = one.album;
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

/** What titles hold that the matching rules need to be tested with. */
const NOTES =
  `- 2011 Remaster, - Remastered, - Live, (Live at, Remix, - Acoustic, - Instrumental, - Sped Up, - Radio Edit, - Mono,
  - Karaoke Version, (Originally Performed by, (Tribute to, - Cover, (feat., (ft., feat., (with, [feat.`.split(
    /,\s+/,
  );
const SCRIPTS = ['Cyrillic', 'Greek', 'Hiragana', 'Hangul', 'Arabic', 'Hebrew', 'Han'];

/** Kinds of tracks that a title does not show. */
const KINDS: Record<string, (track: DemoTrack) => boolean> = {
  'a guest that the title does not name': ({ name, artists }) =>
    artists.length === 2 && !/feat|ft\.|with/.test(name),
  'a single': ({ album }) => album.type === 'single',
  'a compilation': ({ album }) => album.type === 'compilation',
  'a deluxe album': ({ album }) => album.name.endsWith('(Deluxe)'),
  'various artists': ({ album }) => album.artists.some(({ name }) => name === 'Various Artists'),
  'an explicit song': ({ explicit }) => explicit,
  'a release date of a year alone': ({ album }) => album.releaseDate.length === 4,
  'a title of punctuation': ({ name }) => !/[\p{L}\p{N}]/u.test(name),
  'a title of digits': ({ name }) => /^\d+$/.test(name),
  'an artist of punctuation': ({ artists }) => artists.some(({ name }) => !/[\p{L}\p{N}]/u.test(name)),
  'an artist with The': ({ artists }) => artists.some(({ name }) => name.startsWith('The ')),
  'an artist with &': ({ artists }) => artists.some(({ name }) => name.includes(' & ')),
};

test('the catalogue has what makes matching hard', () => {
  const titles = catalogue.tracks.map(({ name }) => name);
  for (const note of NOTES)
    assert.ok(
      titles.some((title) => title.includes(note)),
      note,
    );
  for (const script of SCRIPTS) {
    const begins = new RegExp(`^\\p{Script=${script}}`, 'u');
    assert.ok(
      titles.some((title) => begins.test(title)),
      script,
    );
  }
  for (const [kind, is] of Object.entries(KINDS)) assert.ok(catalogue.tracks.some(is), kind);
  const called = catalogue.tracks.filter((track) => track.name === 'Paper Viaduct');
  const artists = new Set(called.map((track) => track.artists[0]?.id));
  assert.ok(artists.size >= 5, `${artists.size} artists with a song of the same title`);
});
