/**
 * `files.ts` for code that has to be synchronous: the settings, which are read before anything else exists, and the
 * keychain's helper.
 */
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { directoryError, renamePauseMs, tempPathFor, UnreadFile, WITHOUT_WAITING } from './files.ts';

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
    renameOver(temp, path);
  } catch (error) {
    rmSync(temp, { force: true });
    throw error;
  }
}

function renameOver(from: string, to: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, renamePauseMs(error, attempt));
    }
  }
}

/**
 * The content and the stats of a regular file; a symbolic link is followed.
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
