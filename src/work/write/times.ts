/** How long ago a work was at work, and waiting until its requests have certainly had their effect. */
import type { Call } from '../../provider/api.ts';
import { type OwnWrite, REMEMBER_MS } from '../../provider/resources/playlistRows.ts';
import { getBody, type Work, writesSince } from '../../store/tables/works.ts';
import type { Clocks, Waiting } from '../moves.ts';
import { planOf } from './progress.ts';
import { statesUntil, writesRows } from './states.ts';

/** A write whose answer was lost has been seen to take effect up to about 15 s later. */
export const LATEST_EFFECT_MS = 20_000;

/** The time by the clock that says less: a computer's clock may be ahead by months. */
export function soberNow({ provider, store }: Clocks): number {
  return Math.min(store.now(), provider.serverTime() ?? Number.POSITIVE_INFINITY);
}

/** Milliseconds since a work was last at work. */
export function ageOf(context: Clocks, { updatedAt }: Work): number {
  return Math.max(0, soberNow(context) - updatedAt);
}

/** The writes to a playlist, or to the library (null), of the last `ms` milliseconds, newest first. */
export function writesWithin(context: Clocks, playlistId: string | null, ms: number): Work[] {
  return writesSince(context.store, playlistId, soberNow(context) - ms);
}

/** Waits until requests of `works` whose answers were lost can no longer take effect. */
export async function waitForEffects(
  context: Waiting,
  works: readonly Work[],
  call: Pick<Call, 'signal'>,
): Promise<void> {
  const open = works.filter((work) => work.uncertain || work.sending);
  const rest = Math.max(0, ...open.map((work) => LATEST_EFFECT_MS - ageOf(context, work)));
  if (rest > 0) await context.clock.sleep(rest, call.signal);
}

/** Waits until earlier writes to a playlist whose answers were lost can no longer take effect. */
export async function settleTarget(
  context: Waiting,
  playlistId: string,
  call: Pick<Call, 'signal'>,
): Promise<void> {
  await waitForEffects(context, writesWithin(context, playlistId, LATEST_EFFECT_MS), call);
}

/** relay's own writes to the rows of a playlist within the last minute, oldest first: a list may still show what was there before. */
export function ownWritesTo(context: Clocks, playlistId: string): OwnWrite[] {
  const recent = writesWithin(context, playlistId, REMEMBER_MS).toReversed();
  return recent.flatMap((work) => {
    const plan = planOf(getBody(context.store, work.seq));
    const isWritten = work.step > 0 && plan.ops.slice(0, work.step).some(writesRows);
    return isWritten ? [{ states: statesUntil(plan, work.step), ageMs: ageOf(context, work) }] : [];
  });
}
