import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { generateCatalogue } from '../../src/demo/catalogue/generate.ts';

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
