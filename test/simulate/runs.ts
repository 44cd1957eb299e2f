/** Plays a seed of any subject, and finds a shorter history that shows the same. */
import { type History, runHistory } from './history.ts';
import { runKeepHistory } from './keeps.ts';
import { type Plan, planOf, type Subject } from './plan.ts';

/** `keeps` are days in which playlists are kept; the other subjects are minutes of writing. */
export const SUBJECTS = ['alone', 'person', 'keeps'] as const satisfies ReadonlyArray<Subject | 'keeps'>;
export type SubjectOfRun = (typeof SUBJECTS)[number];

/** @param only the subject; by default `alone` or `person`, by the seed */
export function runSeed(seed: number, only: SubjectOfRun | undefined, keepsLines = false): Promise<History> {
  return only === 'keeps' ? runKeepHistory(seed, keepsLines) : runHistory(planOf(seed, only), keepsLines);
}

/** Number of histories that are tried to find a shorter one. */
const TRIES = 200;

/** The lines of a seed's history, or of the shortest one that was found for its first finding. */
export async function shortened(
  seed: number,
  only: SubjectOfRun | undefined,
  isShort: boolean,
): Promise<string[]> {
  const whole = await runSeed(seed, only, true);
  const [first] = whole.findings;
  if (!isShort || !first || only === 'keeps') return whole.lines;
  let best = planOf(seed, only);
  let left = TRIES;
  const tries = async (plan: Plan) => {
    if (left-- <= 0) return false;
    const { findings } = await runHistory(plan);
    if (!findings.some(({ rule }) => rule === first.rule)) return false;
    best = plan;
    return true;
  };
  for (let size = -1; size !== JSON.stringify(best).length && left > 0; ) {
    size = JSON.stringify(best).length;
    for (const name of ['mishaps', 'faults', 'asks', 'saved', 'rows'] as const)
      await shorten<unknown>(best[name], (items) => tries({ ...best, [name]: items } as Plan));
    for (const [index, ask] of best.asks.entries()) {
      const put = (change: object) =>
        tries({ ...best, asks: best.asks.with(index, { ...ask, ...change } as typeof ask) });
      if ('tracks' in ask) await shorten(ask.tracks, (tracks) => put({ tracks }));
      if (ask.before) await put({ before: null });
      if (ask.during) await put({ during: null });
      if (ask.leaves !== null) await put({ leaves: null });
    }
    if (best.lag > 0) await tries({ ...best, lag: 0 });
  }
  const { lines } = await runHistory(best, true);
  return [`made shorter: ${JSON.stringify(best)}`, ...lines];
}

/** Leaves out the whole list, then halves, quarters and so on, as long as `tries` returns true. */
async function shorten<T>(all: readonly T[], tries: (items: T[]) => Promise<boolean>): Promise<void> {
  let items = [...all];
  for (let width = items.length; width >= 1; width = Math.floor(width / 2))
    for (let at = 0; at < items.length; ) {
      const fewer = items.toSpliced(at, width);
      if (await tries(fewer)) items = fewer;
      else at += width;
    }
}
