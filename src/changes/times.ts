/**
 * When a change began, and how long ago. The computer's clock may be wrong, and may be set while relay runs. Rows and saved
 * tracks have dates from Spotify's clock; its answers say what time that clock shows.
 */
import type { Call } from '../provider/api.ts';
import type { Change, Period } from '../store/tables/changes.ts';
import type { Clocks, Waiting } from './record.ts';

/**
 * A write whose answer was an error or a cut connection has been seen to take effect up to about 15 s later. Writing its rows
 * again sooner could duplicate them, or overwrite what others wrote in between.
 */
export const LATEST_EFFECT_MS = 20_000;

/** When a change began, by Spotify's clock if its time is known; Unix milliseconds. */
export function beganAt({ provider, store }: Clocks, { serverTime, createdAt }: Change): number {
  if (serverTime !== null) return serverTime;
  const now = provider.serverTime();
  return now === null ? createdAt : createdAt + now - store.now();
}

/**
 * Milliseconds since a change was last at work by the computer's clock, or since it began by Spotify's clock, whichever is less.
 */
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

/** Waits until `changes` have taken effect, and until reads that lag by `lagMs` show them. */
export async function waitForEffects(
  context: Waiting,
  changes: readonly Change[],
  lagMs: number,
  call: Pick<Call, 'signal'>,
): Promise<void> {
  const rests = changes.map((change) => {
    return (change.uncertain || change.inTransit ? LATEST_EFFECT_MS : lagMs) - ageOf(context, change);
  });
  const rest = Math.max(0, ...rests);
  if (rest > 0) await context.clock.sleep(rest, call.signal);
}
