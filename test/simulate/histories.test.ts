import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trials } from '../support/scale.ts';
import { runHistory } from './history.ts';
import { knownAs } from './known.ts';
import { FIRST_WITH_MORE, planOf } from './more.ts';
import type { Kind } from './plan.ts';

/** Half of the seeds have the draws of `more.ts`, and half do not. */
const SEEDS = Array.from({ length: trials(400, 24) }, (_, index) =>
  index % 2 === 0 ? 1 + index / 2 : FIRST_WITH_MORE + (index - 1) / 2,
);

test('histories of many kinds show nothing but known mistakes, and the same seed gives the same history', async () => {
  const found: string[] = [];
  const seen = new Set<Kind>();
  for (const seed of SEEDS) {
    const { kind } = planOf(seed);
    const { findings, hash } = await runHistory(planOf(seed));
    for (const { rule, text } of findings) {
      if (!knownAs(rule)) found.push(`seed ${seed}: ${rule}: ${text}`);
    }
    if (!seen.has(kind)) assert.equal((await runHistory(planOf(seed))).hash, hash, `seed ${seed}, ${kind}`);
    seen.add(kind);
  }
  assert.deepEqual(found, [], 'npm run simulate -- --seeds 1 --from SEED prints the shortest story');
});
