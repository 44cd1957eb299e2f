/** The crash harness of the tests for as long as asked: `npm run test:crash -- --kills 500 [--seed N] [--width N]`. */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { JOB_TYPES } from '../src/domain/job.ts';
import { crash } from '../test/changes/crash/harness.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    width: { type: 'string', default: String(availableParallelism() + 1) },
    verbose: { type: 'boolean', default: false },
  },
});

console.log(`seed ${values.seed}`);
const report = await crash({
  kills: Number(values.kills),
  seed: Number(values.seed),
  width: Number(values.width),
  ...(values.verbose ? { log: console.log } : {}),
});
console.log(report);
// Fewer kills need not meet everything.
if (report.kills >= 100) {
  for (const type of JOB_TYPES) assert.ok((report.byType[type] ?? 0) >= 5, `${type} was hardly killed`);
  for (const state of ['resolving', 'ready', 'committing']) {
    assert.ok((report.byState[state] ?? 0) > 0, `no kill while ${state}`);
  }
}
