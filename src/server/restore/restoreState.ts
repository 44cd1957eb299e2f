/** Copies the state of a home, and restores a copy: checks it, adapts it to this home, and puts it in place while nobody else holds the home. */
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, isoOf, type Random } from '../../base/clock.ts';
import { exists } from '../../base/files.ts';
import { keyOptions, type Settings } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import { isKeyFailure } from '../../domain/failureClass.ts';
import { companionsOf } from '../../library/files/files.ts';
import { loadMasterKey } from '../../secrets/masterKey.ts';
import { createSealer } from '../../secrets/seal.ts';
import { type Backup, type BackupOptions, backUpState } from '../../store/copies/backup.ts';
import type { RowCounts } from '../../store/copies/companion.ts';
import {
  type Copy,
  type Replaced,
  readCopy,
  replaceByImage,
  takeBack,
} from '../../store/copies/restoreCopy.ts';
import { openDetached, type Store } from '../../store/file/open.ts';
import type { SaveFs } from '../../store/file/save.ts';
import { readStateFile, stateFilePath } from '../../store/file/stateFile.ts';
import { ensureHome } from '../../store/home/home.ts';
import { acquireHome } from '../../store/home/lock.ts';
import { countAliases } from '../../store/tables/aliases.ts';
import { listKeepTimes } from '../../store/tables/keeps.ts';
import { listSecrets } from '../../store/tables/secrets.ts';
import { countJobs } from '../../store/tables/works.ts';
import { createVault, isSealed } from '../../store/vault.ts';
import { holdWriting } from '../../work/restored.ts';
import { type Kept, keepPresent } from './keepPresent.ts';

export interface RestoreOptions {
  settings: Settings;
  /** The copy, as the person gave it. */
  file: string;
  /** True to restore even if the login in the copy cannot be opened here. */
  force: boolean;
  clock: Clock;
  random: Random;
  /** Aborts the restore, unless the replacement has begun. After an abort, nothing has changed. */
  signal: AbortSignal;
  /** File operations; tests pass some that fail. */
  fs?: SaveFs;
}

export interface Restored {
  /** Path of the state file. */
  path: string;
  /** Path of the copy. */
  from: string;
  /** New path of the former state file; null if there was none. */
  keptPath: string | null;
  /** Time of the copy, ISO 8601. */
  savedAt: string | null;
  /** Schema version after the restore, which migrates an older copy. */
  schemaVersion: number;
  sizeBytes: number;
  aliases: number;
  /** Number of kept playlists. */
  keptPlaylists: number;
  /** Number of jobs by status; a status without jobs is left out. */
  jobs: Record<string, number>;
  /** Number of jobs that were writing, and now wait for the person. */
  heldJobs: number;
  /** Why the key of this home cannot open the login in the copy; null if it can. */
  keyProblem: string | null;
  kept: Kept;
  /** Number of versions and of plays; what the copy does not carry is missing, and that of this home stays. */
  memory: RowCounts;
  /** The files with versions and plays that were replaced, with the new paths of the former ones. */
  keptBeside: Array<{ path: string; holds: string; keptPath: string }>;
}

/** Copies the state into one file, with versions and plays. @throws as `backUpState` does */
export function backUpHome(options: BackupOptions & { home: string }): Promise<Backup> {
  return backUpState({ ...options, companions: companionsOf(options.home) });
}

/**
 * @throws RelayError `USAGE` or `STATE_TOO_NEW` about the copy; `STATE_DAMAGED` about the copy, or about a present file that may be
 * in use; `KEY_MISMATCH`, `KEY_UNAVAILABLE`, `SETTINGS_INVALID`, `ALREADY_RUNNING`, `HOME_UNUSABLE`, `STORE_ERROR`. After an
 * error, the state is unchanged
 */
export async function restoreState(options: RestoreOptions): Promise<Restored> {
  const { settings, file, clock } = options;
  const copy = await readCopy(file, settings.home, clock, companionsOf(settings.home));
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
    // Only empty directories are removed, so a state that was created meanwhile stays.
    for (const directory of made) await rmdir(directory).catch(() => {});
    throw error;
  } finally {
    await copy.store.close();
  }
}

async function takeHome(home: string) {
  try {
    return await acquireHome(home, 'relay restore');
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== 'ALREADY_RUNNING') throw error;
    throw error.with({ remedy: 'Nothing was changed. Stop it first, then restore again.' });
  }
}

async function fitAndReplace(options: RestoreOptions, copy: Copy): Promise<Restored> {
  const { settings, clock, signal, fs } = options;
  const { store, path: from, savedAt } = copy;
  const { keyProblem, open } = await checkKey(options, store);
  const kept = await keepFrom(settings.home, clock, open, store);
  const heldJobs = holdWriting(store, savedAt);
  const image = copy.image();
  signal.throwIfAborted();
  const beside: Array<Replaced & { holds: string }> = [];
  const state = await stateFilePath(settings.home);
  // The state comes last. If the process is killed before that, restoring again repairs the home.
  const { path, keptPath } = await replaceAll().catch(async (error) => {
    for (const one of beside) await takeBack(one, fs).catch(() => {});
    throw error;
  });
  return {
    path,
    from,
    keptPath,
    savedAt: isoOf(savedAt),
    schemaVersion: store.state().schemaVersion,
    sizeBytes: image.length,
    aliases: countAliases(store),
    keptPlaylists: listKeepTimes(store).length,
    jobs: countJobs(store),
    heldJobs,
    keyProblem,
    kept,
    memory: Object.fromEntries(copy.companions.map(({ companion, rows }) => [companion.table, rows])),
    keptBeside: beside.flatMap(({ keptPath, ...one }) => (keptPath === null ? [] : [{ ...one, keptPath }])),
  };

  async function replaceAll(): Promise<Replaced> {
    for (const { companion, image } of copy.companions) {
      const replaced = await replaceByImage(companion.path, image, clock, fs);
      beside.push({ ...replaced, holds: companion.holds });
    }
    return replaceByImage(state, image, clock, fs);
  }
}

/** Decides about access, with the former state if that can be read. */
async function keepFrom(home: string, clock: Clock, open: KeyCheck, copy: Store): Promise<Kept> {
  const present = await presentState(home, clock);
  try {
    const isOpen = present !== null && (await open(present));
    return keepPresent(copy, present && { store: present, isOpen }, await open(copy));
  } finally {
    await present?.close();
  }
}

async function presentState(home: string, clock: Clock): Promise<Store | null> {
  try {
    const path = await stateFilePath(home);
    const file = await readStateFile(path);
    return file && (await openDetached(path, file, clock)).store;
  } catch (error) {
    if (error instanceof RelayError) return null;
    throw error;
  }
}

/** True if the key of this home opens all secrets in a state. */
type KeyCheck = (store: Store) => Promise<boolean>;

/**
 * Opens every secret of the copy once. Never creates a key.
 * @returns `keyProblem`: with `force`, what is wrong with the key, or null if nothing is; `open`: the same check for any state
 * @throws RelayError `KEY_MISMATCH`, `KEY_UNAVAILABLE` without `force`, if the key does not open the copy; `SETTINGS_INVALID`
 */
async function checkKey(
  { settings, force, clock, random }: RestoreOptions,
  store: Store,
): Promise<{ keyProblem: string | null; open: KeyCheck }> {
  const load = () => loadMasterKey({ ...keyOptions(settings), allowCreate: false, clock });
  const openAll = async (state: Store): Promise<void> => {
    if (!isSealed(state)) return;
    const { key } = await load();
    const vault = createVault(state, createSealer(key, random));
    await vault.verifyKey();
    for (const { name } of listSecrets(state)) vault.get(name);
  };
  const open: KeyCheck = (state) =>
    openAll(state).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RelayError && isKeyFailure(error)) return false;
        throw error;
      },
    );
  try {
    await openAll(store);
    return { keyProblem: null, open };
  } catch (error) {
    if (!(error instanceof RelayError) || !isKeyFailure(error)) throw error;
    if (force) return { keyProblem: error.message, open };
    throw error.with({
      message: `The login in the copy cannot be opened. ${error.message}`,
      remedy: {
        text: 'Nothing was changed. Bring back the key that encrypted the login. It was in master.key, in RELAY_ENCRYPTION_KEY, or in the keychain of the user who made the copy. Without it, restore with --force, then run {command}.',
        command: ['login'],
      },
    });
  }
}

/** The directories in the path that do not exist yet, innermost first. */
async function missingDirectories(path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = path; !(await exists(at)) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  return missing;
}
