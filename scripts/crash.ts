/**
 * Runs the tests' crash harness until it has made the given number of changes or kills:
 * `npm run crash -- --runs 1000 | --kills 100 [--seed N] [--width N]`.
 */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { crash } from '../test/work/crash/harness.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    kills: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    width: { type: 'string', default: String(availableParallelism() + 1) },
    verbose: { type: 'boolean', default: false },
  },
});

console.log(`seed ${values.seed}`);
const began = performance.now();
const report = await crash({
  runs: Number(values.runs ?? (values.kills === undefined ? 1_000 : 0)),
  kills: Number(values.kills ?? 0),
  seed: Number(values.seed),
  width: Number(values.width),
  ...(values.verbose ? { log: console.log } : {}),
});
console.log(report, `${Math.round((performance.now() - began) / 1000)} s`);
// With fewer runs, some kinds may not come up.
if (report.runs >= 1_000) {
  assert.ok(report.kills >= 200, `only ${report.kills} kills`);
  for (const [kind, met] of Object.entries(report.met))
    assert.ok(met >= 5, `only ${met} changes of the kind ${kind} were under way at a kill`);
}
