/** The owner's calls in a home without a state: most find nothing, a few create the state. */
import { join } from 'node:path';
import { keyOptions } from '../../config/settings.ts';
import type { LocalApi } from '../../domain/localApi.ts';
import { MIGRATIONS } from '../../generated/sql.ts';
import { keySource } from '../../secrets/masterKey.ts';
import { noState } from '../../store/file/stateFile.ts';
import type { CoreOptions } from '../core.ts';
import { ownerPreview } from '../ownerLists.ts';
import type { Facts } from './status.ts';

type Options = Pick<CoreOptions, 'settings' | 'version' | 'clock'>;

/** @param make makes the state and opens it */
export function localApiWithoutState(
  options: Options,
  make: () => Promise<LocalApi>,
): Omit<LocalApi, 'status'> {
  const refuse = async () => {
    throw noState(options.settings.home);
  };
  return {
    logout: async () => ({ wasConnected: false, name: null, libraryDeleted: false }),
    showKey: async () => (await make()).showKey(),
    rotateKey: async () => (await make()).rotateKey(),
    addClient: async (client) => (await make()).addClient(client),
    setClientSecret: async (value) => (value === null ? refuse() : (await make()).setClientSecret(value)),
    startLogin: refuse,
    loginProgress: refuse,
    pasteLogin: refuse,
    ownerTicket: refuse,
    ownerTicketWaits: refuse,
    saveState: refuse,
    listClients: refuse,
    revokeClient: refuse,
    listBrowsers: refuse,
    forgetBrowsers: refuse,
    listRemembered: refuse,
    forgetRemembered: refuse,
    listChanges: refuse,
    undoChange: refuse,
    previewImport: async (list) =>
      ownerPreview({ store: null, clock: options.clock, resolver: { knows: () => false } }, list),
    startImport: refuse,
    getJob: refuse,
    commitJob: refuse,
    playlistNames: refuse,
    listPlaylists: refuse,
    getPlaylist: refuse,
    playlistRows: refuse,
    savedRows: refuse,
    libraryStatus: refuse,
    syncLibrary: refuse,
    askLibrary: refuse,
    forgetLibrary: refuse,
    playlistVersions: refuse,
    playlistVersion: refuse,
    restorePlaylist: refuse,
    stay: refuse,
  };
}

/** What is known of a home without a state. */
export async function emptyFacts({ settings, version }: Options): Promise<Facts> {
  const { home, demo } = settings;
  return {
    version,
    demo,
    home,
    server: null,
    account: {
      connected: false,
      reauthorizationRequired: false,
      name: null,
      id: null,
      scopes: [],
      missingScopes: [],
      accessTokenExpiresAt: null,
      loginExpiresAt: null,
      daysLeft: null,
    },
    key: {
      source: await keySource(keyOptions(settings)),
      warning: null,
    },
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
    recentErrors: [],
    ownerCode: null,
    problem: null,
  };
}
