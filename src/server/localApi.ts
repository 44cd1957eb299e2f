/** Carries out the owner's calls in the process that holds the state, whether they come through the door or from this process. */
import * as z from 'zod';
import { isoOf } from '../base/clock.ts';
import { hashOf } from '../base/digest.ts';
import { lazy } from '../base/memoised.ts';
import { RelayError } from '../domain/errors.ts';
import { KEEP_ACTIONS, KEEP_INTERVALS } from '../domain/keep.ts';
import { LIBRARY_PARTS } from '../domain/library.ts';
import { LIST_FORMATS } from '../domain/listImport.ts';
import { type LocalApi, type LocalCall, localApiOf } from '../domain/localApi.ts';
import type { PlaysProgress } from '../domain/plays.ts';
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
import { inTime } from './inTime.ts';
import { leaveAccount } from './leaveAccount.ts';
import { localInput } from './localInput.ts';
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
import { forgetRemembered, rememberedMatches } from './remembered.ts';
import { importTarget } from './routes/bodies.ts';
import { LOGIN_PATH } from './routes/login.ts';
import { type ServerFacts, statusReport } from './status/status.ts';

/** How long `playsProgress` waits for an import of plays to end before it answers, in milliseconds. */
const PROGRESS_MS = 500;

/** The parts that only a running server has. */
export interface ServerSide {
  facts: ServerFacts;
  credentials: Credentials;
  owner: Owner;
  /** The address to which the provider sends the browser back. */
  redirectUri: string;
  services: Services;
  /** Reports that somebody uses the server. */
  used: () => void;
  /** Asks the process to end the server. Returns the names of the clients of `relay stdio`. */
  stop(): string[];
  /** ID of the last login that the owner's page began; null before the first one, and after Disconnect on the page. */
  pageLogin: { attemptId: string | null };
  waitingClients: WaitingClients;
  /** Returns the last known state of the player; null if none was read since the last login or logout. */
  lastPlaying: () => LastPlaying | null;
  /** The environment, which says where clients keep their files. */
  env: NodeJS.ProcessEnv;
  /** Returns the command line that starts relay: the program and its arguments. */
  program: () => Promise<readonly string[]>;
}

/** The process in which a call runs. */
interface Here {
  core: Core;
  server: ServerSide | null;
  /** The server in this process. @throws RelayError `NO_SERVER` if there is none */
  running(): ServerSide;
}

/** A home that holds no state. */
export interface EmptyHome {
  clock: Core['clock'];
  /** Creates the state and opens it. */
  make(): Promise<LocalApi>;
  /** Refuses a call. @throws RelayError `NOT_FOUND`, always */
  refuse(): Promise<never>;
}

type Asked<C extends LocalCall> =
  Parameters<LocalApi[C]> extends [] ? object : NonNullable<Parameters<LocalApi[C]>[0]>;
type Told<C extends LocalCall> = ReturnType<LocalApi[C]>;

/** How one of the owner's calls is carried out: in a server, in a command without a server, or in a home without a state. */
interface Operation<C extends LocalCall> {
  /** Shape of the request body. */
  input: () => z.ZodType<Asked<C>>;
  run(asked: Asked<C>, here: Here): Told<C>;
  /** Carries out the call in a home without a state; if missing, the call is refused there. */
  inEmptyHome?(asked: Asked<C>, home: EmptyHome): Told<C>;
}

const nothing = () => z.object({});
const question = () =>
  z.object({
    sql: z.string().min(1).max(10_000),
    limit: z.int().min(1).max(500).nullable(),
    maxAgeMinutes: z.int().min(0).max(10_080),
  });
const jobId = () => z.string().max(100);
const playlist = () => z.object({ playlist: z.string().min(1).max(500) });
const listContent = () => ({
  content: z.string(),
  tracksOnly: z.boolean(),
  format: z.enum(LIST_FORMATS).optional(),
  encoding: z.string().max(40).optional(),
  artistSide: z.enum(['left', 'right']).optional(),
  list: z.string().optional(),
  fileName: z.string().max(1_000).optional(),
  allPlays: z.boolean().optional(),
});

/** Every call of `LocalApi`, with the input that it takes and what it does. */
const OPERATIONS: { readonly [C in LocalCall]: Operation<C> } = {
  status: {
    input: nothing,
    run: async (_, { core, server }) => statusReport(core, server?.facts ?? null, server?.owner.code ?? null),
  },
  startLogin: {
    input: () => z.object({ switchAccount: z.boolean() }),
    async run(options, { core, running }) {
      const { redirectUri } = running();
      requireClientId(core);
      const { attemptId, providerUrl } = core.login.start({ ...options, redirectUri });
      const { origin } = new URL(redirectUri);
      const browserUrl = `${origin}${LOGIN_PATH}?${new URLSearchParams({ attempt: attemptId })}`;
      return { attemptId, browserUrl, providerUrl, redirectUri };
    },
  },
  ownerTicket: {
    input: () => z.object({ attemptId: z.string().nullable() }),
    async run({ attemptId }, { core, running }) {
      const { owner, facts, redirectUri } = running();
      const next = attemptId === null ? null : loginWithTicket(core, attemptId);
      // The provider sends the browser back to the host of the redirect URI, and the browser must then send the login's cookie.
      // A cookie belongs to one host, so a login begins under that host.
      return signInUrl(owner, attemptId === null ? facts.baseUrl : new URL(redirectUri).origin, next);
    },
  },
  ownerTicketWaits: {
    input: () => z.object({ id: z.string() }),
    run: async ({ id }, { running }) => ({ waits: running().owner.isWaiting(id) }),
  },
  loginProgress: {
    input: () => z.object({ attemptId: z.string(), waitSeconds: z.number().min(0).max(25) }),
    run: ({ attemptId, waitSeconds }, { core }) => core.login.progress(attemptId, waitSeconds * 1000),
  },
  pasteLogin: {
    input: () => z.object({ attemptId: z.string(), address: z.string().max(10_000) }),
    run: ({ attemptId, address }, { core }) => core.login.paste(attemptId, address),
  },
  logout: {
    input: () => z.object({ erase: z.boolean().default(false) }),
    async run({ erase }, { core, server }) {
      await forgetBrowsers(core, null);
      return leaveAccount(core, server?.services.jobs ?? null, erase);
    },
    inEmptyHome: async () => ({ wasConnected: false, name: null, libraryDeleted: false }),
  },
  showKey: {
    input: nothing,
    run: async (_, { core }) => ({
      key: core.apiKey.current(),
      fromEnvironment: core.apiKey.fromEnvironment,
      accepted: core.settings.mcpAuthMode === 'bearer',
    }),
    inEmptyHome: async (_, { make }) => (await make()).showKey(),
  },
  rotateKey: {
    input: nothing,
    async run(_, { core }) {
      const key = await core.apiKey.rotate();
      await forgetBrowsers(core, null);
      return { key };
    },
    inEmptyHome: async (_, { make }) => (await make()).rotateKey(),
  },
  setClientSecret: {
    input: () => z.object({ value: z.string().nullable() }),
    run: ({ value }, { core }) => core.setClientSecret(value),
    inEmptyHome: async (given, { make, refuse }) =>
      given.value === null ? refuse() : (await make()).setClientSecret(given),
  },
  saveState: {
    input: nothing,
    async run(_, { core }) {
      await core.store.saveNow();
      await core.library.saveMemory();
      const { path, lastSavedAt, schemaVersion, sizeBytes } = core.store.state();
      return { path, savedAt: isoOf(lastSavedAt), schemaVersion, sizeBytes, keySource: core.key.source };
    },
  },
  listClients: {
    input: nothing,
    run: async (_, { core }) => ({
      clients: listClients(core),
      ...(core.settings.dynamicRegistration ? {} : { registrationOff: true }),
    }),
  },
  addClient: {
    input: () =>
      z.object({
        name: z.string().trim().min(1).max(200),
        redirectUris: z.array(z.string()),
        secret: z.string().min(1).max(512).nullable(),
      }),
    run: (client, { core, server }) => addClient(core, client, server?.facts ?? null),
    inEmptyHome: async (client, { make }) => (await make()).addClient(client),
  },
  revokeClient: {
    input: () => z.object({ client: z.string(), forget: z.boolean() }),
    run: ({ client, forget }, { core }) => revokeClient(core, client, forget),
  },
  listBrowsers: {
    input: nothing,
    run: async (_, { core }) => ({ browsers: browserSummaries(core) }),
  },
  forgetBrowsers: {
    input: () => z.object({ id: z.string().nullable() }),
    run: async ({ id }, { core }) => ({ forgotten: await forgetBrowsers(core, id) }),
  },
  listRemembered: {
    input: () => z.object({ limit: z.int().min(1).max(20_000) }),
    run: async ({ limit }, { core }) => ({
      remembered: rememberedMatches(core, limit),
      total: countAliases(core.store),
    }),
  },
  forgetRemembered: {
    input: () => z.object({ id: z.string().max(100).nullable() }),
    run: ({ id }, { core }) => forgetRemembered(core, id),
  },
  listChanges: {
    input: () => z.object({ limit: z.int().min(1).max(200) }),
    run: async ({ limit }, { running }) => ownerHistory(running().services, limit),
  },
  undoChange: {
    input: () =>
      z.object({
        change: z.string().trim().min(1).max(100).nullable(),
        force: z.boolean(),
        dryRun: z.boolean(),
      }),
    run: async (request, { running }) => ownerUndo(running().services, request),
  },
  previewImport: {
    input: () => z.object(listContent()),
    run: async (list, { core: { store, clock, provider } }) =>
      ownerPreview({ store, clock, resolver: createResolver(provider, store, clock) }, list),
    inEmptyHome: async (list, { clock }) =>
      ownerPreview({ store: null, clock, resolver: { knows: () => false } }, list),
  },
  startImport: {
    input: () =>
      z.object({
        ...listContent(),
        target: importTarget(),
        strict: z.boolean(),
        skipDuplicates: z.boolean(),
        each: z.array(z.string()).optional(),
      }),
    async run(request, { core, running }) {
      const { services } = running();
      requireLogin(core);
      return ownerImport(services, request);
    },
  },
  getJob: {
    input: () => z.object({ id: jobId() }),
    run: async ({ id }, { running }) => running().services.jobs.get(id),
  },
  commitJob: {
    input: () => z.object({ id: jobId(), skipUnresolved: z.boolean().default(false) }),
    run: async ({ id, ...options }, { running }) => running().services.jobs.commit(id, options),
  },
  playlistNames: {
    input: () => z.object({ ids: z.array(z.string().max(100)).max(1_000) }),
    run: async ({ ids }, { running }) => ({
      names: Object.fromEntries(await playlistNames(running().services, ids)),
    }),
  },
  listPlaylists: {
    input: nothing,
    run: async (_, { running }) => ({ playlists: await ownerPlaylists(running().services) }),
  },
  getPlaylist: {
    input: playlist,
    run: async (asked, { running }) => ownerPlaylist(running().services, asked.playlist),
  },
  playlistRows: {
    input: playlist,
    run: async (asked, { running }) => ownerPlaylistRows(running().services, asked.playlist),
  },
  savedRows: {
    input: () => z.object({ offset: z.int().min(0), total: z.int().min(0).optional() }),
    run: async ({ offset, total }, { running }) => ownerSavedRows(running().services, offset, total),
  },
  libraryStatus: {
    input: nothing,
    run: (_, { core }) => core.library.status(),
  },
  syncLibrary: {
    input: nothing,
    async run(_, { core, running }) {
      running();
      return core.library.sync();
    },
  },
  askLibrary: {
    input: question,
    run: (question, here) => answered(here, (library, signal) => library.ask(question, { signal })),
  },
  askLibraryCsv: {
    input: question,
    run: (question, here) => answered(here, (library, signal) => library.askCsv(question, { signal })),
  },
  forgetLibrary: {
    input: () => z.object({ part: z.enum(LIBRARY_PARTS) }),
    async run({ part }, { core }) {
      await core.library.forget(part);
      return core.library.status();
    },
  },
  importPlays: {
    input: () => z.object({ path: z.string().min(1).max(4_096), anyAccount: z.boolean() }),
    async run(request, { core, running }) {
      running();
      return { id: core.library.plays.start(request) };
    },
  },
  playsProgress: {
    input: () => z.object({ id: z.int().min(1) }),
    run: ({ id }, { core }) => playsProgress(core, id),
  },
  listKeeps: {
    input: nothing,
    run: async (_, { running }) => ({ items: await running().services.keeps.listNow() }),
  },
  addKeep: {
    input: () =>
      z.object({
        playlistId: z.string().max(100).nullable(),
        name: z.string().trim().min(1).max(100).nullable(),
        sql: z.string().min(1).max(10_000),
        every: z.enum(KEEP_INTERVALS),
        dryRun: z.boolean(),
      }),
    run: (request, { running }) =>
      workOnKeep(running(), ({ keeps }, signal) => keeps.add(request, { signal })),
  },
  actOnKeep: {
    input: () => z.object({ id: z.string().min(1).max(100), action: z.enum(KEEP_ACTIONS) }),
    run: ({ id, action }, { running }) =>
      workOnKeep(running(), ({ keeps }, signal) => keeps.act(id, action, { signal })),
  },
  playlistVersions: {
    input: () => playlist().extend({ toRestore: z.boolean().optional() }),
    run: async (asked, { running }) => ownerVersions(running().services, asked.playlist, asked),
  },
  playlistVersion: {
    input: () => z.object({ id: z.string().max(100), version: z.int().min(1) }),
    run: async ({ id, version }, { running }) => ownerVersion(running().services, id, version),
  },
  restorePlaylist: {
    input: () =>
      z.object({
        id: z.string().max(100),
        version: z.int().min(1),
        dryRun: z.boolean(),
        name: z.string().trim().min(1).max(100).nullable(),
        skipUnsupported: z.boolean(),
        agreed: z.string().max(100).optional(),
      }),
    run: async (request, { running }) => ownerRestore(running().services, request),
  },
  stop: {
    input: nothing,
    run: async (_, { running }) => ({ pid: process.pid, clients: running().stop() }),
  },
};

/** The type given to each operation in code that treats all operations alike. `undoChange` is an arbitrary choice. */
type AnyOperation = Operation<'undoChange'>;
const operationOf = (name: LocalCall) => OPERATIONS[name] as unknown as AnyOperation;

const SHAPES = new Map<string, () => z.ZodType>(
  Object.entries(OPERATIONS).map(([name, { input }]) => [name, lazy<z.ZodType>(input)]),
);

/** Checks the input of a call and returns it. @throws RelayError `USAGE`, HttpError `BAD_REQUEST` */
function askedOf(name: LocalCall, given: unknown): never {
  return localInput(SHAPES.get(name)?.() ?? nothing(), given ?? {}) as never;
}

/** Returns the progress of an import of plays when the import ends, or after `PROGRESS_MS`. @throws the import's error */
export async function playsProgress({ clock, library }: Core, id: number): Promise<PlaysProgress> {
  const late = new AbortController();
  const waited = clock.sleep(PROGRESS_MS, late.signal).catch(() => {});
  await Promise.race([library.plays.ended(id), waited]);
  late.abort();
  return library.plays.progress(id);
}

/**
 * Makes the owner's calls for a home with a state.
 * @param server null if this process is not a server; a call that needs one then rejects with `NO_SERVER`
 */
export function createLocalApi(core: Core, server: ServerSide | null): LocalApi {
  const running = () => {
    if (server) return server;
    throw new RelayError('NO_SERVER', 'No server is running.', {
      remedy: { text: 'Start it with {command}.', command: ['serve'] },
    });
  };
  return localApiOf(
    (name) => async (given) => operationOf(name).run(askedOf(name, given), { core, server, running }),
  );
}

/** Makes the owner's calls for a home without a state. Most are refused; the others need no state or create it. */
export function localApiWithoutState(home: EmptyHome): LocalApi {
  return localApiOf((name) => async (given) => {
    const { inEmptyHome } = operationOf(name);
    return inEmptyHome ? inEmptyHome(askedOf(name, given), home) : home.refuse();
  });
}

/** Waits for the answer to a question to the library, but gives up before the command line does. */
async function answered<T>(
  { core, running }: Pick<Here, 'core' | 'running'>,
  ask: (library: Core['library'], signal: AbortSignal) => Promise<T>,
): Promise<T> {
  running();
  return inTime(core, 'The question', 'Try again in a minute.', (signal) => ask(core.library, signal));
}

/** Waits for work on a kept playlist, but gives up before the command line does. */
function workOnKeep<T>(
  { services }: ServerSide,
  work: (services: Services, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const remedy = 'Check in a minute whether it was done.';
  return inTime(services, 'The kept playlist', remedy, (signal) => work(services, signal));
}

/**
 * Returns the address of the owner's page at `base`, with a ticket that signs the browser in, and the ticket's ID.
 * @param next path at which the browser continues; null to stay on the page
 */
export function signInUrl(owner: Owner, base: string, next: string | null): { url: string; id: string } {
  const ticket = owner.issueTicket(new URL(base).origin, next);
  const id = hashOf(ticket);
  // Another program may have left a page for `/` in the browser's cache, and that page could read the ticket. For an address
  // with a query that nobody can guess, the cache has no page.
  return { url: `${base}/?${id.slice(0, 16)}#${new URLSearchParams({ ticket })}`, id };
}

/**
 * Returns the path and query that begin the login of an attempt in the owner's browser. The query also names the attempt: the
 * ticket may have expired by the time the browser gets there.
 */
export function loginWithTicket(core: Core, attemptId: string): string {
  const query = new URLSearchParams({ ticket: core.login.issueTicket(attemptId), attempt: attemptId });
  return `${LOGIN_PATH}?${query}`;
}

/**
 * Checks that an account is connected. Without one, the job of the call would wait for a login, and nobody would notice.
 * @throws RelayError `LOGIN_REQUIRED`
 */
function requireLogin(core: Core): void {
  if (core.account.view().connected) return;
  throw new RelayError('LOGIN_REQUIRED', 'No Spotify account is connected, or its login has ended.', {
    remedy: { text: 'Connect it with {command}, then import again.', command: ['login'] },
  });
}

/** Checks that a Spotify app is set. @throws RelayError `SETTINGS_INVALID` */
export function requireClientId(core: Core): void {
  if (core.clientId() !== null) return;
  throw new RelayError('SETTINGS_INVALID', 'No Spotify app is set: its client ID is missing.', {
    remedy: { text: 'Run {command}, which asks for it.', command: ['login'] },
    details: { key: 'providerClientId' },
  });
}
