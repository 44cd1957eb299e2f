import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crash } from './crash/harness.ts';

/** A short form: CI goes on with `npm run test:crash`, a hundred kills and what they have to have met. */
const KILLS = 3;

test('killed at any moment, no job loses, doubles or reorders a track', async (t) => {
  const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`CRASH_SEED=${seed}`);
  const report = await crash({ kills: KILLS, seed, width: 2 });
  t.diagnostic(JSON.stringify(report));
  assert.ok(report.kills >= KILLS);
});
