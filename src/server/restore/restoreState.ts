/** Copies the state of a home, and restores a copy: checks it, adapts it to this home, and puts it in place while nobody else holds the home. */
import { rmdir, stat } from 'node:fs/promises';
import { type Clock, isoOf, type Random } from '../../base/clock.ts';
import { exists } from '../../base/files.ts';
import { makeDirectories } from '../../base/filesSync.ts';
import { silentLog } from '../../base/log.ts';
import { keyOptions, type Settings } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import { isKeyFailure } from '../../domain/failureClass.ts';
import { companionsOf } from '../../library/files/files.ts';
import { loadMasterKey, type MasterKey } from '../../secrets/masterKey.ts';
import { createSealer } from '../../secrets/seal.ts';
import { type Backup, type BackupOptions, backUpState } from '../../store/backup.ts';
import { type Disk, readOnlyDisk } from '../../store/disk.ts';
import { ensureHome, homeError } from '../../store/home/home.ts';
import { acquireHome } from '../../store/home/lock.ts';
import { type Copy, openCopy, replaceFiles } from '../../store/restore.ts';
import { openStore, type Store, stateFilePath } from '../../store/store.ts';
import { getAccount, putAccount } from '../../store/tables/account.ts';
import { countAliases } from '../../store/tables/aliases.ts';
import { forgetAllBrowsers } from '../../store/tables/browsers.ts';
import { listKeepTimes } from '../../store/tables/keeps.ts';
import { deleteSecret, getSecret, listSecrets, putSecret } from '../../store/tables/secrets.ts';
import { countJobs } from '../../store/tables/works.ts';
import { createVault, isSealed } from '../../store/vault.ts';
import { holdWriting } from '../../work/restored.ts';
import { API_KEY_SECRET } from '../access/credentials.ts';
import { PROVIDER_TOKENS } from '../accountStore.ts';

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
  /** The disk; tests pass one that fails. */
  disk?: Disk;
}

export type Restored = Awaited<ReturnType<typeof fitAndReplace>>;

/** Copies the state into one file, with versions and plays. @throws as `backUpState` does */
export function backUpHome(options: BackupOptions & { home: string }): Promise<Backup> {
  return backUpState({ ...options, companions: companionsOf(options.home) });
}

/**
 * @throws RelayError `USAGE`, `STATE_DAMAGED` or `STATE_TOO_NEW` about the copy; `KEY_MISMATCH`, `KEY_UNAVAILABLE`,
 * `SETTINGS_INVALID`, `ALREADY_RUNNING`, `HOME_UNUSABLE`, `STORE_ERROR`. After an error, the state is unchanged
 */
export async function restoreState(options: RestoreOptions): Promise<Restored> {
  const { home } = options.settings;
  const copy = await openCopy(options.file, home, options.clock, companionsOf(home));
  let made: string[] = [];
  try {
    made = directoriesFor(home);
    await ensureHome(home);
    const lock = await takeHome(home);
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
    await copy.store.close(true);
  }
}

/** Makes the directories of a home that do not exist yet, and returns them, innermost first. @throws RelayError `HOME_UNUSABLE` */
function directoriesFor(home: string): string[] {
  try {
    return makeDirectories(home);
  } catch (error) {
    throw homeError(home, error);
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

async function fitAndReplace(options: RestoreOptions, copy: Copy) {
  const { settings, clock, signal, disk } = options;
  const { store, path: from, savedAt, companions } = copy;
  const keyProblem = await keyProblemOf(options, store);
  if (keyProblem && !options.force) throw sealedByAnother(keyProblem);
  const kept = await keepFrom(options, store, keyProblem === null);
  const heldJobs = holdWriting(store, savedAt);
  signal.throwIfAborted();
  const memory: Record<string, number> = {};
  const beside = companions.map((companion) => ({
    path: companion.path,
    content: () => copy.contentOf(companion),
    check(written: string) {
      memory[companion.table] = copy.countIn(written, companion);
    },
  }));
  // The state comes last. If the process is killed before that, restoring again repairs the home.
  const state = { path: await stateFilePath(settings.home), content: copy.content };
  const replaced = await replaceFiles([...beside, state], clock, disk);
  const keptPaths = replaced.map(({ keptPath }) => keptPath);
  return {
    path: state.path,
    from,
    /** New path of the former state file; null if there was none. */
    keptPath: keptPaths.at(-1) ?? null,
    savedAt: isoOf(savedAt),
    schemaVersion: store.state().schemaVersion,
    sizeBytes: (await stat(state.path)).size,
    aliases: countAliases(store),
    keptPlaylists: listKeepTimes(store).length,
    jobs: countJobs(store),
    /** Number of jobs that were writing, and now wait for the person. */
    heldJobs,
    /** Why the key of this home cannot open the login in the copy; null if it can. */
    keyProblem: keyProblem?.message ?? null,
    kept,
    /** Number of versions and of plays; what the copy does not carry is missing, and that of this home stays. */
    memory,
    /** The files with versions and plays that were replaced, with the new paths of the former ones. */
    keptBeside: companions.flatMap(({ path, holds }, at) => {
      const keptPath = keptPaths[at] ?? null;
      return keptPath === null ? [] : [{ path, holds, keptPath }];
    }),
  };
}

/** Decides about access, with the former state if that can be read. */
async function keepFrom(options: RestoreOptions, copy: Store, isCopyOpen: boolean): Promise<Kept> {
  const present = await presentState(options.settings.home, options.clock);
  try {
    const isOpen = present !== null && (await keyProblemOf(options, present)) === null;
    return keepPresent(copy, present && { store: present, isOpen }, isCopyOpen);
  } finally {
    await present?.close(true);
  }
}

/** Opens the state of the home to read it; null if there is none, or none that can be used. */
async function presentState(home: string, clock: Clock): Promise<Store | null> {
  if (!(await exists(await stateFilePath(home)))) return null;
  return openStore({ home, clock, log: silentLog, disk: readOnlyDisk }).catch((error: unknown) => {
    if (error instanceof RelayError) return null;
    throw error;
  });
}

/**
 * Opens every secret in a state once, and returns the key that does; null if there is none. Never creates a key.
 * @throws RelayError if the key of this home does not open them
 */
export async function openKey(
  { settings, clock, random }: Pick<RestoreOptions, 'settings' | 'clock' | 'random'>,
  store: Store,
): Promise<MasterKey | null> {
  if (!isSealed(store)) return null;
  const key = await loadMasterKey({ ...keyOptions(settings), allowCreate: false, clock });
  const vault = createVault(store, createSealer(key.key, random));
  await vault.verifyKey();
  for (const { name } of listSecrets(store)) vault.get(name);
  return key;
}

/** Says why the key of this home does not open the secrets of a state; null if it does. */
async function keyProblemOf(options: RestoreOptions, state: Store): Promise<RelayError | null> {
  try {
    await openKey(options, state);
    return null;
  } catch (error) {
    if (error instanceof RelayError && isKeyFailure(error)) return error;
    throw error;
  }
}

function sealedByAnother(problem: RelayError): RelayError {
  return problem.with({
    message: `The login in the copy cannot be opened. ${problem.message}`,
    remedy: {
      text: 'Nothing was changed. Bring back the key that encrypted the login. It was in master.key, in RELAY_ENCRYPTION_KEY, or in the keychain of the user who made the copy. Without it, restore with --force, then run {command}.',
      command: ['login'],
    },
  });
}

interface Present {
  store: Store;
  /** True if the key of this home opens the secrets in the store. */
  isOpen: boolean;
}

interface Kept {
  /** Where the API key of the restored state comes from; `new`: the next start creates one. */
  apiKey: 'present' | 'copy' | 'new';
  login: 'present' | 'copy';
}

/**
 * @param present the former state; null if there is none that can be read
 * @param isCopyOpen true if the key of this home opens the secrets of the copy
 */
function keepPresent(copy: Store, present: Present | null, isCopyOpen: boolean): Kept {
  return copy.transaction(() => {
    forgetAllBrowsers(copy);
    copy.run('delete from oauth_tokens');
    copy.run('delete from oauth_grants');
    // The owner may have sent a client away since. The approval page presents added, approved and long-known ones as trusted.
    copy.run(
      "update oauth_clients set source = 'registered', created_at = ?, approved_at = null, last_used_at = null",
      [copy.now()],
    );
    return keepSecrets(copy, present, isCopyOpen);
  });
}

function keepSecrets(copy: Store, present: Present | null, isCopyOpen: boolean): Kept {
  // Without a former state there is nothing to keep. If the key of this home does not open the copy, the two states may
  // have different keys. Then no key could open secrets from both.
  if (!present || !isCopyOpen) return { apiKey: 'copy', login: 'copy' };
  if (!present.isOpen) {
    // The API key may have been rotated in the state that cannot be read, so the copy's key may no longer be valid.
    deleteSecret(copy, API_KEY_SECRET);
    return { apiKey: 'new', login: 'copy' };
  }
  const account = getAccount(present.store);
  const inCopy = getAccount(copy);
  // A copy from before any login does not end a login.
  const isSame = inCopy === null || inCopy.providerUserId === account?.providerUserId;
  const keepsLogin = account !== null && isSame;
  if (keepsLogin) putAccount(copy, account, copy.now());
  if (keepsLogin) for (const name of PROVIDER_TOKENS) deleteSecret(copy, name);
  deleteSecret(copy, API_KEY_SECRET);
  for (const { name, sealed, updatedAt } of listSecrets(present.store)) {
    if (keepsLogin || !PROVIDER_TOKENS.includes(name)) putSecret(copy, name, sealed, updatedAt);
  }
  const hasKey = getSecret(present.store, API_KEY_SECRET) !== null;
  return { apiKey: hasKey ? 'present' : 'new', login: keepsLogin ? 'present' : 'copy' };
}
