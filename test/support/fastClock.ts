/**
 * A clock that several processes share and whose time runs faster: at a factor of 20, a wait of 14 s takes 0.7 s. It is for
 * tests that start the program as a process of its own; within one process, use `jumpingClock`.
 */
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '../../src/base/clock.ts';

interface FastClock extends Clock {
  readonly factor: number;
  /** Milliseconds that never go back, whatever `shift` does. */
  monotonic(): number;
  /** Sets the time of day forward or, with a negative number, back. Waits are not affected. */
  shift(ms: number): void;
}

export interface SharedFastClock extends FastClock {
  /** Environment that gives a process the same time, however often it is started. */
  readonly env: Readonly<Record<string, string>>;
}

const PRELOAD = fileURLToPath(new URL('./fastTime.cjs', import.meta.url));

export function sharedFastClock(factor = 20): SharedFastClock {
  const begin = Date.now();
  const since = sinceBoot();
  let shifted = 0;
  const passed = () => (sinceBoot() - since) * factor;
  return {
    factor,
    now: () => Math.floor(begin + passed() + shifted),
    monotonic: passed,
    async sleep(ms, signal) {
      const end = passed() + ms;
      do await systemClock.sleep((end - passed()) / factor, signal);
      while (passed() < end);
    },
    shift(ms) {
      shifted += ms;
    },
    env: {
      NODE_OPTIONS: `--require=${JSON.stringify(PRELOAD)}`,
      FAST_TIME_FACTOR: String(factor),
      FAST_TIME_BEGIN: String(begin),
      FAST_TIME_SINCE: String(since),
    },
  };
}

/** Real milliseconds since the computer started, the same in all processes. The wall clock may jump while tests run. */
const sinceBoot = () => Number(process.hrtime.bigint()) / 1e6;
