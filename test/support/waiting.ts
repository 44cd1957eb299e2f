/** A manual clock that counts the sleeps in progress by their length, and gates that hold up hooks. */
import { type Random, systemRandom } from '../../src/base/clock.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { until } from './until.ts';
import { type Relay, type RelayOptions, withRelay } from './world.ts';

export { until } from './until.ts';

export interface WatchedClock extends ManualClock {
  /** Number of sleeps of exactly `ms` in progress. */
  waiting(ms: number): number;
  /** Waits until there is a sleep of exactly `ms`, then lets that time pass. */
  pass(ms: number): Promise<void>;
}

export function watchedClock(): WatchedClock {
  const clock = manualClock();
  const counts = new Map<number, number>();
  const add = (ms: number, by: number) => counts.set(ms, (counts.get(ms) ?? 0) + by);
  const waiting = (ms: number) => counts.get(ms) ?? 0;
  return {
    now: clock.now,
    monotonic: clock.monotonic,
    advance: clock.advance,
    setWall: clock.setWall,
    get sleeping() {
      return clock.sleeping;
    },
    get asked() {
      return clock.asked;
    },
    sleep(ms, signal) {
      add(ms, 1);
      return clock.sleep(ms, signal).finally(() => add(ms, -1));
    },
    waiting,
    async pass(ms) {
      await until(() => waiting(ms) > 0);
      clock.advance(ms);
    },
  };
}

/** A gate for hooks: `wait` resolves once `open` is called. */
export function gate(): { wait: () => Promise<void>; open: () => void; readonly waiting: number } {
  let isOpen = false;
  const waiters: Array<() => void> = [];
  return {
    wait: () => (isOpen ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
    open() {
      isOpen = true;
      for (const resolve of waiters.splice(0)) resolve();
    },
    get waiting() {
      return waiters.length;
    },
  };
}

/** Without jitter, the waits before the second and third try of a read are 125 and 250 ms. */
const noJitter: Random = { ...systemRandom, fraction: () => 0 };

type Work = (relay: Relay, clock: WatchedClock) => Promise<void>;

/** Runs `work` with a whole relay whose time only passes when the test says so. */
export async function withClock(options: RelayOptions, work: Work): Promise<void>;
export async function withClock(work: Work): Promise<void>;
export async function withClock(first: RelayOptions | Work, second?: Work): Promise<void> {
  const [options, work] = typeof first === 'function' ? [{}, first] : [first, second];
  const clock = watchedClock();
  await withRelay({ clock, random: noJitter, ...options }, async (relay) => work?.(relay, clock));
}
