/** `files.ts` for code that has to be synchronous: settings, the key file, the lock and server files; and directories. */
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { refusedPauseMs, tempPathFor, UnreadFile, WITHOUT_WAITING } from './files.ts';
import { systemCodeOf } from './thrown.ts';

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
    renameOverSync(temp, path);
  } catch (error) {
    rmSync(temp, { force: true });
    throw error;
  }
}

function renameOverSync(from: string, to: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const blocked = new Int32Array(new SharedArrayBuffer(4));
      Atomics.wait(blocked, 0, 0, refusedPauseMs(error, attempt));
    }
  }
}

/**
 * Returns the content and the stats of a regular file; a symbolic link is followed.
 * @throws UnreadFile, and errors of the system, as `readRegularFile` does
 */
export function readRegularFileSync(path: string, maxBytes: number): { bytes: Buffer; stats: Stats } {
  const file = openSync(path, WITHOUT_WAITING);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new UnreadFile('it is not a regular file', null);
    if (stats.size > maxBytes) throw new UnreadFile(`it is larger than ${maxBytes} bytes`, stats.size);
    return { bytes: readFileSync(file), stats };
  } finally {
    closeSync(file);
  }
}

/**
 * Creates the directory `path` and the missing directories above it, by default with access for the owner only. Node's own
 * recursive call reports a read-only disk as ENOENT.
 * @returns the paths of the new directories, the innermost first
 * @throws the error of the first directory that could not be created
 */
export function makeDirectories(path: string, mode = 0o700): string[] {
  if (isDirectory(path)) return [];
  const above = path === dirname(path) ? [] : makeDirectories(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (systemCodeOf(error) !== 'EEXIST' || !isDirectory(path)) throw error;
    return above;
  }
  return [path, ...above];
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
