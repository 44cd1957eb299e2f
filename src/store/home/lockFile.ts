/** What the lock file says: which process holds the home. */
import { join } from 'node:path';
import { readRegularFileSync } from '../../base/filesSync.ts';
import { readJson } from '../../base/parsing.ts';
import { nullIfMissing } from '../../domain/errors.ts';
import { isPid, isRunning } from './processes.ts';

export interface Holder {
  pid: number;
  /** Tells the process from a later one with the same pid; made by `ownStart`. */
  start: string;
  /** Differs for every attempt to lock the home. */
  nonce: string;
  /** What the holder does with the home, for a person. */
  purpose: string;
}

/** The purposes of commands that soon write `server.json`. */
export const SERVING: readonly string[] = ['relay serve', 'relay stdio'];

/** True for a server that `relay stdio` started. It ends when nobody has used it for a while, and makes room for `relay serve`. */
export function isStartedByClient(holder: Holder | null): boolean {
  return holder?.purpose === 'relay stdio';
}

/** Returns a sentence for a message about a server that an AI client started, which no person knows of; '' for other holders. */
export function startedBy(holder: Holder | null): string {
  return isStartedByClient(holder)
    ? ' An AI client started it: it ends ten minutes after its last client, when no job is left.'
    : '';
}

/** The purpose of a command that needs the state only for a moment. */
export const SHORT_COMMAND = 'a relay command';

/** How long to wait before the files of another process are read again. */
export const LOOK_AGAIN_MS = 50;

/** Maximum size of a lock file, which has some 150 bytes. */
const MAX_BYTES = 64 * 1024;

export function lockPath(home: string): string {
  return join(home, 'relay.lock');
}

/** Stands for the holder that a file does not name because a power loss left it unfinished. */
const NOBODY: Holder = { pid: 0, start: '', nonce: 'unreadable', purpose: '' };
/** Age from which an unfinished file is nobody's. A process writes its file in much less time. */
const UNFINISHED_MS = 2_000;

/** Reads the holder that a lock file names; null if there is no file, or if it is still being written. */
export async function readHolder(path: string): Promise<Holder | null> {
  try {
    const { bytes, stats } = readRegularFileSync(path, MAX_BYTES);
    const { pid, start, nonce, purpose } = (readJson(bytes.toString('utf8')) ?? {}) as Partial<Holder>;
    if (isPid(pid) && start !== undefined && nonce !== undefined && purpose !== undefined)
      return { pid, start, nonce, purpose };
    return Math.abs(Date.now() - stats.mtimeMs) < UNFINISHED_MS ? null : NOBODY;
  } catch (error) {
    return nullIfMissing(error);
  }
}

/** True while the process that the lock file names runs. */
export async function isHeld(holder: Holder): Promise<boolean> {
  return holder.pid > 0 && (await isRunning(holder.pid, holder.start));
}
