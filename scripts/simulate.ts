/**
 * Histories from seeds: `npm run simulate -- --seeds 1000 [--from S] [--only KIND] [--width N]`, and with `--trace` one
 * seed's whole story. Ends with 1 if anything but known mistakes is found.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { SeedReport } from '../test/simulate/children/seeds.ts';
import { runHistory } from '../test/simulate/history.ts';
import { knownAs } from '../test/simulate/known.ts';
import { KINDS, type Kind, planOf } from '../test/simulate/plan.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    only: { type: 'string' },
    width: { type: 'string', default: String(availableParallelism()) },
    /** Ends after so long, however many seeds are left. */
    seconds: { type: 'string', default: '3600' },
    trace: { type: 'boolean', default: false },
  },
});
const only = kindOf(values.only);
const from = Number(values.from);
const count = Number(values.seeds);

if (values.trace) await tell(from);
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
  if (fresh.length > 0) process.exitCode = 1;
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
      execArgv: ['--max-semi-space-size=64', '--import', 'tsx'],
    });
    started.on('message', hear);
    started.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`The process ended with ${code}.`)),
    );
  });
}
