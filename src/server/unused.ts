/** Notices when a server that an AI client started is no longer needed. */
import type { Clock } from '../base/clock.ts';

/** How long such a server stays after its last use, in milliseconds. */
const UNUSED_MS = 10 * 60_000;
/** How often to look, in milliseconds, while clients are connected or work is under way. */
const LOOK_AGAIN_MS = 10_000;

export interface Use {
  note(): void;
  /** Resolves when there has been no request for ten minutes and nobody is there; also when `signal` aborts. */
  over(isNeeded: () => boolean, signal: AbortSignal): Promise<void>;
}

export function createUse(clock: Clock): Use {
  let last = clock.monotonic();
  const note = () => {
    last = clock.monotonic();
  };
  return {
    note,
    async over(isNeeded, signal) {
      while (!signal.aborted) {
        if (isNeeded()) note();
        const left = last + UNUSED_MS - clock.monotonic();
        if (left <= 0) return;
        await clock.sleep(Math.min(left, LOOK_AGAIN_MS), signal).catch(() => {});
      }
    },
  };
}
