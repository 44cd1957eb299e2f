/**
 * Shortens a plan that breaks a rule, as long as the shorter plan still breaks that rule. It leaves out whole lists, then halves
 * of lists, and so on. Each part of a history draws random numbers of its own from the seed, so the others behave as before when
 * a part is left out.
 */
import { runHistory } from './history.ts';
import type { Plan } from './plan.ts';
import { NO_LAG } from './spotify.ts';

/** @param runs how many histories may be tried */
export async function shrink(plan: Plan, rule: string, runs = 250): Promise<Plan> {
  let left = runs;
  let best = plan;
  const shows = async (candidate: Plan): Promise<boolean> => {
    if (left <= 0) return false;
    left -= 1;
    const { findings } = await runHistory(candidate);
    return findings.some((finding) => finding.rule === rule);
  };
  const tries = async (candidate: Plan): Promise<boolean> => {
    if (!(await shows(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let size = -1; size !== sizeOf(best) && left > 0; ) {
    size = sizeOf(best);
    for (const [get, put] of partsOf(best)) await shorten(get, put, tries, () => best);
    await tries({ ...best, lags: NO_LAG });
    for (const name of ['lists', 'totals', 'versions', 'details', 'mine', 'created'] as const)
      if (best.lags[name] > 0) await tries({ ...best, lags: { ...best.lags, [name]: 0 } });
    if (best.undoesAll) await tries({ ...best, undoesAll: false });
  }
  return best;
}

type Get = (plan: Plan) => readonly unknown[];
type Put = (plan: Plan, items: unknown[]) => Plan;

/** How to get and replace each list of a plan that may become shorter. */
function partsOf(plan: Plan): Array<[Get, Put]> {
  const simple = (['faults', 'person', 'mishaps', 'clients', 'relinked', 'vanished', 'saved'] as const).map(
    (name): [Get, Put] => [(from) => from[name], (from, items) => ({ ...from, [name]: items }) as Plan],
  );
  const acts = plan.clients.map((_, client): [Get, Put] => [
    (from) => from.clients[client]?.acts ?? [],
    (from, items) => ({ ...from, clients: changed(from.clients, client, { acts: items }) }) as Plan,
  ]);
  const rows = plan.lists.map((_, list): [Get, Put] => [
    (from) => from.lists[list]?.rows ?? [],
    (from, items) => ({ ...from, lists: changed(from.lists, list, { rows: items }) }) as Plan,
  ]);
  const tracks = plan.clients.flatMap(({ acts: wishes }, client) =>
    wishes.map((_, act): [Get, Put] => [
      (from) => {
        const wish = from.clients[client]?.acts[act]?.wish;
        return wish && 'tracks' in wish ? wish.tracks : [];
      },
      (from, items) => withTracks(from, client, act, items),
    ]),
  );
  const calls = plan.clients.flatMap(({ acts: wishes }, client) =>
    wishes.flatMap(({ wish }, act) => (wish.do === 'rush' ? callsOf(wish.calls.length, client, act) : [])),
  );
  return [...simple, ...acts, ...calls, ...tracks, ...rows];
}

/** The calls of a rush, and the tracks of each call. */
function callsOf(count: number, client: number, act: number): Array<[Get, Put]> {
  const rushOf = (from: Plan) => {
    const wish = from.clients[client]?.acts[act]?.wish;
    return wish?.do === 'rush' ? wish : null;
  };
  const put = (from: Plan, calls: unknown[]) => withWish(from, client, act, { calls });
  const tracks = Array.from({ length: count }, (_, index): [Get, Put] => [
    (from) => {
      const wish = rushOf(from)?.calls[index]?.wish;
      return wish && 'tracks' in wish ? wish.tracks : [];
    },
    (from, items) => {
      const calls = rushOf(from)?.calls ?? [];
      const wish = calls[index]?.wish;
      return wish && 'tracks' in wish
        ? put(from, changed(calls, index, { wish: { ...wish, tracks: items } }))
        : from;
    },
  ]);
  return [[(from) => rushOf(from)?.calls ?? [], put], ...tracks];
}

function withWish(plan: Plan, client: number, act: number, change: object): Plan {
  const { acts } = plan.clients[client] as Plan['clients'][number];
  const wish = acts[act]?.wish;
  if (!wish) return plan;
  const shorter = changed(acts, act, { wish: { ...wish, ...change } });
  return { ...plan, clients: changed(plan.clients, client, { acts: shorter }) } as Plan;
}

function withTracks(plan: Plan, client: number, act: number, tracks: unknown[]): Plan {
  const wish = plan.clients[client]?.acts[act]?.wish;
  return wish && 'tracks' in wish ? withWish(plan, client, act, { tracks }) : plan;
}

function changed<T>(items: readonly T[], index: number, change: object): T[] {
  return items.map((item, at) => (at === index ? { ...item, ...change } : item));
}

/** Leaves out the whole list, then halves, quarters and so on, as long as the mistake still shows. */
async function shorten(
  get: Get,
  put: Put,
  tries: (plan: Plan) => Promise<boolean>,
  best: () => Plan,
): Promise<void> {
  for (let width = get(best()).length; width >= 1; width = Math.floor(width / 2)) {
    for (let at = 0; at < get(best()).length; ) {
      const items = [...get(best())];
      items.splice(at, width);
      if (!(await tries(put(best(), items)))) at += width;
    }
  }
}

function sizeOf(plan: Plan): number {
  return JSON.stringify(plan).length;
}
