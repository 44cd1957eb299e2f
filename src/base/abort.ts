/** Functions to wait until a signal aborts, and to do work with a deadline. */
import { setMaxListeners } from 'node:events';
import type { Clock } from './clock.ts';

/** Rejects with the signal's reason as soon as it aborts; `promise` itself continues. */
export function interruptible<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** A signal that never aborts, for work that must not be left half done. */
export const NEVER: AbortSignal = new AbortController().signal;
// Any number of waits may listen to it.
setMaxListeners(0, NEVER);

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Returns what comes first: the result of `done`, `left` if `signal` aborts, or `late` after `waitMs`. Rejects if `done` rejects
 * first. `done` itself continues.
 */
export async function firstOf<T>(
  clock: Clock,
  done: Promise<T>,
  signal: AbortSignal,
  waitMs: number,
): Promise<T | 'left' | 'late'> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      done,
      aborted(signal).then(() => 'left' as const),
      clock.sleep(waitMs, timer.signal).then(
        () => 'late' as const,
        () => new Promise<never>(() => {}),
      ),
    ]);
  } finally {
    timer.abort();
  }
}

/** Calls `work` after `ms`, unless `signal` aborts before. Resolves after the work, or when the signal aborts. */
export function later(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: () => void | Promise<void>,
): Promise<void> {
  return clock.sleep(ms, signal).then(work, () => {});
}

export interface Deadline {
  clock: Clock;
  ms: number;
  /** A signal of the caller that also aborts the work, with the signal's own reason. */
  signal?: AbortSignal;
  /** The reason when time is up, or a function that creates it: an error is costly to create and rarely needed. */
  late: unknown | (() => unknown);
}

/**
 * Runs `work` with a signal that aborts after `ms`, or when the caller's signal does. `work` must stop when its signal aborts,
 * since nothing else ends it.
 */
export async function withDeadline<T>(
  { clock, ms, signal, late }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const time = new AbortController();
  const timer = new AbortController();
  later(clock, ms, timer.signal, () => time.abort(typeof late === 'function' ? late() : late));
  // Many requests may wait for one signal of the caller, and Node warns at the eleventh listener.
  if (signal) setMaxListeners(0, signal);
  try {
    return await work(signal ? AbortSignal.any([signal, time.signal]) : time.signal);
  } finally {
    // Without a reason Node creates an error, which takes longer than everything else here.
    timer.abort('in time');
  }
}
