/** A clock that moves only when a test says so. */
import type { Clock } from '../../src/base/clock.ts';
import { until } from './until.ts';

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
  /** Number of sleeps of exactly `ms` in progress. */
  waiting(ms: number): number;
  /** Waits until there is a sleep of exactly `ms`, then lets that time pass. */
  pass(ms: number): Promise<void>;
}

export function manualClock(start = Date.UTC(2026, 10, 20, 12)): ManualClock {
  let now = start;
  let passed = 0;
  const sleepers = new Set<{ ms: number; until: number; wake: () => void }>();
  const waiting = (ms: number) => [...sleepers].filter((sleeper) => sleeper.ms === ms).length;
  const advance = (ms: number) => {
    now += ms;
    passed += ms;
    const due = [...sleepers].filter((one) => one.until <= passed).sort((a, b) => a.until - b.until);
    for (const sleeper of due) sleeper.wake();
  };
  return {
    now: () => now,
    monotonic: () => passed,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (ms <= 0) return resolve();
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', stop);
          resolve();
        };
        const sleeper = { ms, until: passed + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      });
    },
    advance,
    setWall(ms) {
      now = ms;
    },
    get sleeping() {
      return sleepers.size;
    },
    get asked() {
      return [...sleepers].map(({ ms }) => ms);
    },
    waiting,
    async pass(ms) {
      await until(() => waiting(ms) > 0);
      advance(ms);
    },
  };
}
