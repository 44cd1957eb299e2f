/**
 * Reads and replaces a file that belongs to another program. A symbolic link stays a link. After a crash, either the old file or
 * the new one is there.
 */
import { lstat, open, realpath, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stampOf } from '../base/clock.ts';
import { readRegularFile, replaceFile, UnreadFile, writeSynced } from '../base/files.ts';
import { makeDirectories } from '../base/filesSync.ts';
import { isDiskFull, messageOf, nullIfMissing, RelayError, systemCodeOf } from '../domain/errors.ts';

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

export interface ClientFile {
  /** The path that the client uses. */
  path: string;
  /** The path with all symbolic links followed; `path` itself if there is no file yet. */
  target: string;
  /** Content of the file, byte order mark included; null if there is none yet. */
  text: string | null;
  /** Permissions and owner of the file; null if there is none yet. */
  owner: { mode: number; uid: number; gid: number } | null;
}

/**
 * Reads the file, which may be missing. Throws `FileProblem` for a link that leads nowhere, and for what is not a regular file of
 * a sensible size with UTF-8 text, since anything else could not be written back. Throws `HOME_UNUSABLE` if reading fails for
 * another reason.
 */
export async function readClientFile(path: string): Promise<ClientFile> {
  try {
    if (!(await lstat(path).catch(nullIfMissing))) return { path, target: path, text: null, owner: null };
    const target = await realpath(path);
    const { bytes, mode, uid, gid } = await readRegularFile(target, MAX_BYTES);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path, target, text, owner: { mode: mode & 0o777, uid, gid } };
  } catch (error) {
    if (error instanceof TypeError) throw new FileProblem('is not UTF-8 text');
    if (systemCodeOf(error) === 'ENOENT')
      throw new FileProblem('is a symbolic link to a file that does not exist');
    if (!(error instanceof UnreadFile)) throw unusable(path, 'read', error);
    throw new FileProblem(
      error.size === null
        ? 'is not a regular file'
        : `is ${Math.round(error.size / 1024 / 1024)} MiB, too large to edit safely`,
    );
  }
}

/** True if users other than its owner may read the file. Always false on Windows. */
export function isReadableByOthers({ owner }: ClientFile, platform: NodeJS.Platform): boolean {
  return platform !== 'win32' && owner !== null && (owner.mode & 0o077) !== 0;
}

export interface Replacement {
  text: string;
  /** True if `text` contains the key. Only the file's owner can then read the file. */
  secret: boolean;
  /** Present time in Unix milliseconds, for the name of the backup. */
  now: number;
  /** Keys for which the backup has a placeholder, since it would only keep them on the disk. */
  hidden?: readonly string[];
}

export const KEY_PLACEHOLDER = '<key>';

/**
 * Replaces the file and returns the path of the backup (null if there was no file). Throws `HOME_UNUSABLE` when the file cannot be
 * written, `CONFLICT` when another program changed it since it was read. In both cases, relay changed nothing.
 */
export async function replaceClientFile(
  { path, target, text: before, owner }: ClientFile,
  { text, secret, now, hidden = [] }: Replacement,
): Promise<string | null> {
  let backup: string | null = null;
  try {
    if (before === null) makeDirectories(dirname(path));
    // Respect a read-only file, although a writable directory would let us replace it.
    else await (await open(target, 'r+')).close();
    await replaceFile(target, text, {
      // A new file names programs to start, so only its owner may write to it, whatever the umask.
      mode: secret ? 0o600 : (owner?.mode ?? 0o644 & ~process.umask()),
      // Without this, a run as root would make root the owner of a file that the user's client must read.
      owner,
      async before() {
        if (before !== null) backup = await keep(path, before, now, hidden);
        const present = await readClientFile(path).catch(() => null);
        if (present?.text !== before) throw changed(path);
      },
    });
    return backup;
  } catch (error) {
    if (backup) await rm(backup, { force: true }).catch(() => {});
    throw unusable(path, 'written', error);
  }
}

/** Writes the backup under a name that is not taken. */
async function keep(path: string, text: string, now: number, hidden: readonly string[]): Promise<string> {
  const kept = hidden.reduce(
    (left, key) => left.replaceAll(`Bearer ${key}`, `Bearer ${KEY_PLACEHOLDER}`),
    text,
  );
  for (let copy = 1; ; copy++) {
    const backup = `${path}.relay-backup-${stampOf(now)}${copy === 1 ? '' : `-${copy}`}`;
    try {
      await writeSynced(backup, kept);
      return backup;
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  }
}

function changed(path: string): RelayError {
  return new RelayError('CONFLICT', `${path} changed while relay was editing it. Nothing was written.`, {
    remedy: 'Close the client if it is running, then try again.',
  });
}

function unusable(path: string, what: string, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  const why = systemCodeOf(error) ?? messageOf(error);
  return new RelayError('HOME_UNUSABLE', `${path} cannot be ${what} (${why}).`, {
    remedy: isDiskFull(error)
      ? 'Free some disk space, then try again.'
      : 'Check the permissions of the file and its directory, or edit it by hand: without --write, relay shows the entry.',
    cause: error,
  });
}
