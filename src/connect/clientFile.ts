/**
 * Reads and replaces a file that belongs to another program. Replacing makes a backup beside the file, unless `keep` is false.
 * A symbolic link stays a link. After a crash, either the old file or the new one is there.
 */
import { type FileHandle, lstat, open, realpath, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stampOf } from '../base/clock.ts';
import { readRegularFile, replaceFile, UnreadFile, writeSynced } from '../base/files.ts';
import { makeDirectories } from '../base/filesSync.ts';
import { messageOf, nullIfMissing, RelayError, systemCodeOf } from '../domain/errors.ts';

/** Why a client's file cannot be edited safely. Nothing was changed. */
export class FileProblem extends Error {
  /** What to do if the entry cannot just be added by hand. */
  readonly remedy: string | undefined;

  /** @param reason completes "<file> …" */
  constructor(reason: string, { remedy, cause }: { remedy?: string | undefined; cause?: unknown } = {}) {
    super(reason, { cause });
    this.name = 'FileProblem';
    this.remedy = remedy;
  }
}

/** Most of these files have a few KiB, but one client also keeps its project history in its file. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The part of a backup's name between the file's name and the time. */
export const BACKUP_MARK = '.relay-backup-';

export interface ClientFile {
  /** The path that the client uses. */
  path: string;
  /** The path with all symbolic links followed; `path` itself if there is no file yet. */
  target: string;
  /** Content of the file; null if there is none yet. */
  bytes: Buffer | null;
  /** Permissions and owner of the file; null if there is none yet. */
  owner: { mode: number; uid: number; gid: number } | null;
  /** What the person can do if relay cannot, as the end of a sentence. */
  byHand: string;
}

export interface Replacement {
  text: string;
  /** True if `text` contains the key. Only the file's owner can then read the file. */
  secret: boolean;
  /** Present time in Unix milliseconds, for the name of the backup. */
  now: number;
  /** False to make no backup. */
  keep?: boolean;
}

const ADD_BY_HAND = 'run this without --write and add the printed entry by hand';

/**
 * Reads the file, which may be missing. Throws `FileProblem` for a file that is too large or not a regular one, and for a link
 * that leads nowhere. Throws `HOME_UNUSABLE` if reading fails for another reason.
 * @param byHand what errors about this file, also later ones, tell the person to do
 */
export async function readClientFile(path: string, byHand = ADD_BY_HAND): Promise<ClientFile> {
  try {
    const isThere = await lstat(path).catch(nullIfMissing);
    if (!isThere) return { path, target: path, bytes: null, owner: null, byHand };
    const target = await realpath(path);
    const { bytes, mode, uid, gid } = await readRegularFile(target, MAX_BYTES);
    return { path, target, bytes, owner: { mode: mode & 0o777, uid, gid }, byHand };
  } catch (error) {
    if (error instanceof UnreadFile) throw problemOf(error);
    if (systemCodeOf(error) === 'ENOENT')
      throw new FileProblem('is a symbolic link to a file that does not exist');
    throw unusable(path, 'read', error, byHand);
  }
}

function problemOf({ size }: UnreadFile): FileProblem {
  if (size === null) return new FileProblem('is not a regular file');
  return new FileProblem(`is ${Math.round(size / 1024 / 1024)} MiB, too large to edit safely`);
}

/**
 * Returns the text of the file, byte order mark included. Throws `FileProblem` unless it is UTF-8, since anything else could
 * not be written back.
 */
export function textOf({ bytes }: ClientFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes ?? new Uint8Array());
  } catch {
    throw new FileProblem('is not UTF-8 text');
  }
}

/** True if users other than its owner may read the file. Always false on Windows. */
export function isReadableByOthers({ owner }: ClientFile, platform: NodeJS.Platform): boolean {
  return platform !== 'win32' && owner !== null && (owner.mode & 0o077) !== 0;
}

/**
 * Replaces the file and returns the path of the backup (null if there was no file). Throws `HOME_UNUSABLE` when the file cannot
 * be written, `CONFLICT` when another program changed it since it was read. In both cases, relay changed nothing.
 */
export async function replaceClientFile(file: ClientFile, replacement: Replacement): Promise<string | null> {
  const { path, target, bytes, owner } = file;
  let backup: string | null = null;
  try {
    // Respect a read-only file, although a writable directory would let us replace it.
    if (bytes) await (await open(target, 'r+')).close();
    await replaceFile(target, replacement.text, {
      mode: modeFor(file, replacement),
      // Without this, a run as root would make root the owner of a file that the user's client must read.
      owner,
      async before() {
        if (replacement.keep !== false) backup = bytes && (await keep(path, bytes, replacement.now));
        await requireUnchanged(file);
      },
    });
    return backup;
  } catch (error) {
    if (backup) await rm(backup, { force: true }).catch(() => {});
    throw unusable(path, 'written', error, file.byHand);
  }
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
    makeDirectories(dirname(path));
  } catch (error) {
    throw unusable(path, 'written', error);
  }
}

/** Lets only the owner read and write the file (mode 0600). Throws `HOME_UNUSABLE`. */
export async function closeToOthers(file: ClientFile): Promise<void> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(file.target, 'r');
    await handle.chmod(0o600);
  } catch (error) {
    throw unusable(file.path, 'made private', error, file.byHand);
  } finally {
    await handle?.close();
  }
}

/** Mode of the replacement. A new file names programs to start, so only its owner may write to it, whatever the umask. */
function modeFor({ owner }: ClientFile, { secret }: Replacement): number {
  return secret ? 0o600 : (owner?.mode ?? 0o644 & ~process.umask());
}

/** Writes the backup under a name that is not taken. */
async function keep(path: string, bytes: Buffer, now: number): Promise<string> {
  const stamp = stampOf(now);
  for (let copy = 1; ; copy++) {
    const backup = `${path}${BACKUP_MARK}${stamp}${copy === 1 ? '' : `-${copy}`}`;
    try {
      await writeSynced(backup, bytes);
      return backup;
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  }
}

async function requireUnchanged({ path, target, bytes }: ClientFile): Promise<void> {
  const now = await readRegularFile(target, MAX_BYTES).catch((error: unknown) => {
    if (error instanceof UnreadFile) return 'other';
    return nullIfMissing(error);
  });
  if (bytes === null ? now === null : now !== null && now !== 'other' && now.bytes.equals(bytes)) return;
  throw new RelayError('CONFLICT', `${path} changed while relay was editing it. Nothing was written.`, {
    remedy: 'Close the client if it is running, then try again.',
  });
}

const FULL = 'Free some disk space, then try again.';

function unusable(path: string, what: string, error: unknown, byHand = ADD_BY_HAND): RelayError {
  if (error instanceof RelayError) return error;
  const code = systemCodeOf(error) ?? '';
  const remedies: Record<string, string> = {
    ENOSPC: FULL,
    EDQUOT: FULL,
    EROFS: `The file system is read-only: ${byHand}.`,
  };
  return new RelayError('HOME_UNUSABLE', `${path} cannot be ${what} (${code || messageOf(error)}).`, {
    remedy: remedies[code] ?? `Check the permissions of the file and its directory, or ${byHand}.`,
    cause: error,
  });
}
