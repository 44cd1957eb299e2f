/** Restoring a copy of the state: checked, fitted to this home, and put in place while nobody else holds the home. */
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { keyOptions, type Settings } from '../config/settings.ts';
import { type Clock, isoOf, type Random } from '../domain/clock.ts';
import { RelayError } from '../domain/errors.ts';
import { holdWriting } from '../jobs/restored.ts';
import { loadMasterKey } from '../secrets/masterKey.ts';
import { createSealer } from '../secrets/seal.ts';
import { countAliases } from '../store/aliases.ts';
import { ensureHome } from '../store/home.ts';
import { countJobs } from '../store/jobs.ts';
import { acquireHome } from '../store/lock.ts';
import type { Store } from '../store/open.ts';
import { type Copy, readCopy, replaceState } from '../store/restore.ts';
import type { SaveFs } from '../store/saveFs.ts';
import { listSecrets } from '../store/secrets.ts';
import { exists } from '../store/smallFiles.ts';
import { createVault, isSealed } from '../store/vault.ts';

export interface RestoreOptions {
  settings: Settings;
  /** The copy, as the person gave it. */
  file: string;
  /** Restores although the login in the copy cannot be opened here. */
  force: boolean;
  clock: Clock;
  random: Random;
  /** Until the exchange begins, an abort changes nothing. */
  signal: AbortSignal;
  /** For tests: a disk that fails. */
  fs?: SaveFs;
}

export interface Restored {
  /** The state file. */
  path: string;
  /** The copy. */
  from: string;
  /** The state file of before; null where there was none. */
  keptPath: string | null;
  /** Time of the copy, ISO 8601. */
  savedAt: string | null;
  /** As restored: an older copy is brought to the present schema. */
  schemaVersion: number;
  sizeBytes: number;
  aliases: number;
  /** How many jobs are in each state; states without any are left out. */
  jobs: Record<string, number>;
  /** Jobs that were being written, and that now wait for the person. */
  heldJobs: number;
  /** Why the login in the copy cannot be opened with the key of this home; null when it can. */
  keyProblem: string | null;
}

/**
 * @throws RelayError `USAGE`, `STATE_DAMAGED`, `STATE_TOO_NEW` about the copy, `KEY_MISMATCH`, `KEY_UNAVAILABLE`,
 * `ALREADY_RUNNING`, `HOME_UNUSABLE`, `STORE_ERROR`; the state is as it was then
 */
export async function restoreState(options: RestoreOptions): Promise<Restored> {
  const { settings, file, clock } = options;
  const copy = await readCopy(file, settings.home, clock);
  const made = await missingDirectories(settings.home);
  try {
    await ensureHome(settings.home);
    const lock = await takeHome(settings.home);
    try {
      return await fitAndReplace(options, copy);
    } finally {
      await lock.release();
    }
  } catch (error) {
    // Only what is empty goes, so a state that has come there meanwhile stays.
    for (const directory of made) await rmdir(directory).catch(() => {});
    throw error;
  } finally {
    await copy.store.close();
  }
}

async function takeHome(home: string) {
  try {
    return await acquireHome(home, { purpose: 'relay restore' });
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== 'ALREADY_RUNNING') throw error;
    const { message, details = {} } = error;
    throw new RelayError('ALREADY_RUNNING', message, {
      remedy: 'Stop it first, then restore again. Nothing was changed.',
      details,
    });
  }
}

async function fitAndReplace(options: RestoreOptions, copy: Copy): Promise<Restored> {
  const { settings, clock, signal, fs } = options;
  const { store, path: from, savedAt } = copy;
  const keyProblem = await checkKey(options, store);
  const heldJobs = holdWriting(store, savedAt);
  const image = copy.image();
  signal.throwIfAborted();
  const { path, keptPath } = await replaceState(settings.home, image, clock, fs);
  return {
    path,
    from,
    keptPath,
    savedAt: isoOf(savedAt),
    schemaVersion: store.state().schemaVersion,
    sizeBytes: image.length,
    aliases: countAliases(store),
    jobs: countJobs(store),
    heldJobs,
    keyProblem,
  };
}

/**
 * Opens every secret of the copy once; a key is never made here.
 * @returns what is wrong with the key, where the person restores all the same
 */
async function checkKey(
  { settings, force, clock, random }: RestoreOptions,
  store: Store,
): Promise<string | null> {
  if (!isSealed(store)) return null;
  try {
    const { key } = await loadMasterKey({ ...keyOptions(settings), allowCreate: false, clock });
    const vault = createVault(store, createSealer(key, random));
    await vault.verifyKey();
    for (const { name } of listSecrets(store)) vault.get(name);
    return null;
  } catch (error) {
    if (!(error instanceof RelayError) || !KEY_FAILURES.includes(error.code)) throw error;
    if (force) return error.message;
    throw new RelayError(error.code, `The login in the copy cannot be opened. ${error.message}`, {
      remedy:
        'Nothing was changed. Bring back the key that sealed it (master.key in the home, RELAY_ENCRYPTION_KEY, or the keychain of the user who made the copy); or restore all the rest with --force, then run `relay login`.',
      cause: error,
    });
  }
}

const KEY_FAILURES: readonly string[] = ['KEY_MISMATCH', 'KEY_UNAVAILABLE'];

/** What of the path does not exist yet, the innermost first. */
async function missingDirectories(path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = path; !(await exists(at)) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  return missing;
}
