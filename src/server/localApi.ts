/** The owner's calls, made by the process that holds the state. */
import { withDeadline } from '../base/abort.ts';
import { isoOf } from '../base/clock.ts';
import { hashOf } from '../base/digest.ts';
import { RelayError, tookTooLong } from '../domain/errors.ts';
import type { LocalApi } from '../domain/localApi.ts';
import { createResolver } from '../resolve/resolver.ts';
import { countAliases } from '../store/tables/aliases.ts';
import { playlistNames } from '../tools/playlists/playlistNames.ts';
import type { Services } from '../tools/tool.ts';
import { browserSummaries, forgetBrowsers } from './access/browserAdmin.ts';
import { addClient, listClients, revokeClient } from './access/clientAdmin.ts';
import type { Credentials } from './access/credentials.ts';
import type { Owner } from './access/owner.ts';
import type { WaitingClients } from './access/waitingClients.ts';
import type { Core } from './core.ts';
import { leaveAccount } from './leaveAccount.ts';
import type { LastPlaying } from './owner/lastPlaying.ts';
import { ownerHistory, ownerUndo } from './ownerChanges.ts';
import {
  ownerImport,
  ownerPlaylist,
  ownerPlaylistRows,
  ownerPlaylists,
  ownerPreview,
  ownerSavedRows,
} from './ownerLists.ts';
import { ownerRestore, ownerVersion, ownerVersions } from './ownerVersions.ts';
import type { Presence } from './presence.ts';
import { forgetRemembered, rememberedMatches } from './remembered.ts';
import { LOGIN_PATH } from './routes/login.ts';
import { type ServerFacts, statusReport } from './status/status.ts';

/** Below the 60 s that the command line waits for a silent server. */
const ASK_MS = 50_000;

/** What only a running server has. */
export interface ServerSide {
  facts: ServerFacts;
  credentials: Credentials;
  owner: Owner;
  /** Where the provider sends the browser back to. */
  redirectUri: string;
  services: Services;
  presence: Presence;
  /** The login that the owner's page began last. */
  pageLogin: { attemptId: string | null };
  waitingClients: WaitingClients;
  /** What the player was found doing last; null before anything has asked for it. */
  lastPlaying: () => LastPlaying | null;
  /** Where clients keep their files. */
  env: NodeJS.ProcessEnv;
  /** What starts this program. */
  program: () => Promise<readonly string[]>;
}

export function createLocalApi(core: Core, server: ServerSide | null): LocalApi {
  const running = (): ServerSide => {
    if (server) return server;
    throw new RelayError('NO_SERVER', 'No server is running.', {
      remedy: { text: 'Start it with {command}.', command: ['serve'] },
    });
  };
  return {
    status: async () => statusReport(core, server?.facts ?? null, server?.owner.code ?? null),
    async startLogin(options) {
      const { redirectUri } = running();
      requireClientId(core);
      const { attemptId, providerUrl } = core.login.start({ ...options, redirectUri });
      const { origin } = new URL(redirectUri);
      const browserUrl = `${origin}${LOGIN_PATH}?${new URLSearchParams({ attempt: attemptId })}`;
      return { attemptId, browserUrl, providerUrl, redirectUri };
    },
    async ownerTicket({ attemptId }) {
      const { owner, facts, redirectUri } = running();
      const next = attemptId === null ? null : loginWithTicket(core, attemptId);
      // A login sets its cookie under the host that the provider sends the browser back to.
      return signInUrl(owner, attemptId === null ? facts.baseUrl : new URL(redirectUri).origin, next);
    },
    ownerTicketWaits: async (id) => ({ waits: running().owner.isWaiting(id) }),
    loginProgress: (attemptId, waitSeconds) => core.login.progress(attemptId, waitSeconds * 1000),
    pasteLogin: (attemptId, address) => core.login.paste(attemptId, address),
    async logout({ erase } = { erase: false }) {
      await forgetBrowsers(core, null);
      return leaveAccount(core, server?.services.jobs ?? null, erase);
    },
    showKey: async () => ({ key: core.apiKey.current(), fromEnvironment: core.apiKey.fromEnvironment }),
    async rotateKey() {
      const key = await core.apiKey.rotate();
      await forgetBrowsers(core, null);
      return { key };
    },
    setClientSecret: (value) => core.setClientSecret(value),
    async saveState() {
      await core.store.saveNow();
      await core.library.saveMemory();
      const { path, lastSavedAt, schemaVersion, sizeBytes } = core.store.state();
      return { path, savedAt: isoOf(lastSavedAt), schemaVersion, sizeBytes, keySource: core.key.source };
    },
    listClients: async () => ({ clients: listClients(core) }),
    addClient: (client) => addClient(core, client),
    revokeClient: (client, { forget }) => revokeClient(core, client, forget),
    listBrowsers: async () => ({ browsers: browserSummaries(core) }),
    forgetBrowsers: async (id) => ({ forgotten: await forgetBrowsers(core, id) }),
    listRemembered: async (limit) => ({
      remembered: rememberedMatches(core, limit),
      total: countAliases(core.store),
    }),
    forgetRemembered: (id) => forgetRemembered(core, id),
    listChanges: async (limit) => ownerHistory(running().services, limit),
    undoChange: async (request) => ownerUndo(running().services, request),
    previewImport: async (list) => {
      const { store, clock, provider } = core;
      return ownerPreview({ store, clock, resolver: createResolver(provider, store, clock) }, list);
    },
    async startImport(request) {
      const { services } = running();
      requireLogin(core);
      return ownerImport(services, request);
    },
    getJob: async (id) => running().services.jobs.get(id),
    commitJob: (id, options) => running().services.jobs.commit(id, options),
    async playlistNames(ids) {
      return { names: Object.fromEntries(await playlistNames(running().services, ids)) };
    },
    listPlaylists: async () => ({ playlists: await ownerPlaylists(running().services) }),
    getPlaylist: async (playlist) => ownerPlaylist(running().services, playlist),
    playlistRows: async (playlist) => ownerPlaylistRows(running().services, playlist),
    savedRows: async (offset) => ownerSavedRows(running().services, offset),
    libraryStatus: () => core.library.status(),
    async syncLibrary() {
      running();
      return core.library.sync();
    },
    async askLibrary(question) {
      running();
      const late = tookTooLong('The question', ASK_MS, 'Try again in a minute.');
      return withDeadline({ clock: core.clock, ms: ASK_MS, late }, (signal) =>
        core.library.ask(question, { signal }),
      );
    },
    async forgetLibrary(part) {
      await core.library.forget(part);
      return core.library.status();
    },
    playlistVersions: async (playlist) => ownerVersions(running().services, playlist),
    playlistVersion: async (id, version) => ownerVersion(running().services, id, version),
    restorePlaylist: async (request) => ownerRestore(running().services, request),
    stay: async (id, seconds) => running().presence.stay(id, seconds),
  };
}

/** The owner's page at `base`, with a ticket that signs its browser in; it then continues to `next`. */
export function signInUrl(owner: Owner, base: string, next: string | null): { url: string; id: string } {
  const ticket = owner.issueTicket(new URL(base).origin, next);
  const id = hashOf(ticket);
  // A query that nobody could know: what a program left in the browser's cache for `/` would get the ticket.
  return { url: `${base}/?${id.slice(0, 16)}#${new URLSearchParams({ ticket })}`, id };
}

/** Where the browser goes once it is signed in. The attempt is for the case that the ticket is too old by then. */
export function loginWithTicket(core: Core, attemptId: string): string {
  const query = new URLSearchParams({ ticket: core.login.issueTicket(attemptId), attempt: attemptId });
  return `${LOGIN_PATH}?${query}`;
}

/** A job would wait for the login, and nobody would look after it. */
function requireLogin(core: Core): void {
  if (core.account.view().connected) return;
  throw new RelayError('LOGIN_REQUIRED', 'No Spotify account is connected, or its login has ended.', {
    remedy: { text: 'Connect it with {command}, then import again.', command: ['login'] },
  });
}

/** @throws RelayError `SETTINGS_INVALID` */
export function requireClientId(core: Core): void {
  if (core.clientId() !== null) return;
  throw new RelayError('SETTINGS_INVALID', 'No Spotify app is set: its client ID is missing.', {
    remedy: { text: 'Run {command}, which asks for it.', command: ['login'] },
    details: { key: 'providerClientId' },
  });
}
