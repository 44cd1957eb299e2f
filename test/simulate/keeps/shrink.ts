/** Shortens a plan of kept playlists, as long as its history still shows a finding of the same rule. */
import { NO_LAG } from '../spotify.ts';
import { runKeepHistory } from './history.ts';
import type { KeepPlan } from './plan.ts';

/** @param runs how many histories may be tried */
export async function shrinkKeeps(plan: KeepPlan, rule: string, runs = 100): Promise<KeepPlan> {
  let left = runs;
  let best = plan;
  const tries = async (candidate: KeepPlan): Promise<boolean> => {
    if (left <= 0) return false;
    left -= 1;
    const { findings } = await runKeepHistory(candidate);
    if (!findings.some((finding) => finding.rule === rule)) return false;
    best = candidate;
    return true;
  };
  /** Tries to leave out the whole list, then each half, each quarter and so on. */
  const thin = async <T>(
    get: (from: KeepPlan) => readonly T[],
    put: (from: KeepPlan, items: T[]) => KeepPlan,
  ) => {
    for (let width = get(best).length; width >= 1; width = Math.floor(width / 2)) {
      for (let at = 0; at < get(best).length; ) {
        const items = [...get(best)];
        items.splice(at, width);
        if (!(await tries(put(best, items)))) at += width;
      }
    }
  };
  await thin(
    ({ events }) => events,
    (from, events) => ({ ...from, events }),
  );
  await tries({ ...best, lags: NO_LAG });
  await tries({ ...best, latency: [5, 20] });
  for (const [index] of plan.lists.entries()) {
    await thin(
      ({ lists }) => lists[index]?.rows ?? [],
      (from, rows) => ({
        ...from,
        lists: from.lists.map((list, at) => (at === index ? { ...list, rows } : list)),
      }),
    );
  }
  return best;
}
