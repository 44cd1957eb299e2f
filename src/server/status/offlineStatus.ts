/**
 * The report of `relay status` without a server. Opens as much of the state as it can, and says what cannot be opened and what to
 * do about it. Changes nothing, creates no key and takes no lock.
 */
import { join } from 'node:path';
import { keyOptions, type Settings } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import type { StatusReport } from '../../domain/localApi.ts';
import { MIGRATIONS } from '../../generated/sql.ts';
import { keySource, loadMasterKey } from '../../secrets/masterKey.ts';
import { createSealer } from '../../secrets/seal.ts';
import { openDetached } from '../../store/file/open.ts';
import { readStateFile, stateFilePath } from '../../store/file/stateFile.ts';
import type { Store } from '../../store/types.ts';
import { createVault, isSealed } from '../../store/vault.ts';
import { NO_ACCOUNT } from '../accountStore.ts';
import type { CoreOptions } from '../core.ts';
import { accountFacts, type Facts, factsOf, reportOf } from './status.ts';

type Options = Pick<CoreOptions, 'settings' | 'version' | 'clock' | 'random'>;

export async function offlineStatus(options: Options): Promise<StatusReport> {
  try {
    return reportOf(await storedFacts(options));
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const facts = await emptyFacts(options);
    return reportOf({ ...facts, database: closed(facts.database, error), problem: problemOf(error) });
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

/** The facts about a home whose state is missing or cannot be opened. */
async function emptyFacts({ settings, version }: Options): Promise<Facts> {
  const { home, demo } = settings;
  return {
    version,
    demo,
    home,
    server: null,
    account: accountFacts(NO_ACCOUNT),
    key: await unreadKey(settings),
    database: {
      path: join(home, 'relay.db'),
      status: 'ok',
      schemaVersion: 0,
      expectedVersion: MIGRATIONS.at(-1)?.version ?? 0,
      schemaState: 'current',
      sizeBytes: 0,
      lastSavedAt: null,
    },
    mcp: {
      authMode: settings.mcpAuthMode,
      apiKeySet: settings.mcpApiKey !== null,
      clients: 0,
      registrationOpen: settings.dynamicRegistration,
      browsers: 0,
    },
    rateLimits: { blocked: [], requests24h: 0 },
    secrets: { mcpApiKey: false, providerClientSecret: false },
    jobs: { byStatus: {}, committable: 0, reviewRequired: 0, nextRunAfter: null },
    kept: { total: 0, review: 0, waiting: 0, paused: 0 },
    recentErrors: [],
    ownerCode: null,
    problem: null,
  };
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
