/** Kept playlists and restored versions over days of virtual time, from seeds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trials } from '../../support/scale.ts';
import { runKeepHistory } from './history.ts';
import { keepPlanOf } from './plan.ts';

const SEEDS = trials(60, 3);

test('every kept playlist ends as its query says or in a review that is true, and a restore gives the rows of its version', async () => {
  const found: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { findings, hash } = await runKeepHistory(keepPlanOf(seed));
    found.push(...findings.map(({ rule, text }) => `seed ${seed}: ${rule}: ${text}`));
    if (seed === 1)
      assert.equal(
        (await runKeepHistory(keepPlanOf(seed))).hash,
        hash,
        'the same seed gives the same history',
      );
  }
  assert.deepEqual(
    found,
    [],
    'npm run simulate -- --only keeps --seeds 1 --from SEED tells the shortest story',
  );
});
