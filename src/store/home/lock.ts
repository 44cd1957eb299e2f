/**
 * Makes sure that one process at a time owns a home. The lock file names that process. Once the process is gone, the next one
 * that starts takes the lock over.
 *
 * Two processes that both remove a dead lock and then create their own would both win. So a process first creates
 * `relay.lock.after-<nonce>` with the nonce of the dead lock, which only one process can, and then renames that file over the
 * lock if the lock still has this nonce. No nonce comes twice: a process that claims too late finds another nonce.
 */

import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { systemClock } from '../../base/clock.ts';
import { renameOver, writeSynced } from '../../base/files.ts';
import { nullIfMissing, RelayError, systemCodeOf } from '../../domain/errors.ts';
import { homeError } from './home.ts';
import {
  type Holder,
  isHeld,
  isStartedByClient,
  LOOK_AGAIN_MS,
  lockPath,
  readHolder,
  SHORT_COMMAND,
  startedBy,
} from './lockFile.ts';
import { ownStart, UNKNOWN_START } from './processes.ts';
import { readServerFile } from './serverFile.ts';

/** How long to wait for short commands. Each takes less than a second, unless it waits for an answer on the terminal. */
const PATIENCE_MS = 5_000;

export interface HomeLock {
  /** Releases the home; does nothing the second time. */
  release(): Promise<void>;
}

/**
 * Takes the home for this process until `release` or its end. Waits a few seconds for short commands that hold it.
 * @param purpose what the home is needed for, for a person: `relay serve`, `relay login`
 * @throws RelayError `ALREADY_RUNNING` with details `{pid, baseUrl?}` while another process holds it, `HOME_UNUSABLE`
 */
export function acquireHome(home: string, purpose: string): Promise<HomeLock> {
  return acquire(home, purpose).catch((error: unknown) => {
    throw homeError(home, error);
  });
}

async function acquire(home: string, purpose: string): Promise<HomeLock> {
  const path = lockPath(home);
  const me: Holder = { pid: process.pid, start: await ownStart(), nonce: randomUUID(), purpose };
  const patientUntil = systemClock.monotonic() + PATIENCE_MS;
  while (!(await createUnlessExists(path, me))) {
    const found = await readHolder(path);
    if (found?.nonce === me.nonce) break;
    if (found !== null && !(await isHeld(found))) {
      if (await takeOver(path, me, found)) continue;
    } else if (found && (found.purpose !== SHORT_COMMAND || systemClock.monotonic() >= patientUntil)) {
      throw await alreadyRunning(home, found);
    }
    await systemClock.sleep(LOOK_AGAIN_MS);
  }
  return { release: () => release(path, me) };
}

/** Creates a file that names the holder; false if there is one. Of several processes that try at the same time, one gets true. */
async function createUnlessExists(path: string, holder: Holder): Promise<boolean> {
  try {
    // Not synced: a power loss ends the process that the file names, and an unreadable file counts as nobody's.
    await writeSynced(path, `${JSON.stringify(holder)}\n`, { sync: false });
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Replaces the lock of a dead process. Returns false if another process has done so, or is about to. */
async function takeOver(path: string, me: Holder, dead: Holder): Promise<boolean> {
  const claim = `${path}.after-${dead.nonce}`;
  if (await createUnlessExists(claim, me)) {
    const isStillDead = (await readHolder(path))?.nonce === dead.nonce;
    // If another process took the claim for that of a dead one, it is gone. Whom the lock names then has the home.
    if (isStillDead) await renameOver(claim, path).catch(nullIfMissing);
    else await rm(claim, { force: true });
    return isStillDead;
  }
  const other = await readHolder(claim);
  // The process that claimed was killed before it renamed its file.
  if (other && !(await isHeld(other))) await rm(claim, { force: true });
  return false;
}

async function release(path: string, me: Holder): Promise<void> {
  const current = await readHolder(path);
  if (current?.nonce === me.nonce) await rm(path, { force: true });
}

async function alreadyRunning(home: string, holder: Holder): Promise<RelayError> {
  const { pid, purpose } = holder;
  const server = await readServerFile(home);
  const baseUrl = server?.pid === pid ? server.baseUrl : undefined;
  // After a crash, another program may have got the pid.
  const orNot =
    holder.start === UNKNOWN_START ? ` If ${pid} is no relay process, remove ${lockPath(home)}.` : '';
  const details = { pid, ...(isStartedByClient(holder) && { startedByClient: true }) };
  if (baseUrl === undefined) {
    return new RelayError(
      'ALREADY_RUNNING',
      `Another relay command is using this home: ${purpose}, pid ${pid}.`,
      { remedy: `Wait for that command, stop it, or choose another home with --home.${orNot}`, details },
    );
  }
  return new RelayError(
    'ALREADY_RUNNING',
    `A relay server is running for this home: pid ${pid}, ${baseUrl}.${startedBy(holder)}`,
    {
      remedy: {
        text: `Use that server, stop it with {command}, or choose another home with --home.${orNot}`,
        command: ['stop'],
      },
      details: { ...details, baseUrl },
    },
  );
}
