/** A home without a server: the owner's calls, which open the state for as long as a command takes, and the report of `relay status`. */
import { exists } from '../base/files.ts';
import { silentLog } from '../base/log.ts';
import { keyOptions } from '../config/settings.ts';
import { RelayError } from '../domain/errors.ts';
import { callsOf, type StatusReport } from '../domain/localApi.ts';
import { keySource } from '../secrets/masterKey.ts';
import { type Disk, readOnlyDisk } from '../store/disk.ts';
import { SHORT_COMMAND } from '../store/home/lockFile.ts';
import { noState, openStore, type Store, stateFilePath } from '../store/store.ts';
import { carryOut, type LocalApi } from './calls.ts';
import { type Core, type CoreOptions, type HomeOptions, openCore } from './core.ts';
import { openKey } from './restore/restoreState.ts';
import { type Facts, factsOf, reportOf } from './status/status.ts';

export type Offline = Awaited<ReturnType<typeof openOffline>>;

/**
 * The calls reject with a RelayError about the home, the lock, the state file or the key, but for `status`, whose report contains such
 * an error. In a home without a state, all others are refused: a mistyped `--home` must not leave directories behind.
 */
export async function openOffline(options: HomeOptions) {
  const { home, providerClientId } = options.settings;
  let opening: Promise<Core> | null = null;
  const open = async (): Promise<Core> => {
    if (!(await exists(await stateFilePath(home)))) throw noState(home);
    return openCore({ ...options, purpose: SHORT_COMMAND, readClientId: () => providerClientId });
  };
  return {
    local: callsOf<LocalApi>(async (name, given) => {
      if (name === 'status') return offlineStatus(options);
      opening ??= open();
      return carryOut(name, given, await opening, null);
    }),
    async close(): Promise<void> {
      const core = await opening?.catch(() => null);
      await core?.close();
    },
  };
}

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

async function checkKey(options: Options, store: Store) {
  const unread = async () => ({ source: await keySource(keyOptions(options.settings)), warning: null });
  try {
    return { key: (await openKey(options, store)) ?? (await unread()), problem: null };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return { key: await unread(), problem: problemOf(error) };
  }
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
