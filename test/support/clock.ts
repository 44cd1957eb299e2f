/** A clock that moves only when a test says so. */
import type { Clock } from '../../src/base/clock.ts';

/** In milliseconds. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export interface ManualClock extends Clock {
  /** Advances the wall clock and the monotonic clock, and ends the sleeps whose time has passed. */
  advance(ms: number): void;
  /** Sets only `now()`, in Unix milliseconds, like somebody who sets the computer's clock. */
  setWall(ms: number): void;
  /** Number of sleeps in progress. */
  readonly sleeping: number;
  /** For each sleep in progress, the milliseconds that it was asked to last. */
  readonly asked: readonly number[];
}

export function manualClock(start = Date.UTC(2026, 10, 20, 12)): ManualClock {
  let now = start;
  let passed = 0;
  const sleepers = new Set<{ ms: number; until: number; wake: () => void }>();
  return {
    now: () => now,
    monotonic: () => passed,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper = {
          ms,
          until: passed + ms,
          wake: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', stop);
            resolve();
          },
        };
        if (ms <= 0) return resolve();
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      });
    },
    advance(ms) {
      now += ms;
      passed += ms;
      const due = [...sleepers]
        .filter((sleeper) => sleeper.until <= passed)
        .sort((a, b) => a.until - b.until);
      for (const sleeper of due) sleeper.wake();
    },
    setWall(ms) {
      now = ms;
    },
    get sleeping() {
      return sleepers.size;
    },
    get asked() {
      return [...sleepers].map(({ ms }) => ms);
    },
  };
}
