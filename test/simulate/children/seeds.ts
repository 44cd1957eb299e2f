/** Runs a range of seeds in a process of its own and tells its parent what each shows. */
import { runHistory } from '../history.ts';
import { type Kind, planOf } from '../plan.ts';

/** What the parent hears of one seed. */
export interface SeedReport {
  seed: number;
  rules: Array<{ rule: string; text: string }>;
  hash: string;
}

const [from, step, to, seconds, only] = process.argv.slice(2);
const end = process.uptime() + Number(seconds);
const kind = only === '' ? undefined : (only as Kind | undefined);
for (let seed = Number(from); seed < Number(to) && process.uptime() < end; seed += Number(step)) {
  const { findings, hash } = await runHistory(planOf(seed, kind));
  const report: SeedReport = { seed, hash, rules: findings.map(({ rule, text }) => ({ rule, text })) };
  process.send?.(report);
}
const { user, system } = process.cpuUsage();
process.send?.({ cpuMs: (user + system) / 1_000 });
process.disconnect?.();
