import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sized } from '../support/scale.ts';
import { runHistory } from './history.ts';
import { knownAs } from './known.ts';
import { type Kind, type Plan, planOf } from './plan.ts';

const SEEDS = sized(400, 80);

/**
 * The shortest histories that showed a mistake which is fixed now. Each is named after what happens in it, or after what the
 * program now does then. `judged correctly` means that the mistake was in the oracle.
 */
const MENDED: ReadonlyArray<{ name: string; plan: Plan }> = JSON.parse(
  readFileSync(new URL('mended.json', import.meta.url), 'utf8'),
);

test('histories of many kinds show nothing but known mistakes, and the same seed gives the same history', async () => {
  const found: string[] = [];
  const seen = new Set<Kind>();
  for (let seed = 1; seed <= SEEDS; seed++) {
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

for (const { name, plan } of MENDED)
  test(name, async () => {
    const { findings } = await runHistory(plan);
    assert.deepEqual(findings, []);
  });
