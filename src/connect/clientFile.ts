/**
 * Reads and replaces a file that belongs to another program. A backup is kept beside it, a symbolic link stays one, and
 * a crash leaves either the old file or the new one.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stampOf } from '../base/clock.ts';
import { messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';
import { FileProblem } from './fileText.ts';

export interface ClientFile {
  /** As the client names it. */
  path: string;
  /** The real file, when `path` is a symbolic link. */
  target: string;
  /** null: there is no file yet. */
  bytes: Buffer | null;
  /** Permissions and owner of the file. */
  owner: { mode: number; uid: number; gid: number } | null;
}

export interface Replacement {
  text: string;
  /** It contains the key, so only its owner may read it. */
  secret: boolean;
  /** Unix time in milliseconds, for the name of the backup. */
  now: number;
}

/** Throws `HOME_UNUSABLE` when it cannot be read, `FileProblem` when it is not a regular file. */
export async function readClientFile(path: string): Promise<ClientFile> {
  try {
    const isThere = await lstat(path).catch(onlyIfMissing);
    if (!isThere) return { path, target: path, bytes: null, owner: null };
    const target = await realpath(path);
    const found = await stat(target);
    if (!found.isFile()) throw new FileProblem('is not a regular file');
    const owner = { mode: found.mode & 0o777, uid: found.uid, gid: found.gid };
    return { path, target, bytes: await readFile(target), owner };
  } catch (error) {
    if (error instanceof FileProblem) throw error;
    if (systemCodeOf(error) === 'ENOENT')
      throw new FileProblem('is a symbolic link to a file that does not exist');
    throw unusable(path, 'read', error);
  }
}

/**
 * Its text, byte order mark included. Throws `FileProblem` unless it is UTF-8, since anything else could not be written
 * back.
 */
export function textOf({ bytes }: ClientFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes ?? new Uint8Array());
  } catch {
    throw new FileProblem('is not UTF-8 text');
  }
}

/** True when users other than its owner may read it. Always false on Windows. */
export function isReadableByOthers({ owner }: ClientFile, platform: NodeJS.Platform): boolean {
  return platform !== 'win32' && owner !== null && (owner.mode & 0o077) !== 0;
}

/**
 * Replaces the file and returns the path of the backup (null: there was no file).
 * Throws `HOME_UNUSABLE` when the file cannot be written, `CONFLICT` when it changed since it was read. In both cases
 * nothing was changed.
 */
export async function replaceClientFile(file: ClientFile, replacement: Replacement): Promise<string | null> {
  const temporary = `${file.target}.relay-${randomBytes(4).toString('hex')}.tmp`;
  let backup: string | null = null;
  try {
    // Respect a read-only file, although a writable directory would let us replace it.
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

/** Creates the directories between `base`, which must exist, and the file. Throws `HOME_UNUSABLE`. */
export async function makeDirectory(path: string, base: string): Promise<void> {
  const found = await stat(base).catch(() => null);
  if (!found?.isDirectory()) {
    throw new RelayError('HOME_UNUSABLE', `${path} cannot be written: there is no directory ${base}.`, {
      remedy: 'Create it, or fix the environment variable that names it.',
    });
  }
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(path, 'written', error);
  }
}

/** Removes all permissions of group and others. */
export async function closeToOthers(file: ClientFile): Promise<void> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(file.target, 'r');
    await handle.chmod(0o600);
  } catch (error) {
    throw unusable(file.path, 'made private', error);
  } finally {
    await handle?.close();
  }
}

/** undefined: the system's default for new files. */
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
    // Without this, a run as root would make root the owner of a file that the user's client must read.
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

/** Writes the backup under a name that is not taken. */
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
  throw new RelayError('CONFLICT', `${path} changed while relay was editing it. Nothing was written.`, {
    remedy: 'Close the client if it is running, then try again.',
  });
}

async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory, and some file systems cannot sync one. The rename has to be enough there.
  const handle = await open(path, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

function onlyIfMissing(error: unknown): null {
  if (systemCodeOf(error) === 'ENOENT') return null;
  throw error;
}

const REMEDIES: Record<string, string> = {
  ENOSPC: 'Free some disk space, then try again.',
  EDQUOT: 'Free some disk space, then try again.',
  EROFS: 'The file system is read-only. Run this without --write and add the printed entry by hand.',
};

function unusable(path: string, what: string, error: unknown): RelayError {
  const code = systemCodeOf(error);
  return new RelayError('HOME_UNUSABLE', `${path} cannot be ${what} (${code ?? messageOf(error)}).`, {
    remedy:
      REMEDIES[code ?? ''] ??
      'Check the permissions of the file and its directory, or run this without --write and add the printed entry by hand.',
    cause: error,
  });
}
