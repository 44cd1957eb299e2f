/** The home directory, which holds everything that relay keeps. Only its owner may enter it. */
import { constants, type Stats } from 'node:fs';
import { access, chmod, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectories } from '../../base/filesSync.ts';
import { type Log, silentLog } from '../../base/log.ts';
import { isDiskFull, messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';

/** The files of a home, described for the manual. None of them may belong to another user. */
export const HOME_FILES = {
  'relay.db': 'State: the account, clients, jobs and changes, with all secrets encrypted; an SQLite database',
  'library.db': 'Copy of the library, which can be read again; an SQLite database',
  'memory.db': 'Versions of playlists and imported plays, which cannot be read again; an SQLite database',
  'relay.lock': 'Says which process uses the state',
  'config.json': 'Settings; `relay config` reads and writes it',
  'server.json': 'The running server: process, version and address',
  'relay.sock': 'The socket through which your commands talk to the running server; not on Windows',
  'master.key': 'Key of the secrets, only if no keychain is used',
  'oauth-clients.json': 'Clients that you register by hand; optional',
  'relay.log': "The latest lines of the server's log; `relay logs` prints them",
} as const;
/** Beginning of the names of archives that are being sent to the home; a number in hexadecimal follows. */
export const UPLOAD_PREFIX = 'plays-upload-';
/** The directory in a home that is the demo's home. */
export const DEMO = 'demo';

const NAME = String.raw`(relay\.(db|sock|lock|log(\.1)?)|(library|memory)\.db|(config|server)\.json|master\.key)`;
/** The ends of the names that relay gives to copies and to unfinished writes. A copy that a person made has another end. */
const COPY = String.raw`\.(\d+-[0-9a-f]+-\d+\.tmp|before-[a-z]+-.+|damaged-\d+|after-.+)`;
/** Matches our files, the copies and unfinished writes beside them, and archives of plays whose upload was cut short. */
export const OWN_FILE = new RegExp(`^(${NAME}(${COPY})?|${UPLOAD_PREFIX}[0-9a-f]+)$`);

/** Another program may have files of these names, and a home that was in use has others too. */
const ALSO_OTHERS = ['library.db', 'memory.db'];
const STICKY = 0o1000;
const WRITABLE_BY_ALL = 0o002;

/**
 * Creates the home with mode 0700, or checks the existing one and takes access from other users. A directory that holds other files
 * keeps its mode: if other users can enter it, a warning is logged; if all can write to it, it is refused.
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

async function requireOwn(home: string, { mode, uid }: Stats, log: Log): Promise<void> {
  if (mode & STICKY) throw unusable(home, 'it is shared between users');
  await refusePlanted(home, uid);
  if ((mode & 0o077) === 0) return;
  const names = await readdir(home);
  // In a directory with other files, relay is a guest, also once its own files are there.
  const isOurs =
    names.every((name) => OWN_FILE.test(name) || name === DEMO) &&
    (names.length === 0 || names.some((name) => !ALSO_OTHERS.includes(name)));
  if (!isOurs && mode & WRITABLE_BY_ALL) throw unusable(home, 'every user can write there');
  if (isOurs) await chmod(home, 0o700);
  const was = (mode & 0o777).toString(8);
  log.warn(
    { home, was },
    isOurs ? 'other users could enter the home directory; now only its owner can' : WIDE,
  );
}

/**
 * Refuses a home with a file of relay's that another user has put there. Files of the directory's owner are accepted: on
 * some network mounts every file belongs to somebody else.
 */
async function refusePlanted(home: string, owner: number): Promise<void> {
  const trusted = [owner, 0, process.geteuid?.()];
  for (const name of Object.keys(HOME_FILES)) {
    const found = await lstat(join(home, name)).catch(() => null);
    if (found && !trusted.includes(found.uid)) throw unusable(home, `${name} in it belongs to another user`);
  }
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
