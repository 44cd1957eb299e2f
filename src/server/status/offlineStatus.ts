/**
 * The report of `relay status` without a server. Opens as much of the state as it can, and says what cannot be opened and what to
 * do about it. Changes nothing, creates no key and takes no lock.
 */
import { exists } from '../../base/files.ts';
import { silentLog } from '../../base/log.ts';
import { keyOptions, type Settings } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import type { StatusReport } from '../../domain/localApi.ts';
import { keySource, loadMasterKey } from '../../secrets/masterKey.ts';
import { createSealer } from '../../secrets/seal.ts';
import { type Disk, readOnlyDisk } from '../../store/disk.ts';
import { openStore, type Store, stateFilePath } from '../../store/store.ts';
import { createVault, isSealed } from '../../store/vault.ts';
import type { CoreOptions } from '../core.ts';
import { type Facts, factsOf, reportOf } from './status.ts';

type Options = Pick<CoreOptions, 'settings' | 'version' | 'clock' | 'random'>;

export async function offlineStatus(options: Options): Promise<StatusReport> {
  const { home } = options.settings;
  try {
    return reportOf(await factsIn(options, readOnlyDisk, await exists(await stateFilePath(home))));
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const facts = await factsIn(options, { ...readOnlyDisk, read: async () => null }, false);
    return reportOf({ ...facts, database: closed(facts.database, error), problem: problemOf(error) });
  }
}

/** Collects the facts in the state that is on a disk; those of an empty one if there is none (`isThere`). */
async function factsIn(options: Options, disk: Disk, isThere: boolean): Promise<Facts> {
  const { settings, version, clock } = options;
  const store = await openStore({ home: settings.home, clock, log: silentLog, disk });
  try {
    const { key, problem } = await checkKey(options, store);
    const facts = factsOf({ settings, version, clock, store, key });
    const database = isThere
      ? facts.database
      : { ...facts.database, schemaVersion: 0, sizeBytes: 0, lastSavedAt: null };
    const account = problem === null ? facts.account : { ...facts.account, connected: false };
    const mcp = { ...facts.mcp, apiKeySet: isThere || settings.mcpApiKey !== null };
    return { ...facts, database, account, mcp, problem };
  } finally {
    await store.close();
  }
}

async function checkKey({ settings, clock, random }: Options, store: Store) {
  if (!isSealed(store)) return { key: await unreadKey(settings), problem: null };
  try {
    const { key, source, warning } = await loadMasterKey({
      ...keyOptions(settings),
      allowCreate: false,
      clock,
    });
    await createVault(store, createSealer(key, random)).verifyKey();
    return { key: { source, warning }, problem: null };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return { key: await unreadKey(settings), problem: problemOf(error) };
  }
}

async function unreadKey(settings: Settings): Promise<Facts['key']> {
  return { source: await keySource(keyOptions(settings)), warning: null };
}

/** The facts about the database if the state cannot be opened: `degraded`, because it cannot be saved either. */
function closed(database: Facts['database'], { code, details }: RelayError): Facts['database'] {
  if (code !== 'STATE_TOO_NEW') return { ...database, status: 'degraded' };
  return {
    ...database,
    status: 'degraded',
    schemaVersion: Number(details?.schemaVersion),
    schemaState: 'ahead',
  };
}

function problemOf({ code, message, remedyValue }: RelayError): Facts['problem'] {
  return { code, message, remedy: remedyValue ?? null };
}
