/**
 * `files.ts` for code that has to be synchronous: settings, the key file, the lock and server files, and the keychain's
 * helper.
 */
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { directoryError, refusedPauseMs, tempPathFor, UnreadFile, WITHOUT_WAITING } from './files.ts';

/** Replaces the file at `path` with one of mode 0600, in one step. */
export function replaceFileSync(path: string, content: string | Uint8Array): void {
  const temp = tempPathFor(path);
  try {
    const file = openSync(temp, 'wx', 0o600);
    try {
      fchmodSync(file, 0o600);
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    insisting(() => renameSync(temp, path));
  } catch (error) {
    rmSync(temp, { force: true });
    throw error;
  }
}

/** Does `work`. If Windows refuses it, tries again a few times, since the refusal may last only a moment. */
function insisting<T>(work: () => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return work();
    } catch (error) {
      pause(refusedPauseMs(error, attempt));
    }
  }
}

const HELD_PAUSE_MS = 10;
/** The work takes milliseconds, so a lock that is the same after all these pauses is left over from a process that was killed. */
const HELD_PAUSES = 200;

/**
 * Does `work`, which reads the file at `path` and then replaces it, while no other process does the same. Otherwise one process
 * could overwrite what another had just written. The directory must exist.
 */
export function holdingFileSync<T>(path: string, work: () => T): T {
  const lock = `${path}.lock`;
  let seen = '';
  let pauses = 0;
  while (!createUnlessExists(lock)) {
    const present = identityOf(lock);
    // Another lock shows that another process has had its turn, so the count starts again.
    pauses = present === seen ? pauses + 1 : 0;
    seen = present;
    if (pauses < HELD_PAUSES) pause(HELD_PAUSE_MS);
    else remove(lock);
  }
  try {
    return work();
  } finally {
    remove(lock);
  }
}

function remove(path: string): void {
  insisting(() => rmSync(path, { force: true }));
}

function createUnlessExists(path: string): boolean {
  try {
    closeSync(insisting(() => openSync(path, 'wx', 0o600)));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Differs for each file that is created at `path`; empty if there is none. */
function identityOf(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.mtimeNs}`;
}

/** Blocks this thread for that long. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/**
 * Returns the content and the stats of a regular file; a symbolic link is followed.
 * @throws UnreadFile, and errors of the system, as `readRegularFile` does
 */
export function readRegularFileSync(path: string, maxBytes: number): { bytes: Buffer; stats: Stats } {
  const file = openSync(path, WITHOUT_WAITING);
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw directoryError();
    if (!stats.isFile()) throw new UnreadFile('it is not a regular file', null);
    if (stats.size > maxBytes) throw new UnreadFile(`it is larger than ${maxBytes} bytes`, stats.size);
    const buffer = Buffer.alloc(stats.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(file, buffer, length, buffer.length - length, length);
    }
    return { bytes: buffer.subarray(0, length), stats };
  } finally {
    closeSync(file);
  }
}
