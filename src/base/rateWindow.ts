/**
 * Counts per key over the last minute, to slow down guessing and floods. The counts are in memory, so a restart clears them.
 */
import type { Clock } from './clock.ts';

const WINDOW_MS = 60_000;
/** The most keys that are kept, however many addresses ask. Beyond that, the keys counted longest ago are forgotten. */
const MAX_KEYS = 1000;

export interface Window {
  /** Seconds until the key is below the limit again; 0 if it already is. */
  waitSeconds(key: string): number;
  count(key: string): void;
}

export function createWindow(limit: number, clock: Clock): Window {
  const events = new Map<string, number[]>();
  const recent = (key: string) => (events.get(key) ?? []).filter((at) => clock.monotonic() - at < WINDOW_MS);
  return {
    waitSeconds(key) {
      const [oldest = 0] = recent(key).slice(-limit);
      return recent(key).length < limit ? 0 : Math.ceil((oldest + WINDOW_MS - clock.monotonic()) / 1000);
    },
    count(key) {
      const kept = [...recent(key), clock.monotonic()];
      events.delete(key);
      events.set(key, kept);
      for (const [first] of events) {
        if (events.size <= MAX_KEYS) break;
        events.delete(first);
      }
    },
  };
}
