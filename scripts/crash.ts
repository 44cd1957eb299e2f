/** The crash harness of the tests for as long as asked: `node --import tsx scripts/crash.ts --kills 500 [--seed N] [--width N]`. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { crash } from '../test/jobs/crash/harness.ts';

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
