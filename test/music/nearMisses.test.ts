import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEAR_SCORE } from '../../src/domain/settling.ts';
import { matchTrack } from '../../src/music/match.ts';
import { queryOf, trackOf } from './matchRows.ts';

const OTHER_SONGS: ReadonlyArray<readonly [asked: string, offered: string]> = [
  ['Another Wall, Pt. 2', 'Another Wall, Pt. 1'],
  ['Sonata No. 14', 'Sonata No. 15'],
  ['Unforgiven II', 'Unforgiven III'],
  ['1979', '1978'],
  ['11:48', '11:47'],
  ['Girl Like That', 'Girls Like That'],
  ['Plinth Life', 'Plinth Live'],
];

/** True for each candidate that counts among the close matches, which a person may accept all at once. */
function isNear(asked: string, offered: string): boolean[] {
  const { status, candidates } = matchTrack(queryOf(`${asked} | Ula`), [trackOf(`${offered} | Ula`, 0)]);
  assert.equal(status, 'unmatched', asked);
  return candidates.map(({ score }) => score >= NEAR_SCORE);
}

test('a candidate that means something else is no close match, however alike the titles are', () => {
  for (const [asked, offered] of OTHER_SONGS)
    assert.deepEqual(isNear(asked, offered), [false], `${asked}: ${offered}`);
});

test('a candidate with two typos in its title is a close match', () => {
  assert.deepEqual(isNear('Amothyst Road', 'Emethyst Road'), [true]);
});
