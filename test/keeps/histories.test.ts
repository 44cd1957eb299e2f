/** Kept playlists over days of virtual time, from seeds. */
import assert from 'node:assert/strict';
import { longTest } from '../support/scale.ts';
import { runKeepHistory } from './history.ts';

/** One takes five to ten seconds: questions to the library run in a real thread. */
const SEEDS = 8;

longTest('every kept playlist ends as its query says, or in a review that is true', async () => {
  const found: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { findings } = await runKeepHistory(seed);
    found.push(...findings.map((text) => `seed ${seed}: ${text}`));
  }
  assert.deepEqual(found, []);
});
