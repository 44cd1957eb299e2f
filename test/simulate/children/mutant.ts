/** Runs seeds of one copy of the program, and tells its parent the rules of each that finds anything. */
import { runHistory } from '../history.ts';
import { planOf } from '../plan.ts';

const [from, count] = process.argv.slice(2).map(Number) as [number, number];
for (let seed = from; seed < from + count; seed++) {
  const { findings } = await runHistory(planOf(seed));
  process.send?.({ seed, rules: [...new Set(findings.map(({ rule }) => rule))] });
}
process.disconnect?.();
