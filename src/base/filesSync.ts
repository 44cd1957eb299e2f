/** `files.ts` for code that has to be synchronous: settings, the key file, the lock and server files. */
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { refusedPauseMs, tempPathFor, UnreadFile, WITHOUT_WAITING } from './files.ts';

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
