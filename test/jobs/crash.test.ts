import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_TYPES } from '../../src/domain/jobs.ts';
import { crash } from './crash/harness.ts';

const KILLS = 100;

test('killed a hundred times at any moment, no job loses, doubles or reorders a track', async (t) => {
  const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`CRASH_SEED=${seed}`);
  const report = await crash({ kills: KILLS, seed, width: 3 });
  t.diagnostic(JSON.stringify(report));
  assert.ok(report.kills >= KILLS);
  for (const type of JOB_TYPES) assert.ok((report.byType[type] ?? 0) >= 5, `${type} was hardly killed`);
  for (const state of ['resolving', 'ready', 'committing']) {
    assert.ok((report.byState[state] ?? 0) > 0, `no kill while ${state}`);
  }
});
