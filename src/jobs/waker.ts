/** Sleeping until a time or until somebody has work, whichever comes first. */
import type { Clock } from '../base/clock.ts';

/** A timer stands still while the computer is suspended, the time of day does not: so it is looked at again after this. */
const LONGEST_SLEEP_MS = 10 * 60_000;

export interface Waker {
  /** Ends every sleep that is under way. */
  wake(): void;
  /** Sleeps until `at` (Unix milliseconds; null: until woken), or a while if that is far off. */
  sleepUntil(at: number | null): Promise<void>;
}

export function createWaker(clock: Clock): Waker {
  const sleepers = new Set<AbortController>();
  return {
    wake() {
      for (const sleeper of sleepers) sleeper.abort();
    },
    async sleepUntil(at) {
      const sleeper = new AbortController();
      sleepers.add(sleeper);
      const woken = new Promise<void>((resolve) => {
        sleeper.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      const ms = at === null ? null : Math.max(0, Math.min(at - clock.now(), LONGEST_SLEEP_MS));
      await (ms === null ? woken : clock.sleep(ms, sleeper.signal).catch(() => {}));
      sleepers.delete(sleeper);
    },
  };
}
