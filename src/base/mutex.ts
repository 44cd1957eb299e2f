/** Mutual exclusion: for each key, one piece of work runs at a time, in the order of the calls. */
import { interruptible } from './abort.ts';

export interface Mutex {
  /**
   * Resolves with the function that releases the key, once it is this caller's turn.
   * @throws the reason of `signal` if it aborts before
   */
  acquire(key: string, signal?: AbortSignal): Promise<() => void>;
  /** Runs `work` in its turn. `signal` ends the wait, not the work. */
  runExclusive<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** True if no work for the key is under way or waits for its turn. */
  isFree(key: string): boolean;
}

export function createMutex(): Mutex {
  const last = new Map<string, Promise<void>>();

  async function acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    const before = last.get(key) ?? Promise.resolve();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const over = before
      .then(() => released)
      .then(() => {
        if (last.get(key) === over) last.delete(key);
      });
    last.set(key, over);
    try {
      await (signal ? interruptible(signal, before) : before);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    acquire,
    async runExclusive(key, work, signal) {
      const release = await acquire(key, signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
    isFree: (key) => !last.has(key),
  };
}
