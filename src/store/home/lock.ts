/**
 * Makes sure that one process at a time owns a home. The lock file names that process. Once the process is gone, the next one
 * that starts takes the lock over.
 *
 * Removing a stale lock and creating a new one are two steps, and two processes that interleave them would both win. So a
 * process first becomes the only successor of the lock that it found: it creates `relay.lock.after-<nonce>`, which only one
 * process can. It checks that the lock still has this nonce, and only then renames its own file over the lock. If the
 * successor dies in between, its own nonce gets a successor in turn. A file `after-<nonce>` is removed only after the
 * lock has changed, and nonces are never reused. So a process that creates this file too late fails the check.
 */

import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { removeStaleTemps, renameOver, tempPathFor, writeSynced } from '../../base/files.ts';
import { RelayError } from '../../domain/errors.ts';
import { linkUnlessExists } from './hardLink.ts';
import { homeError } from './home.ts';
import {
  type Holder,
  isHeld,
  isStartedByClient,
  LOOK_AGAIN_MS,
  lockPath,
  readHolder,
  SERVING,
  SHORT_COMMAND,
  startedBy,
} from './lockFile.ts';
import { ownStart } from './processes.ts';
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
  const me: Holder = {
    pid: process.pid,
    start: await ownStart(),
    nonce: randomUUID(),
    purpose,
  };
  const own = tempPathFor(path);
  const patientUntil = systemClock.monotonic() + PATIENCE_MS;
  // Not synced: a power loss ends the process that the file names, and an unreadable file counts as nobody's.
  await writeSynced(own, `${JSON.stringify(me)}\n`, { sync: false });
  try {
    // An attempt fails only if another process made progress, or if a short command holds the home.
    while (!(await linkUnlessExists(own, path)) && !(await takeOver(home, own, me, patientUntil))) {}
    return { release: () => release(path, me) };
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Replaces the lock of a dead process with `own`. Returns false if the lock has changed since it was read, or if a short
 * command holds it.
 * @throws RelayError `ALREADY_RUNNING`
 */
async function takeOver(home: string, own: string, me: Holder, patientUntil: number): Promise<boolean> {
  const path = lockPath(home);
  const found = await readHolder(path);
  if (!found) return false;
  const claim = await claimSuccession(home, own, found, patientUntil);
  if (!claim) return false;
  const current = await readHolder(path);
  if (current?.nonce !== found.nonce) {
    await rm(claim, { force: true });
    return false;
  }
  await renameOver(own, path);
  await removeLeftovers(home, me);
  return true;
}

/**
 * Makes this process the last successor of `found`. Returns the path of its claim; null if the lock has changed since it was
 * read. If a short command holds the lock, waits a moment and returns null.
 * @throws RelayError `ALREADY_RUNNING` if the lock or a claim belongs to a process that runs
 */
async function claimSuccession(
  home: string,
  own: string,
  found: Holder,
  patientUntil: number,
): Promise<string | null> {
  const seen = new Set<string>();
  for (let last: Holder | null = found; last; ) {
    if (await isHeld(last)) {
      if (last.purpose !== SHORT_COMMAND || systemClock.monotonic() >= patientUntil) {
        throw await alreadyRunning(home, last);
      }
      await systemClock.sleep(LOOK_AGAIN_MS);
      return null;
    }
    // relay never reuses a nonce, so it did not write a file that repeats one.
    if (seen.has(last.nonce)) throw tangled(home);
    seen.add(last.nonce);
    const claim = `${lockPath(home)}.after-${last.nonce}`;
    if (await linkUnlessExists(own, claim)) return claim;
    last = await readHolder(claim);
  }
  return null;
}

function tangled(home: string): RelayError {
  return new RelayError('HOME_UNUSABLE', `The lock files ${lockPath(home)}* refer to each other in a loop.`, {
    remedy: 'Remove them if no relay command is running for this home.',
    details: { home },
  });
}

/** Removes the earlier claims once this process has the lock. */
async function removeLeftovers(home: string, me: Holder): Promise<void> {
  const path = lockPath(home);
  const prefix = `${basename(path)}.after-`;
  for (const name of await readdir(home)) {
    if (name.startsWith(prefix) && name !== `${prefix}${me.nonce}`)
      await rm(join(home, name), { force: true });
  }
  await removeStaleTemps(path);
}

async function release(path: string, me: Holder): Promise<void> {
  const current = await readHolder(path);
  if (current?.nonce === me.nonce) await rm(path, { force: true });
}

/**
 * Returns the address of the server that holds the home; undefined if the holder is not a server, or has no address within a
 * second. A server writes its address a moment after it has taken the home.
 */
async function baseUrlOf(home: string, holder: Holder): Promise<string | undefined> {
  for (let waited = 0; ; waited += 100) {
    const server = await readServerFile(home);
    if (server?.pid === holder.pid) return server.baseUrl;
    if (!SERVING.includes(holder.purpose) || waited >= 1_000) return undefined;
    await systemClock.sleep(100);
  }
}

async function alreadyRunning(home: string, holder: Holder): Promise<RelayError> {
  const baseUrl = await baseUrlOf(home, holder);
  const message = baseUrl
    ? `A relay server is running for this home: pid ${holder.pid}, ${baseUrl}.${startedBy(holder)}`
    : `Another relay command is using this home: ${holder.purpose}, pid ${holder.pid}.`;
  return new RelayError('ALREADY_RUNNING', message, {
    remedy: baseUrl
      ? {
          text: 'Use that server, stop it with {command}, or choose another home with --home.',
          command: ['stop'],
        }
      : 'Wait for that command, stop it, or choose another home with --home.',
    details: {
      pid: holder.pid,
      ...(baseUrl ? { baseUrl } : {}),
      ...(isStartedByClient(holder) ? { startedByClient: true } : {}),
    },
  });
}
