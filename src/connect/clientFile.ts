/**
 * Reading and replacing a file that belongs to another program. The old bytes are kept beside it, a link stays a link,
 * and a crash leaves the old file or the new one.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stampOf } from '../domain/clock.ts';
import { messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';
import { FileProblem } from './fileText.ts';

export interface ClientFile {
  /** As the client names it. */
  path: string;
  /** Where the bytes are, when `path` is a link. */
  target: string;
  /** null: there is no file yet. */
  bytes: Buffer | null;
  /** Permissions and owner of the file. */
  owner: { mode: number; uid: number; gid: number } | null;
}

export interface Replacement {
  text: string;
  /** Holds the key: nobody else may read it. */
  secret: boolean;
  /** Unix time in milliseconds, for the name of the backup. */
  now: number;
}

/** Throws `HOME_UNUSABLE` when it cannot be read, `FileProblem` when it is no plain file. */
export async function readClientFile(path: string): Promise<ClientFile> {
  try {
    const isThere = await lstat(path).catch(onlyIfMissing);
    if (!isThere) return { path, target: path, bytes: null, owner: null };
    const target = await realpath(path);
    const found = await stat(target);
    if (!found.isFile()) throw new FileProblem('is not a plain file');
    const owner = { mode: found.mode & 0o777, uid: found.uid, gid: found.gid };
    return { path, target, bytes: await readFile(target), owner };
  } catch (error) {
    if (error instanceof FileProblem) throw error;
    if (systemCodeOf(error) === 'ENOENT') throw new FileProblem('is a link to a file that does not exist');
    throw unusable(path, 'read', error);
  }
}

/** Its text, byte order mark included. Throws `FileProblem` for anything but UTF-8, which could not be written back. */
export function textOf({ bytes }: ClientFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes ?? new Uint8Array());
  } catch {
    throw new FileProblem('is not UTF-8 text');
  }
}

/** True when others than its owner may read it, where the system tells. */
export function isReadableByOthers({ owner }: ClientFile, platform: NodeJS.Platform): boolean {
  return platform !== 'win32' && owner !== null && (owner.mode & 0o077) !== 0;
}

/**
 * Puts the text in the place of the file and tells where the old one is kept (null: there was none).
 * Throws `HOME_UNUSABLE` when that is impossible and `CONFLICT` when the file changed since it was read; nothing has
 * changed then.
 */
export async function replaceClientFile(file: ClientFile, replacement: Replacement): Promise<string | null> {
  const temporary = `${file.target}.relay-${randomBytes(4).toString('hex')}.tmp`;
  let backup: string | null = null;
  try {
    // A read-only file is meant so, though a writable directory would let it be replaced.
    if (file.bytes) await (await open(file.target, 'r+')).close();
    await writeSynced(temporary, replacement.text, modeFor(file, replacement), file.owner);
    backup = file.bytes && (await keep(file.path, file.bytes, replacement.now));
    await requireUnchanged(file);
    await rename(temporary, file.target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    if (backup) await rm(backup, { force: true }).catch(() => {});
    if (error instanceof RelayError) throw error;
    throw unusable(file.path, 'written', error);
  }
  await syncDirectory(dirname(file.target));
  return backup;
}

/** Makes the directories between `base`, which must exist, and the file. Throws `HOME_UNUSABLE`. */
export async function makeDirectory(path: string, base: string): Promise<void> {
  const found = await stat(base).catch(() => null);
  if (!found?.isDirectory()) {
    throw new RelayError('HOME_UNUSABLE', `${path} cannot be written: there is no directory ${base}.`, {
      remedy: 'Make it, or correct the variable in the environment that names it.',
    });
  }
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(path, 'written', error);
  }
}

/** Takes every right from others. */
export async function closeToOthers(file: ClientFile): Promise<void> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(file.target, 'r');
    await handle.chmod(0o600);
  } catch (error) {
    throw unusable(file.path, 'closed to others', error);
  } finally {
    await handle?.close();
  }
}

/** undefined: as the system makes new files. */
function modeFor({ owner }: ClientFile, { secret }: Replacement): number | undefined {
  return secret ? 0o600 : owner?.mode;
}

async function writeSynced(
  path: string,
  content: string | Buffer,
  mode: number | undefined,
  owner: ClientFile['owner'] = null,
): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    if (mode !== undefined) await handle.chmod(mode);
    // Run as root, it would take the file away from the person whose client reads it.
    if (owner && process.geteuid?.() === 0) await handle.chown(owner.uid, owner.gid);
    await handle.writeFile(content);
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** A copy under a name that nothing has. */
async function keep(path: string, bytes: Buffer, now: number): Promise<string> {
  const stamp = stampOf(now);
  for (let copy = 1; ; copy++) {
    const backup = `${path}.relay-backup-${stamp}${copy === 1 ? '' : `-${copy}`}`;
    try {
      await writeSynced(backup, bytes, 0o600);
      return backup;
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  }
}

async function requireUnchanged({ path, target, bytes }: ClientFile): Promise<void> {
  const now = await readFile(target).catch(onlyIfMissing);
  if (bytes === null ? now === null : now?.equals(bytes)) return;
  throw new RelayError('CONFLICT', `${path} changed while relay worked on it; nothing was written.`, {
    remedy: 'Close the client if it runs, and try again.',
  });
}

async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory, and some file systems cannot sync one: the rename is all there is then.
  const handle = await open(path, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

function onlyIfMissing(error: unknown): null {
  if (systemCodeOf(error) === 'ENOENT') return null;
  throw error;
}

const REMEDIES: Record<string, string> = {
  ENOSPC: 'Make room on the disk and try again.',
  EDQUOT: 'Make room on the disk and try again.',
  EROFS: 'The file system is read-only: leave out --write and add by hand what is printed.',
};

function unusable(path: string, what: string, error: unknown): RelayError {
  const code = systemCodeOf(error);
  return new RelayError('HOME_UNUSABLE', `${path} cannot be ${what} (${code ?? messageOf(error)}).`, {
    remedy:
      REMEDIES[code ?? ''] ??
      'Look at the permissions of the file and its directory, or leave out --write and add by hand what is printed.',
    cause: error,
  });
}
