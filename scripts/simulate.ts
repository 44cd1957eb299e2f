/**
 * Runs histories from seeds: `npm run simulate -- --seeds 1000 [--from S] [--only KIND] [--width N]`. `--trace` prints the
 * whole history of one seed. The exit code is 1 if anything but known mistakes is found, and found again when its seed runs
 * alone. The first findings are printed with their shortest histories. `--engine DIR` runs the `src` of another directory. `--mutants` puts mistakes into the program on
 * purpose, and the exit code is 1 if one of these mistakes is not found.
 */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { SeedReport } from '../test/simulate/children/worker.ts';
import { knownAs } from '../test/simulate/known.ts';
import { MUTANT_SEEDS, MUTANTS } from '../test/simulate/mutants.ts';
import { SUBJECTS, type Subject } from '../test/simulate/subjects.ts';
import { textOf } from './simulate/bundle.ts';
import { createPool, ENDLESS, type Pool } from './simulate/pool.ts';

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
    engine: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    /** With `--mutants`: only those with this text in their name. */
    mutant: { type: 'string', default: '' },
    trace: { type: 'boolean', default: false },
    /** Prints the shortest histories of known mistakes too. */
    known: { type: 'boolean', default: false },
  },
});
const only = kindOf(values.only);
const from = values.from === undefined ? drawn(values.of ?? String(Math.random())) : Number(values.from);
const count = Number(values.seeds);
const width = Number(values.width);
const engine = values.engine === undefined ? {} : { directory: values.engine };
/** For how many new findings to print the shortest history. */
const STORIES = 3;

const pool = await createPool(engine, width);
try {
  if (values.mutants) await runMutants(pool);
  else if (values.trace) await tell(pool);
  else await runAll(pool);
} finally {
  pool.close();
}

function kindOf(name: string | undefined): Subject | undefined {
  const kind = SUBJECTS.find((one) => one === name);
  if (name === undefined || kind) return kind;
  throw new Error(`--only takes one of ${SUBJECTS.join(', ')}`);
}

function drawn(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() >>> 1;
}

async function tell({ tell }: Pool): Promise<void> {
  const { lines, hasFindings } = await tell(from, only);
  console.log(lines.join('\n'));
  if (hasFindings) process.exitCode = 1;
}

async function runAll(pool: Pool): Promise<void> {
  const reports: SeedReport[] = [];
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  console.log(`seeds ${from} to ${from + count - 1}`);
  await pool.run(
    range(from, count),
    only,
    (report) => reports.push(report),
    () => seconds() > Number(values.seconds),
  );
  reports.sort((a, b) => a.seed - b.seed);
  const seedsOf = new Map<string, SeedReport[]>();
  for (const report of reports)
    for (const rule of new Set(report.findings.map((one) => one.rule)))
      seedsOf.set(rule, [...(seedsOf.get(rule) ?? []), report]);
  const found = [...seedsOf].sort(([, a], [, b]) => b.length - a.length);
  for (const [rule, all] of found) {
    const known = knownAs(rule);
    const seeds = all.slice(0, 4).map(({ seed }) => seed);
    console.log(
      `${String(all.length).padStart(6)} ${known ? `known (${known.name})` : 'NEW'}: ${rule}: ${seeds.join(', ')}`,
    );
  }
  const fresh = found.filter(([rule]) => knownAs(rule) === null);
  const hash = createHash('sha256').update(reports.map((report) => report.hash).join());
  console.log(
    [
      `${reports.length} histories in ${seconds().toFixed(1)} s`,
      `${((reports.length / pool.cpuMs()) * 1_000).toFixed(0)} a second of one processor`,
      `hash ${hash.digest('hex').slice(0, 16)}`,
      `${fresh.length} new findings`,
    ].join(', '),
  );
  const told = values.known ? found : fresh.slice(0, STORIES);
  for (const [rule, [report]] of told) if (report) await tellShortest(pool, report, rule);
  for (const [rule, [report]] of fresh)
    if (report && (await comesAgain(pool, report, rule))) process.exitCode = 1;
}

/** Runs a seed alone. A finding that does not come again is the simulator's own, such as something left by another history. */
async function comesAgain(pool: Pool, { seed }: SeedReport, rule: string): Promise<boolean> {
  const again: boolean[] = [];
  await pool.run([seed], only, ({ findings }) => again.push(findings.some((one) => one.rule === rule)));
  console.log(`seed ${seed} alone: ${again[0] ? 'found again' : 'not found again'}: ${rule}`);
  return again[0] ?? false;
}

/** Prints the shortest history that shows the same finding. */
async function tellShortest(pool: Pool, { seed, findings }: SeedReport, rule: string): Promise<void> {
  const again = `npm run simulate -- --from ${seed} --seeds 1 --trace${only ? ` --only ${only}` : ''}`;
  console.log(`\n${rule}\nseed ${seed}; again: ${again}`);
  console.log(findings.map(({ text }) => text).join('\n'));
  if (rule.startsWith(ENDLESS)) return;
  const { plan, story } = await pool.shorten(seed, only, rule);
  console.log([`made shorter: ${JSON.stringify(plan)}`, ...story].join('\n'));
}

async function runMutants(unchanged: Pool): Promise<void> {
  const chosen = MUTANTS.filter(({ name }) => name.includes(values.mutant));
  // Ends here if the passage of one of them is lost, and not after hours.
  for (const mutant of chosen) textOf(mutant, values.engine);
  for (const mutant of chosen) {
    const subject = mutant.only ?? only;
    const first = Math.max(from, mutant.firstSeed ?? from);
    const found = await firstFound(unchanged, await createPool({ ...engine, mutant }, width), subject, {
      first,
      count: mutant.within ?? MUTANT_SEEDS,
    });
    console.log(
      `| ${mutant.name} | ${found ? `${found.seed - first + 1} | ${found.rule}` : 'NOT FOUND |'} |`,
    );
    if (!found) process.exitCode = 1;
  }
}

/** Returns the first seed that leads to a finding in the changed program, but not in the unchanged one. */
async function firstFound(
  unchanged: Pool,
  mutated: Pool,
  subject: Subject | undefined,
  { first, count }: { first: number; count: number },
): Promise<{ seed: number; rule: string } | undefined> {
  const suspects: SeedReport[] = [];
  const found: Array<{ seed: number; rule: string }> = [];
  try {
    for (let at = 0; at < count && found.length === 0; at += width * 40) {
      const seeds = range(first + at, Math.min(width * 40, count - at));
      await mutated.run(seeds, subject, (report) => report.findings.length > 0 && suspects.push(report));
      const compared = new Map(suspects.splice(0).map((report) => [report.seed, report]));
      await unchanged.run([...compared.keys()], subject, ({ seed, findings }) => {
        const news = compared.get(seed)?.findings ?? [];
        const rule = news.find(
          (one) => knownAs(one.rule) === null && !findings.some((known) => known.rule === one.rule),
        )?.rule;
        if (rule !== undefined) found.push({ seed, rule });
      });
    }
  } finally {
    mutated.close();
  }
  return found.sort((a, b) => a.seed - b.seed)[0];
}

function range(begin: number, length: number): number[] {
  return Array.from({ length }, (_, index) => begin + index);
}
