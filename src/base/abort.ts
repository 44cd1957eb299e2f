/** Waiting that ends when somebody gives up, and work that ends when its time is up. */
import type { Clock } from './clock.ts';

/**
 * Rejects with the signal's reason as soon as it aborts; `promise` itself continues.
 * @param mayLeave asked when the signal aborts: false waits for the promise all the same
 */
export function interruptible<T>(
  signal: AbortSignal,
  promise: Promise<T>,
  mayLeave: () => boolean = () => true,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      if (mayLeave()) reject(signal.reason);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** A signal that never aborts, for what must not be left half done. */
export const NEVER: AbortSignal = new AbortController().signal;

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

export interface Deadline {
  clock: Clock;
  ms: number;
  /** Aborts the work too, with its own reason. */
  signal?: AbortSignal;
  /** The reason of an abort because the time is up. */
  late: unknown;
}

/** The reason of a timer that is no longer needed. Without one, each abort makes an error with a stack. */
const OVER = new Error('The work has ended.');

/** Runs `work` with a signal that aborts after `ms`, or as the caller's does. It is up to `work` to end then. */
export async function withDeadline<T>(
  { clock, ms, signal, late }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const timer = new AbortController();
  clock.sleep(ms, timer.signal).then(
    () => deadline.abort(late),
    () => {},
  );
  try {
    return await work(signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal);
  } finally {
    timer.abort(OVER);
  }
}
