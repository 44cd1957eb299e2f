/** Bounded rooms: maps whose entries expire. A full room drops its own oldest entry, never one of another room. */
import type { Clock } from '../../base/clock.ts';

export interface Room<T> {
  /** The value of a key; null if there never was one, or it has expired, was taken or was dropped. */
  get(key: string): T | null;
  /** Removes an entry and returns its value; null as with `get`. */
  take(key: string): T | null;
  put(key: string, value: T): void;
  values(): Iterable<T>;
  /** The keys, oldest first. */
  keys(): Iterable<string>;
}

/** @param lifetimeMs how long an entry stays after its `put`, unless a full room drops it */
export function createRoom<T>(capacity: number, lifetimeMs: number, clock: Clock): Room<T> {
  const entries = new Map<string, { value: T; expiresAt: number }>();
  const get = (key: string): T | null => {
    const entry = entries.get(key);
    return entry && entry.expiresAt > clock.monotonic() ? entry.value : null;
  };
  return {
    get,
    take(key) {
      const value = get(key);
      entries.delete(key);
      return value;
    },
    put(key, value) {
      // A map keeps insertion order, so the first entries are the oldest.
      for (const [oldest, { expiresAt }] of entries) {
        if (expiresAt > clock.monotonic() && entries.size < capacity) break;
        entries.delete(oldest);
      }
      entries.set(key, { value, expiresAt: clock.monotonic() + lifetimeMs });
    },
    *keys() {
      for (const [key, { expiresAt }] of entries) if (expiresAt > clock.monotonic()) yield key;
    },
    *values() {
      for (const { value, expiresAt } of entries.values()) if (expiresAt > clock.monotonic()) yield value;
    },
  };
}
