/**
 * A disk in memory, which survives the program. After a crash, the disk has what was written in steps that had ended. After a
 * power loss, what was not synced is gone.
 */
import type { Disk, FileContent } from '../../../src/store/disk.ts';
import type { VirtualTime } from './time.ts';

/** The content of a file. Its parts never change. */
interface Content {
  parts: readonly Uint8Array[];
  savedAt: number;
}

/** Milliseconds that one step takes. */
const STEP_MS = 1;

export class MemoryDisk {
  /** Until when the disk is full, in milliseconds of the history. */
  fullUntil = 0;
  #time: VirtualTime;
  #files = new Map<string, Content>();
  #temps = new Map<string, Content>();
  /** What a power loss would leave. */
  #synced = new Map<string, Content>();

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** A copy of the file whose path ends like this; null if there is none. */
  content(end: string): FileContent | null {
    for (const [path, { parts, savedAt }] of this.#files)
      if (path.endsWith(end)) return { bytes: new Uint8Array(Buffer.concat(parts)), savedAt };
    return null;
  }

  /** The power fails: what was renamed and not synced since is gone. */
  losePower(): void {
    this.#files = new Map(this.#synced);
    this.#temps.clear();
  }

  /** The disk as one process sees it. @param isAlive whether that process still runs */
  forProcess(isAlive: () => boolean): Disk {
    const step = <T>(work: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        const done = () => {
          // If the program died during a step, the step did not happen.
          if (!isAlive()) return;
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
        };
        this.#time.after(STEP_MS, done, 'computer');
      });
    const requireRoom = () => {
      if (this.#time.at < this.fullUntil) throw systemError('ENOSPC');
    };
    return {
      prepare: async (path) => {
        for (const temp of this.#temps.keys()) if (temp.startsWith(`${path}.`)) this.#temps.delete(temp);
        return path;
      },
      read: (path) => step(() => this.content(path)),
      markOf: async (path) => this.#files.get(path)?.savedAt.toString() ?? null,
      writeSynced: (path, content) => {
        const parts = content instanceof Uint8Array ? [content] : [...content];
        return step(() => {
          requireRoom();
          this.#temps.set(path, { parts, savedAt: 0 });
        });
      },
      rename: (from, to) =>
        step(() => {
          requireRoom();
          const content = this.#temps.get(from) ?? this.#files.get(from);
          if (!content) throw systemError('ENOENT');
          this.#temps.delete(from);
          this.#files.delete(from);
          this.#files.set(to, { ...content, savedAt: this.#time.wall() });
        }),
      syncDirectory: () =>
        step(() => {
          this.#synced = new Map(this.#files);
        }),
      remove: (path) =>
        step(() => {
          this.#temps.delete(path);
          this.#files.delete(path);
        }),
    };
  }
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code });
}
