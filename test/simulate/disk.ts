/**
 * A disk in memory, which survives the program. After a crash, the disk has what was written in steps that had ended. After a
 * power loss, what was not synced is gone.
 */
import { identityOfImage } from '../../src/store/file/fileIdentity.ts';
import type { SaveFs } from '../../src/store/file/save.ts';
import type { StateFile } from '../../src/store/file/stateFile.ts';
import type { VirtualTime } from './time.ts';

/** The content of a file. Its parts never change. */
interface Content {
  parts: readonly Uint8Array[];
  savedAt: number;
}

/** What the disk does to the next saves. */
export interface DiskTrouble {
  /** `ENOSPC`: full; `EROFS`: read-only; `EIO`: a step fails. */
  code: string;
  /** When the trouble ends, in milliseconds of the history. */
  until: number;
}

export class MemoryDisk {
  trouble: DiskTrouble | null = null;
  /** Milliseconds that one step takes. */
  stepMs: () => number = () => 1;
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

  /** Replaces the state with another one, as a restore does. */
  put({ bytes, savedAt }: StateFile): void {
    this.#present = { parts: [bytes], savedAt };
    this.#synced = this.#present;
  }

  /** The disk as one process sees it. @param isAlive whether that process still runs */
  forProcess(isAlive: () => boolean): SaveFs {
    const step = <T>(work: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        this.#time.after(
          this.stepMs(),
          () => {
            // If the program died during a step, the step did not happen.
            if (!isAlive()) return;
            try {
              resolve(work());
            } catch (error) {
              reject(error);
            }
          },
          'computer',
        );
      });
    return {
      prepare: async (home) => {
        this.#temps.clear();
        return `${home}/relay.db`;
      },
      read: () => step(() => this.content),
      identityAt: () => step(() => (this.#present ? identityOf(this.#present) : null)),
      writeSynced: (path, content) =>
        step(() => {
          this.#fail();
          this.#temps.set(path, content instanceof Uint8Array ? [content] : content);
        }),
      rename: (from) =>
        step(() => {
          this.#fail();
          const parts = this.#temps.get(from);
          if (!parts) throw systemError('ENOENT');
          this.#temps.delete(from);
          this.#present = { parts, savedAt: this.#time.wall() };
        }),
      syncDirectory: () =>
        step(() => {
          this.#synced = this.#present;
        }),
      remove: (path) =>
        step(() => {
          this.#temps.delete(path);
        }),
    };
  }

  #fail(): void {
    if (this.trouble && this.#time.at < this.trouble.until) throw systemError(this.trouble.code);
    this.trouble = null;
  }
}

function identityOf({ parts }: Content): string {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return identityOfImage({ length, parts: [parts[0] ?? new Uint8Array(0)] });
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code });
}
