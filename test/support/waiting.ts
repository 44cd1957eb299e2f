/** A whole relay on a manual clock, and gates that hold up hooks. */
import { type Random, systemRandom } from '../../src/base/clock.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { type Relay, type RelayOptions, withRelay } from './world.ts';

export { until } from './until.ts';

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

type Work = (relay: Relay, clock: ManualClock) => Promise<void>;

/** Runs `work` with a whole relay whose time only passes when the test says so. */
export async function withClock(options: RelayOptions, work: Work): Promise<void>;
export async function withClock(work: Work): Promise<void>;
export async function withClock(first: RelayOptions | Work, second?: Work): Promise<void> {
  const [options, work] = typeof first === 'function' ? [{}, first] : [first, second];
  const clock = manualClock();
  await withRelay({ clock, random: noJitter, ...options }, async (relay) => work?.(relay, clock));
}
