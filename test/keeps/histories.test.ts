/** Kept playlists over days of virtual time, from seeds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sized } from '../support/scale.ts';
import { runKeepHistory } from './history.ts';

const SEEDS = sized(120, 1);

test('every kept playlist ends as its query says, or in a review that is true', async () => {
  const found: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { findings } = await runKeepHistory(seed);
    found.push(...findings.map((text) => `seed ${seed}: ${text}`));
  }
  assert.deepEqual(found, []);
});
