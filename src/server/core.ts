/**
 * The program without HTTP: one home, held by this process, with its state, its key and the provider client. A server adds
 * routes to this core. A command that runs without a server uses the core directly.
 */

import type { Clock, Random } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { configuredClients } from '../config/oauthClients.ts';
import { keyOptions, type Settings } from '../config/settings.ts';
import { RelayError } from '../domain/errors.ts';
import { createLibrary, type Library, type LibraryOptions } from '../library/library.ts';
import { removeUploads } from '../library/plays/importPlays.ts';
import { watchedProvider } from '../library/watchedProvider.ts';
import { createAuthorizationServer } from '../oauth/server.ts';
import type { ProviderApp } from '../provider/account/accountsApi.ts';
import { createLogin } from '../provider/account/login.ts';
import { createTokenSource, onlyToken } from '../provider/account/tokenSource.ts';
import { createErrorHistory } from '../provider/http/errorHistory.ts';
import { createLimits } from '../provider/http/limits.ts';
import { createProviderApi } from '../provider/http/send.ts';
import type { Transport } from '../provider/http/transport.ts';
import { keepPlaylistNames } from '../provider/knownNames.ts';
import { loadMasterKey } from '../secrets/masterKey.ts';
import { createSealer } from '../secrets/seal.ts';
import { type Disk, diskProblem } from '../store/disk.ts';
import { ensureHome } from '../store/home/home.ts';
import { acquireHome } from '../store/home/lock.ts';
import { keepFile } from '../store/restore.ts';
import { openStore, type Store } from '../store/store.ts';
import { putPlaylistName } from '../store/tables/playlistNames.ts';
import { createVault, isSealed } from '../store/vault.ts';
import { createApiKey } from './access/credentials.ts';
import { accountView, createKeepers } from './accountStore.ts';
import { createQuietLog } from './log/quietLog.ts';

export interface HomeOptions {
  settings: Settings;
  clock: Clock;
  random: Random;
  log: Log;
  version: string;
  /** True if the owner asked to start over after the key was lost; the secrets sealed with that key are dropped. */
  startOver?: boolean;
  /** Replacements for the disk, the network and more; by default those of this machine are used. */
  ground?: {
    transport?: Transport;
    disk?: Disk;
    library?(options: LibraryOptions): Library;
    /** Takes the home for this process alone. @throws RelayError `HOME_UNUSABLE`, `ALREADY_RUNNING` */
    hold?(home: string, purpose: string): Promise<{ release(): Promise<void> }>;
  };
}

export interface CoreOptions extends HomeOptions {
  /** The command that holds the home, such as `relay serve`; shown by another command that finds the home taken. */
  purpose: string;
  /** Reads the client ID again each time, since `relay login` and `relay config set` may set it while a server runs. */
  readClientId: () => string | null;
}

export type Core = ReturnType<typeof assemble>;

/** Opens a home. @throws RelayError about the home, the lock, the state file or the key; the home is then free again */
export async function openCore(options: CoreOptions): Promise<Core> {
  const { settings, clock, log, ground = {} } = options;
  const { disk, hold = holdHome(log) } = ground;
  const lock = await hold(settings.home, options.purpose);
  try {
    const store = await openStore({ home: settings.home, clock, log, ...(disk ? { disk } : {}) });
    try {
      const opened = await openSecrets(options, store);
      const core = assemble(options, store, opened, async () => {
        try {
          await core.library.stop();
          await store.close();
        } finally {
          await lock.release();
        }
      });
      return core;
    } catch (error) {
      await store.close().catch(() => {});
      throw notRetried(error);
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** A save that the disk refuses while the home is opened is not retried, since the process ends. */
function notRetried(error: unknown): unknown {
  if (!(error instanceof RelayError) || error.code !== 'STORE_ERROR' || !error.cause) return error;
  const { remedy } = diskProblem(error.cause);
  return error.with({ remedy: `${remedy}, then try again. Nothing already saved is lost.` });
}

function holdHome(log: Log) {
  return async (home: string, purpose: string) => {
    await ensureHome(home, log);
    const lock = await acquireHome(home, purpose);
    // Nobody else has the home now, so no upload is under way.
    await removeUploads(home).catch(() => {});
    return lock;
  };
}

async function openSecrets(options: CoreOptions, store: Store) {
  const { settings, clock, random } = options;
  const key = await loadMasterKey({
    ...keyOptions(settings),
    // A new key could not open secrets that are sealed already. A start over drops those secrets.
    allowCreate: options.startOver === true || !isSealed(store),
    clock,
  });
  const vault = createVault(store, createSealer(key.key, random));
  if (options.startOver) {
    // If the owner finds the lost key, the kept file still has the login.
    const kept = await keepFile(store.state().path, 'before-start-over', clock);
    await vault.startOver();
    options.log.warn({}, `The state with the former login is kept in ${kept}.`);
  }
  await vault.verifyKey();
  const apiKey = await createApiKey(settings.mcpApiKey, store, vault, random);
  return { key, vault, apiKey };
}

function assemble(
  options: CoreOptions,
  store: Store,
  { key, vault, apiKey }: Awaited<ReturnType<typeof openSecrets>>,
  close: () => Promise<void>,
) {
  const { settings, clock, random, log, version, readClientId } = options;
  const quietLog = createQuietLog(log, clock);
  const keepers = createKeepers(store, vault, clock);
  const app = (): ProviderApp => ({
    accountsUrl: settings.providerAccountsUrl,
    clientId: readClientId() ?? '',
    clientSecret: settings.providerClientSecret,
  });
  const { transport, library: makeLibrary = createLibrary } = options.ground ?? {};
  const limits = createLimits(store, clock);
  const useApp = () => {
    const clientId = readClientId();
    if (clientId !== null) limits.useApp(clientId);
  };
  useApp();
  const tokens = createTokenSource({ app, keeper: keepers.tokens, limits, clock, log, transport });
  const toProvider = {
    apiUrl: settings.providerApiUrl,
    limits,
    history: createErrorHistory(store, clock),
    clock,
    random,
    transport,
  };
  const unwatched = createProviderApi({ ...toProvider, tokens });
  const library = makeLibrary({
    home: settings.home,
    provider: unwatched,
    store,
    clock,
    random,
    log,
    budget: settings.demo
      ? null
      : { perDay: settings.libraryRequestsPerDay, perMinute: settings.libraryRequestsPerMinute },
  });
  const provider = watchedProvider(unwatched, library.watcher);
  keepPlaylistNames(provider, (id, told) => putPlaylistName(store, id, told, clock.now()));
  const connected: Array<() => void> = [];
  const login = createLogin({
    app,
    apiWith(token) {
      // The client ID may have been set since the start.
      useApp();
      return createProviderApi({ ...toProvider, tokens: onlyToken(token) });
    },
    keeper: {
      read: keepers.accounts.read,
      connect: (account, fresh) => tokens.during(() => keepers.accounts.connect(account, fresh)),
    },
    clock,
    random,
    transport,
    onConnected() {
      for (const tell of connected) tell();
    },
  });
  return {
    ...{ settings, clock, random, log, version, store, apiKey, provider, library, login, close },
    /** The log for events that strangers cause: the same log, but with each warning at most a few times a minute. */
    quietLog,
    /** As the settings had it at the start, until the owner chooses on the page. */
    covers: { areShown: settings.covers },
    key: { source: key.source, warning: key.warning, created: key.created },
    oauth: createAuthorizationServer({
      ...{ store, configured: configuredClients(settings), clock, random, log: quietLog },
    }),
    account: {
      view: () => accountView(store, clock),
      /** Forgets the account; returns the one that was connected, or null if none was. */
      disconnect: () => tokens.during(() => keepers.disconnect()),
    },
    onConnected: (tell: () => void) => void connected.push(tell),
    clientId: readClientId,
  };
}
