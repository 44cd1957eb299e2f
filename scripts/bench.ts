/**
 * `npm run bench`: how fast relay answers, compared with references in the same run, so that the ratios hold on any machine. It
 * is not a test. It prints a table and writes JSON outside the repository. A word selects a part: `npm run bench -- throughput`.
 * With `--write` the results are recorded.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { growth } from './bench/growth.ts';
import { libraryQuestions } from './bench/library.ts';
import { startAndMemory } from './bench/memory.ts';
import { type BenchResult, recordBench } from './bench/recorded.ts';
import { taskRequests, taskTimes } from './bench/tasks.ts';
import { throughput } from './bench/throughput.ts';

const PARTS: Record<string, () => Promise<object>> = {
  throughput,
  requests: taskRequests,
  times: taskTimes,
  start: startAndMemory,
  growth,
  library: libraryQuestions,
};

const words = process.argv.slice(2);
const wanted = words.filter((word) => word !== '--write');
const machine = { cpu: cpus()[0]?.model ?? '', cores: cpus().length, node: process.version };
const found: Record<string, unknown> = { at: new Date().toISOString(), machine };
for (const [name, run] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const result = await run();
  found[name] = result;
  const tables = Array.isArray(result) ? { [name]: result } : (result as Record<string, object[]>);
  for (const [title, rows] of Object.entries(tables)) {
    console.log(`\n${title}`);
    console.table(rows.map(rounded));
  }
}
const path = join(mkdtempSync(join(tmpdir(), 'relay-bench-result-')), 'bench.json');
writeFileSync(path, `${JSON.stringify(found, null, 2)}\n`);
if (words.includes('--write')) recordBench(found as Partial<BenchResult>);
console.log(`\n${machine.cores} cores, ${machine.cpu}, Node ${machine.node}\nwritten: ${path}`);

function rounded(row: object): object {
  const round = (value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(value < 10 ? 2 : 4)) : value;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, round(value)]));
}
