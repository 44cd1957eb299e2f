/**
 * Histories from seeds: `npm run simulate -- --seeds 1000 [--from S] [--only KIND] [--width N]`, and with `--trace` one
 * seed's whole story. Ends with 1 if anything but known mistakes is found, and tells the shortest story of each.
 * `--mutants` makes mistakes in a copy of the program on purpose, and ends with 1 if one is not found.
 */
import { fork } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { SeedReport } from '../test/simulate/children/seeds.ts';
import { runHistory } from '../test/simulate/history.ts';
import { knownAs } from '../test/simulate/known.ts';
import { MUTANTS, type Mutant } from '../test/simulate/mutants.ts';
import { KINDS, type Kind, planOf } from '../test/simulate/plan.ts';
import { shrink } from '../test/simulate/shrink.ts';
import { storyOf } from '../test/simulate/story.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    only: { type: 'string' },
    width: { type: 'string', default: String(availableParallelism()) },
    /** Ends after so long, however many seeds are left. */
    seconds: { type: 'string', default: '3600' },
    mutants: { type: 'boolean', default: false },
    /** With `--mutants`: only those whose name has it. */
    mutant: { type: 'string', default: '' },
    trace: { type: 'boolean', default: false },
  },
});
const only = kindOf(values.only);
const from = Number(values.from);
const count = Number(values.seeds);
const CHILD_FLAGS = ['--max-semi-space-size=64', '--import', 'tsx'];
/** How many seeds a mutant has until it must have been found. */
const MUTANT_SEEDS = 2_000;

if (values.mutants) await runMutants();
else if (values.trace) await tell(from);
else await runAll();

function kindOf(name: string | undefined): Kind | undefined {
  const kind = KINDS.find((one) => one === name);
  if (name === undefined || kind) return kind;
  throw new Error(`--only takes one of ${KINDS.join(', ')}`);
}

async function tell(seed: number): Promise<void> {
  const { lines, findings } = await runHistory(planOf(seed, only), true);
  console.log(lines.join('\n'));
  if (findings.length > 0) process.exitCode = 1;
}

async function runAll(): Promise<void> {
  const width = Number(values.width);
  const seedsOf = new Map<string, SeedReport[]>();
  let cpuMs = 0;
  let done = 0;
  const began = performance.now();
  console.log(`seeds ${from} to ${from + count - 1}`);
  const hear = (message: SeedReport | { cpuMs: number }) => {
    if ('cpuMs' in message) {
      cpuMs += message.cpuMs;
      return;
    }
    done += 1;
    for (const rule of new Set(message.rules.map((one) => one.rule)))
      seedsOf.set(rule, [...(seedsOf.get(rule) ?? []), message]);
  };
  await Promise.all(Array.from({ length: width }, (_, index) => runShare(index, width, hear)));
  const seconds = (performance.now() - began) / 1_000;
  const found = [...seedsOf].sort(([, a], [, b]) => b.length - a.length);
  const fresh = found.filter(([rule]) => knownAs(rule) === null);
  for (const [rule, reports] of found) {
    const known = knownAs(rule);
    const seeds = reports
      .slice(0, 4)
      .map(({ seed }) => seed)
      .join(', ');
    console.log(
      `${String(reports.length).padStart(6)} ${known ? `known (${known.name})` : 'NEW'}: ${rule}: ${seeds}`,
    );
  }
  const perCore = (done / cpuMs) * 1_000;
  console.log(
    `${done} histories in ${seconds.toFixed(1)} s, ${perCore.toFixed(0)} a second of one processor; ${fresh.length} new findings`,
  );
  for (const [rule, reports] of fresh.slice(0, 3)) await tellShortest(reports[0]?.seed ?? from, rule);
  if (fresh.length > 0) process.exitCode = 1;
}

/** The shortest history that shows the same. */
async function tellShortest(seed: number, rule: string): Promise<void> {
  const plan = await shrink(planOf(seed, only), rule);
  const { lines } = await runHistory(plan, true);
  console.log(
    [`\n${rule}`, `seed ${seed}, made shorter: ${JSON.stringify(plan)}`, ...storyOf(lines)].join('\n'),
  );
}

async function runMutants(): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  for (const mutant of MUTANTS.filter(({ name }) => name.includes(values.mutant))) {
    const copy = mkdtempSync(join(tmpdir(), 'relay-mutant-'));
    try {
      for (const folder of ['src', 'test', 'package.json', 'tsconfig.json'])
        cpSync(join(root, folder), join(copy, folder), { recursive: true });
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
      mutate(join(copy, mutant.file), mutant);
      const found = await firstFound(copy);
      console.log(
        `${found ? `${found.seed - from + 1} seeds: ${found.rule}` : 'NOT FOUND'} (${mutant.name})`,
      );
      if (!found) process.exitCode = 1;
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }
}

function mutate(path: string, { name, from: passage, to }: Mutant): void {
  const [before, after, ...more] = readFileSync(path, 'utf8').split(passage);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`The passage of the mutant "${name}" is not once in ${path}.`);
  writeFileSync(path, before + to + after);
}

/** The first seed that shows something in the copy that it does not show here. */
async function firstFound(copy: string): Promise<{ seed: number; rule: string } | null> {
  const child = join(copy, 'test/simulate/children/mutant.ts');
  const started = fork(child, [String(from), String(MUTANT_SEEDS)], { cwd: copy, execArgv: CHILD_FLAGS });
  return new Promise((resolve, reject) => {
    let found: { seed: number; rule: string } | null = null;
    started.on('message', async ({ seed, rules }: { seed: number; rules: string[] }) => {
      if (found || rules.length === 0) return;
      const { findings } = await runHistory(planOf(seed));
      const rule = rules.find((one) => !findings.some((finding) => finding.rule === one));
      if (rule === undefined || found) return;
      found = { seed, rule };
      started.kill();
    });
    started.on('error', reject);
    started.on('exit', () => resolve(found));
  });
}

function runShare(
  index: number,
  width: number,
  hear: (message: SeedReport | { cpuMs: number }) => void,
): Promise<void> {
  const child = fileURLToPath(new URL('../test/simulate/children/seeds.ts', import.meta.url));
  const range = [from + index, width, from + count, Number(values.seconds)].map(String);
  return new Promise((resolve, reject) => {
    const started = fork(child, [...range, only ?? ''], {
      execArgv: CHILD_FLAGS,
    });
    started.on('message', hear);
    started.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`The process ended with ${code}.`)),
    );
  });
}
