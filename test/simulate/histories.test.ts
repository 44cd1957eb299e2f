import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sized } from '../support/scale.ts';
import { runHistory } from './history.ts';
import { knownAs } from './known.ts';
import { KINDS, type Plan, planOf } from './plan.ts';
import { NO_LAG } from './spotify.ts';

test('the same seed gives the same history', async () => {
  for (const [index, kind] of KINDS.entries()) {
    const plan = planOf(index, kind);
    const [first, second] = [await runHistory(plan), await runHistory(planOf(index, kind))];
    assert.equal(first.hash, second.hash, `seed ${index}, ${kind}`);
  }
});

test('histories of many kinds show nothing but known mistakes', async () => {
  const found: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { findings } = await runHistory(planOf(seed));
    for (const { rule, text } of findings) {
      if (!knownAs(rule)) found.push(`seed ${seed}: ${rule}: ${text}`);
    }
  }
  assert.deepEqual(found, [], 'npm run simulate -- --seeds 1 --from SEED tells the shortest story');
});

const SEEDS = sized(400, 80);

test('a cancelled job of which nobody can tell what it made does not keep the program busy', async () => {
  const tracks = [1_005, 1_006, 1_007];
  const plan: Plan = {
    ...planOf(1, 'calm'),
    ...{ seed: 5_001_750, lists: [], saved: [], lags: NO_LAG, latency: [100, 1_500], undoesAll: false },
    faults: [{ of: 'create', times: 1, action: { kind: 'html', effect: false } }],
    clients: [
      {
        name: 'client 0',
        acts: [{ pause: 20_000, leaves: 5_882, wish: { do: 'create', name: 'Made 1', tracks: [] } }],
      },
      {
        name: 'client 1',
        acts: [{ pause: 30_000, leaves: null, wish: { do: 'create', name: 'Made 1', tracks } }],
      },
    ],
  };
  const { findings } = await runHistory(plan);
  assert.deepEqual(findings, []);
});
