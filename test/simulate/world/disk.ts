/**
 * A disk in memory, which survives the program. After a crash, the disk has what was written in steps that had ended. After a
 * power loss, what was not synced is gone.
 */
import { identityOfImage } from '../../../src/store/file/fileIdentity.ts';
import type { SaveFs } from '../../../src/store/file/save.ts';
import type { StateFile } from '../../../src/store/file/stateFile.ts';
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
  #temps = new Map<string, readonly Uint8Array[]>();
  #present: Content | null = null;
  /** What a power loss would leave. */
  #synced: Content | null = null;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** A copy of the state's file; null if there is none. */
  get content(): StateFile | null {
    if (!this.#present) return null;
    const { parts, savedAt } = this.#present;
    return { bytes: new Uint8Array(Buffer.concat(parts)), savedAt };
  }

  /** The power fails: what was renamed and not synced since is gone. */
  losePower(): void {
    this.#present = this.#synced;
    this.#temps.clear();
  }

  /** Puts a state on the empty disk. */
  put({ bytes, savedAt }: StateFile): void {
    this.#present = { parts: [bytes], savedAt };
    this.#synced = this.#present;
  }

  /** The disk as one process sees it. @param isAlive whether that process still runs */
  forProcess(isAlive: () => boolean): SaveFs {
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
      prepare: async (home) => {
        this.#temps.clear();
        return `${home}/relay.db`;
      },
      read: () => step(() => this.content),
      identityAt: () => step(() => (this.#present ? identityOf(this.#present) : null)),
      writeSynced: (path, content) =>
        step(() => {
          requireRoom();
          this.#temps.set(path, content instanceof Uint8Array ? [content] : content);
        }),
      rename: (from) =>
        step(() => {
          requireRoom();
          const parts = this.#temps.get(from);
          if (!parts) throw systemError('ENOENT');
          this.#temps.delete(from);
          this.#present = { parts, savedAt: this.#time.wall() };
        }),
      syncDirectory: () =>
        step(() => {
          this.#synced = this.#present;
        }),
      remove: (path) => step(() => void this.#temps.delete(path)),
    };
  }
}

function identityOf({ parts }: Content): string {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return identityOfImage({ length, parts: [parts[0] ?? new Uint8Array(0)] });
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code });
}
