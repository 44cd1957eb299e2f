/** The home directory, which holds everything that relay keeps. Only its owner may enter it. */
import { constants, type Stats } from 'node:fs';
import { access, chmod, readdir, stat } from 'node:fs/promises';
import { makeDirectories } from '../../base/filesSync.ts';
import { type Log, silentLog } from '../../base/log.ts';
import { isDiskFull, messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';

/** The names of relay's files in a home. A person may also put `oauth-clients.json` there. */
const NAMES = [
  'relay.db',
  'library.db',
  'memory.db',
  'plays.db',
  'relay.lock',
  'relay.sock',
  'relay.log',
  'relay.log.1',
  'config.json',
  'server.json',
  'master.key',
];
/** Beginning of the names of archives that are being sent to the home; a number in hexadecimal follows. */
export const UPLOAD_PREFIX = 'plays-upload-';
/** The directory in a home that is the demo's home. */
export const DEMO = 'demo';

/** The ends of the names that relay gives to copies and to unfinished writes. A copy that a person made has another end. */
const COPY = String.raw`\.(\d+-[0-9a-f]+-\d+\.tmp|before-[a-z]+-.+|damaged-\d+|after-.+)`;
/** Matches our files, the copies and unfinished writes beside them, and archives of plays whose upload was cut short. */
const OWN_FILE = new RegExp(`^((${NAMES.join('|')})(${COPY})?|${UPLOAD_PREFIX}[0-9a-f]+)$`);

/** True for the name of a file of relay's in a home. */
export function isOwnName(name: string): boolean {
  return OWN_FILE.test(name);
}

/** True if a home with these names in it holds nothing but relay's files and the demo. */
export function isOnlyRelays(names: readonly string[]): boolean {
  return names.every((name) => isOwnName(name) || name === DEMO);
}

const STICKY = 0o1000;
const WRITABLE_BY_ALL = 0o002;

/**
 * Creates the home with mode 0700, or checks the existing one and takes access from other users. A directory that holds other files
 * keeps its mode: if other users can enter it, a warning is logged. One that holds files and to which all can write is refused.
 * @throws RelayError `HOME_UNUSABLE`
 */
export async function ensureHome(home: string, log: Log = silentLog): Promise<void> {
  try {
    makeDirectories(home);
    const found = await stat(home);
    if (!found.isDirectory()) throw unusable(home, 'it is not a directory');
    // On Windows, a directory below the user's profile inherits its access list.
    if (process.platform !== 'win32') await requireOwn(home, found, log);
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw homeError(home, error);
  }
}

/** Turns a failure of the home into an error for the person. Returns a `RelayError` as it is. */
export function homeError(home: string, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  return unusable(home, REASONS[systemCodeOf(error) ?? ''] ?? messageOf(error), error);
}

async function requireOwn(home: string, { mode }: Stats, log: Log): Promise<void> {
  if (mode & STICKY) throw unusable(home, 'it is shared between users');
  if ((mode & 0o077) === 0) return;
  const names = await readdir(home);
  // Any of the files may be another user's.
  if (mode & WRITABLE_BY_ALL && names.length > 0) throw unusable(home, 'every user can write there');
  // In a directory with other files, relay is a guest, also once its own files are there.
  const isOurs = isOnlyRelays(names);
  if (isOurs) await chmod(home, 0o700);
  const was = (mode & 0o777).toString(8);
  log.warn(
    { home, was },
    isOurs ? 'other users could enter the home directory; now only its owner can' : WIDE,
  );
}

const WIDE =
  'other users can enter the home directory; its permissions were not changed because it holds other files';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user is not allowed to write there',
  EPERM: 'this user is not allowed to write there',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'it is not a directory',
  EEXIST: 'it is not a directory',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
};

function unusable(home: string, reason: string, cause?: unknown): RelayError {
  return new RelayError('HOME_UNUSABLE', `The home directory ${home} cannot be used: ${reason}.`, {
    remedy: isDiskFull(cause)
      ? 'Free some space, or choose another one with --home or RELAY_HOME.'
      : 'Choose another one with --home or RELAY_HOME, or make this one accessible only to you.',
    details: { home },
    cause,
  });
}
