/**
 * Replaces a file by writing a new one beside it, syncing that, and renaming it, so that no crash leaves half a file. Reads
 * whole files without waiting forever or filling the memory, whatever is at the path.
 */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { lazy } from './memoised.ts';
import { systemCodeOf } from './thrown.ts';

export interface WriteOptions {
  /** Exact permissions of the new file, whatever the umask. 0600 by default. */
  mode?: number;
  /** The new file's owner; only root can give a file away. */
  owner?: { uid: number; gid: number } | null;
  /** False to skip the sync, for content that is useless after a power loss. */
  sync?: boolean;
}

export interface ReplaceOptions extends WriteOptions {
  /** Runs when the new file is complete, just before it replaces the old one. If this throws, the old file stays. */
  before?: () => Promise<void>;
}

/** Replaces the content of the file at `path` in one step; a crash leaves the old file or the new one. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array | Iterable<Uint8Array>,
  { before, ...options }: ReplaceOptions = {},
): Promise<void> {
  const temp = tempPathFor(path);
  try {
    await writeSynced(temp, content, options);
    await before?.();
    await renameOver(temp, path);
  } catch (error) {
    await rm(temp, { force: true }).catch(() => {});
    throw error;
  }
  if (options.sync !== false) await syncDirectory(dirname(path));
}

/**
 * Creates the file `path`, which must not exist, not even as a link. Resolves once `content` is on the disk, or without waiting
 * for the disk if `sync` is false. If writing fails, the new file is removed.
 * @throws the error of the system, such as EEXIST
 */
export async function writeSynced(
  path: string,
  content: string | Uint8Array | Iterable<Uint8Array>,
  { mode = 0o600, owner = null, sync = true }: WriteOptions = {},
): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    // The umask may have removed permissions, and the new owner must be able to read the file. So both are set before
    // anything is written.
    await file.chmod(mode);
    if (owner && process.geteuid?.() === 0) await file.chown(owner.uid, owner.gid);
    const parts = typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
    for (const part of parts) await file.writeFile(part);
    if (sync) await file.sync();
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

/** Replaces `to` with `from` in one step. */
export async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(from, to);
    } catch (error) {
      const pauseMs = refusedPauseMs(error, attempt);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/**
 * Returns how long to wait before a failed rename or removal is tried again. On Windows a virus scanner may hold a fresh file
 * open for a moment. Meanwhile both are refused, and so is a new file with the name of one that is being removed.
 * @throws the error itself when trying again makes no sense
 */
export function refusedPauseMs(error: unknown, attempt: number): number {
  const mayPass = ['EPERM', 'EACCES', 'EBUSY'].includes(systemCodeOf(error) ?? '');
  if (process.platform !== 'win32' || !mayPass || attempt === 5) throw error;
  return 20 * attempt;
}

/** Error codes of directories that cannot be synced. There the rename alone has to be enough. */
const NO_SYNC = ['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EBADF'];

/**
 * Makes a rename in the directory survive a power loss. Does nothing where that is impossible: Windows cannot open a directory,
 * and some file systems cannot sync one.
 */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => null);
  if (!directory) return;
  try {
    await directory.sync();
  } catch (error) {
    if (!NO_SYNC.includes(systemCodeOf(error) ?? '')) throw error;
  } finally {
    await directory.close();
  }
}

/** True if there is anything at the path; links are followed. */
export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

export interface FileContent {
  bytes: Buffer;
  mode: number;
  uid: number;
  gid: number;
  /** When it was last written, Unix milliseconds. */
  mtimeMs: number;
}

/** The error for a path whose content was not read. */
export class UnreadFile extends Error {
  /** Bytes of a file that is too large; null if it is not a regular file. */
  readonly size: number | null;

  constructor(message: string, size: number | null) {
    super(message);
    this.name = 'UnreadFile';
    this.size = size;
  }
}

/**
 * Flags to open a file for reading without waiting. Without them, opening a named pipe that nobody writes to would never end,
 * except on Windows.
 */
export const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Returns the content of a regular file at one moment; a symbolic link is followed. The checks are on the opened file, so
 * swapping the file in between has no effect.
 * @throws UnreadFile for a pipe, a device, a socket, or more than `maxBytes`; an error of the system with its code
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<FileContent> {
  const file = await open(path, WITHOUT_WAITING);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new UnreadFile('it is not a regular file', null);
    if (found.size > maxBytes) throw new UnreadFile(`it is larger than ${maxBytes} bytes`, found.size);
    const { mode, uid, gid, mtimeMs } = found;
    return { bytes: await file.readFile(), mode: mode & 0o7777, uid, gid, mtimeMs };
  } finally {
    await file.close();
  }
}

/** Reads the first bytes of a file, at most `count`. The path must not be a pipe: opening one waits until somebody writes to it. */
export async function readStart(path: string, count: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Distinguishes this process from an earlier one with the same pid: in a container every start may be pid 1. */
const processMark = lazy(() => randomBytes(4).toString('hex'));
let sequence = 0;

/** Makes a unique name beside `path`. */
export function tempPathFor(path: string): string {
  return `${path}.${process.pid}-${processMark()}-${sequence++}.tmp`;
}

/** Removes temporary files that dead processes left beside `path`. A file stays if another running process has the pid in the file's name. */
export async function removeStaleTemps(path: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const [, pid, mark] = /^(\d+)-([0-9a-f]+)-\d+\.tmp$/.exec(name.slice(prefix.length)) ?? [];
    if (pid !== undefined && isStale(Number(pid), mark)) await rm(join(dirname(path), name), { force: true });
  }
}

function isStale(pid: number, mark: string | undefined): boolean {
  if (pid === process.pid) return mark !== processMark();
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'ESRCH';
  }
}
