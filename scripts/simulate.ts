/**
 * Plays histories from seeds: `npm run simulate -- --seeds 1000 [--from S] [--only SUBJECT] [--width N]`. `--seed N` prints the
 * shortest history that shows what this seed shows; with `--whole`, all of its history. `--engine DIR` takes the `src` of another
 * directory. `--mutants` makes mistakes in the program on purpose. The exit code is 1 if findings are more frequent than
 * test/simulate/README.md allows, or if a mistake made on purpose is not found.
 */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { SeedReport } from '../test/simulate/children/worker.ts';
import { MUTANT_SEEDS, MUTANTS } from '../test/simulate/mutants.ts';
import type { Finding } from '../test/simulate/oracle.ts';
import { SUBJECTS, type SubjectOfRun } from '../test/simulate/runs.ts';
import { textOf } from './simulate/bundle.ts';
import { createPool, type Pool } from './simulate/pool.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string' },
    /** Derives the first seed from a text, such as a commit hash. */
    of: { type: 'string' },
    only: { type: 'string' },
    width: { type: 'string', default: String(availableParallelism()) },
    /** Time limit, even if seeds are left. */
    seconds: { type: 'string', default: '3600' },
    /** The seed whose history is printed. */
    seed: { type: 'string' },
    whole: { type: 'boolean', default: false },
    engine: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    /** With `--mutants`: only those with this text in their name. */
    mutant: { type: 'string', default: '' },
  },
});
const only = subjectOf(values.only);
const from =
  values.from === undefined
    ? drawn(values.of ?? (values.mutants ? null : Math.random()))
    : Number(values.from);
const width = Number(values.width);
const engine = values.engine === undefined ? {} : { directory: values.engine };

/** How many findings of a kind are allowed: one in so many histories, and some more in a short run. */
const ALLOWED: Record<Finding['kind'], { oneIn: number; some: number }> = {
  rows: { oneIn: 50_000, some: 2 },
  end: { oneIn: 50_000, some: 2 },
  review: { oneIn: 1_000, some: 1 },
  refusal: { oneIn: 1_000, some: 1 },
};

const pool = await createPool(engine, width);
try {
  if (values.mutants) await runMutants();
  else if (values.seed !== undefined)
    console.log((await pool.tell(Number(values.seed), only, !values.whole)).join('\n'));
  else await runAll();
} finally {
  pool.close();
}

function subjectOf(name: string | undefined): SubjectOfRun | undefined {
  const subject = SUBJECTS.find((one) => one === name);
  if (name === undefined || subject) return subject;
  throw new Error(`--only takes one of ${SUBJECTS.join(', ')}`);
}

function drawn(text: string | number | null): number {
  return text === null ? 1 : createHash('sha256').update(String(text)).digest().readUInt32BE() >>> 1;
}

async function runAll(): Promise<void> {
  const reports: SeedReport[] = [];
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  const seeds = range(from, Number(values.seeds));
  const isEnough = () => seconds() > Number(values.seconds);
  await pool.run(seeds, only, (report) => reports.push(report), isEnough);
  const took = seconds();
  console.log(
    `${reports.length} histories from seed ${from}, ${(reports.length / took).toFixed(0)} a second, in ${took.toFixed(0)} s`,
  );
  const found = reports.flatMap(({ seed, findings }) =>
    findings.slice(0, 1).map((one) => ({ seed, ...one })),
  );
  for (const [kind, { oneIn, some }] of Object.entries(ALLOWED)) {
    const count = found.filter((one) => one.kind === kind).length;
    const isTooMany = count > Math.max(some, reports.length / oneIn);
    if (isTooMany) process.exitCode = 1;
    const rate = count === 0 ? '0' : `1 of ${Math.round(reports.length / count)}`;
    console.log(`${kind.padEnd(8)} ${count}: ${rate}${isTooMany ? `, more than 1 of ${oneIn}` : ''}`);
  }
  for (const { seed, kind, rule } of found.sort((a, b) => a.rule.localeCompare(b.rule)))
    console.log(
      `${kind}: ${rule}: npm run simulate -- --seed ${seed}${only === undefined ? '' : ` --only ${only}`}`,
    );
}

async function runMutants(): Promise<void> {
  const chosen = MUTANTS.filter(({ name }) => name.includes(values.mutant));
  // Ends here if the passage of one of them is lost, and not after a while.
  for (const mutant of chosen) textOf(mutant, values.engine);
  for (const mutant of chosen) {
    const mutated = await createPool({ ...engine, mutant }, width);
    const found = await firstFound(mutated, mutant.only ?? only).finally(() => mutated.close());
    console.log(`| ${mutant.name} | ${found ? `${found.seed} | ${found.rule}` : 'NOT FOUND |'} |`);
    if (!found) process.exitCode = 1;
  }
}

/** Returns the first seed that leads to a finding in the changed program, but not in the unchanged one. */
async function firstFound(
  mutated: Pool,
  subject: SubjectOfRun | undefined,
): Promise<{ seed: number; rule: string } | undefined> {
  for (let at = 0; at < MUTANT_SEEDS; at += width * 40) {
    const suspects = new Map<number, string>();
    await mutated.run(
      range(from + at, Math.min(width * 40, MUTANT_SEEDS - at)),
      subject,
      ({ seed, findings }) => {
        if (findings[0]) suspects.set(seed, findings[0].rule);
      },
    );
    await pool.run([...suspects.keys()], subject, ({ seed, findings }) => {
      if (findings.length > 0) suspects.delete(seed);
    });
    const [first] = [...suspects].sort(([a], [b]) => a - b);
    if (first) return { seed: first[0], rule: first[1] };
  }
  return undefined;
}

function range(begin: number, length: number): number[] {
  return Array.from({ length }, (_, index) => begin + index);
}
