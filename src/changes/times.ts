/** How long ago a change was at work, and waiting until its requests have certainly had their effect. */
import type { Call } from '../provider/api.ts';
import { type OwnWrite, REMEMBER_MS } from '../provider/resources/playlistRows.ts';
import { type Change, changesSince, getChangeBody, type Period } from '../store/tables/changes.ts';
import type { Clocks, Waiting } from './record.ts';
import { statesUntil, writesRows } from './rowOps.ts';
import { planOf } from './run.ts';

/** A write whose answer was lost has been seen to take effect up to about 15 s later. */
export const LATEST_EFFECT_MS = 20_000;

/** Milliseconds since a change was last at work, by the clock that says less. */
export function ageOf({ provider, store }: Clocks, { serverTime, updatedAt }: Change): number {
  const age = store.now() - updatedAt;
  const now = provider.serverTime();
  return Math.max(0, now === null || serverTime === null ? age : Math.min(age, now - serverTime));
}

/** The period of the last `ms` milliseconds, by relay's clock and by Spotify's. */
export function withinLast({ provider, store }: Clocks, ms: number): Period {
  const now = provider.serverTime();
  return { updatedSince: store.now() - ms, begunSince: now === null ? null : now - ms };
}

/** Waits until requests of `changes` whose answers were lost can no longer take effect. */
export async function waitForEffects(
  context: Waiting,
  changes: readonly Change[],
  call: Pick<Call, 'signal'>,
): Promise<void> {
  const open = changes.filter((change) => change.uncertain || change.inTransit);
  const rest = Math.max(0, ...open.map((change) => LATEST_EFFECT_MS - ageOf(context, change)));
  if (rest > 0) await context.clock.sleep(rest, call.signal);
}

/** relay's own writes to the rows of a playlist within the last minute, oldest first: a list may still show what was there before. */
export function ownWritesTo(context: Clocks, playlistId: string): OwnWrite[] {
  const recent = changesSince(context.store, playlistId, withinLast(context, REMEMBER_MS)).toReversed();
  return recent.flatMap((change) => {
    const plan = planOf(getChangeBody(context.store, change.seq));
    const isWritten = change.op > 0 && plan.ops.slice(0, change.op).some(writesRows);
    return isWritten ? [{ states: statesUntil(plan, change.op), ageMs: ageOf(context, change) }] : [];
  });
}
