/**
 * The report of `relay status` without a server. Opens as much of the state as it can, and says what cannot be opened and what to
 * do about it. Changes nothing, creates no key and takes no lock.
 */
import { keyOptions } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import type { StatusReport } from '../../domain/localApi.ts';
import { keySource, loadMasterKey } from '../../secrets/masterKey.ts';
import { createSealer } from '../../secrets/seal.ts';
import { openDetached } from '../../store/file/open.ts';
import { readStateFile, stateFilePath } from '../../store/file/stateFile.ts';
import type { Store } from '../../store/types.ts';
import { createVault, isSealed } from '../../store/vault.ts';
import type { CoreOptions } from '../core.ts';
import { emptyFacts } from './emptyHome.ts';
import { type Facts, factsOf, reportOf } from './status.ts';

type Options = Pick<CoreOptions, 'settings' | 'version' | 'clock' | 'random'>;

export async function offlineStatus(options: Options): Promise<StatusReport> {
  try {
    return reportOf(await storedFacts(options));
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return reportOf({ ...(await emptyFacts(options)), problem: problemOf(error) });
  }
}

async function storedFacts(options: Options): Promise<Facts> {
  const { settings, version, clock } = options;
  const path = await stateFilePath(settings.home);
  const file = await readStateFile(path);
  if (!file) return emptyFacts(options);
  const { store, fileVersion: schemaVersion } = await openDetached(path, file, clock);
  try {
    const { key, problem } = await checkKey(options, store);
    const facts = factsOf({ settings, version, clock, store, key });
    const database = { ...facts.database, schemaVersion };
    const account = problem === null ? facts.account : { ...facts.account, connected: false };
    return { ...facts, database, account, problem };
  } finally {
    await store.close();
  }
}

async function checkKey({ settings, clock, random }: Options, store: Store) {
  const at = keyOptions(settings);
  const unread = async () => ({ source: await keySource(at), warning: null });
  if (!isSealed(store)) return { key: await unread(), problem: null };
  try {
    const { key, source, warning } = await loadMasterKey({ ...at, allowCreate: false, clock });
    await createVault(store, createSealer(key, random)).verifyKey();
    return { key: { source, warning }, problem: null };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return { key: await unread(), problem: problemOf(error) };
  }
}

function problemOf({ code, message, remedyValue }: RelayError): Facts['problem'] {
  return { code, message, remedy: remedyValue ?? null };
}
