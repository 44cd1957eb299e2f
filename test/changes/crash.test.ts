import assert from 'node:assert/strict';
import { longTest } from '../support/scale.ts';
import { crash } from './crash/harness.ts';

/** A short form: CI continues with `npm run crash -- --kills 100`. */
const RUNS = 8;

longTest('killed at any moment of a bad day, no change loses, doubles or reorders a track', async (t) => {
  const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`CRASH_SEED=${seed}`);
  const report = await crash({ runs: RUNS, seed, width: 2 });
  t.diagnostic(JSON.stringify(report));
  assert.ok(report.runs >= RUNS);
});
