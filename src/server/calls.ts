/**
 * The owner's calls, as the command line makes them: at the door while a server runs, in its own process otherwise. One table has
 * each call's input and what it does; the types of `LocalApi` come from it.
 */

import * as z from 'zod';
import { isoOf } from '../base/clock.ts';
import { hashOf } from '../base/digest.ts';
import { lazy } from '../base/memoised.ts';
import { LEVELS } from '../domain/access.ts';
import { RelayError } from '../domain/errors.ts';
import { KEEP_ACTIONS, KEEP_INTERVALS } from '../domain/keep.ts';
import { LIBRARY_PARTS } from '../domain/library.ts';
import { LIST_FORMATS } from '../domain/listImport.ts';
import { COMMAND_LINE, type KeepAnswer, type SavedState } from '../domain/localApi.ts';
import type { PlaysProgress } from '../domain/plays.ts';
import type { PlayerState } from '../provider/resources/player.ts';
import { KeepRuleShape } from '../store/tables/keeps.ts';
import { playlistNames } from '../tools/playlists/playlistNames.ts';
import type { Services } from '../tools/tool.ts';
import { createResolver } from '../work/resolve/resolver.ts';
import {
  addClient,
  browserSummaries,
  forgetBrowsers,
  listClients,
  revokeClient,
  setClientAccess,
} from './access/approved.ts';
import type { Credentials } from './access/credentials.ts';
import type { Owner } from './access/owner.ts';
import type { Core } from './core.ts';
import { leaveAccount } from './leaveAccount.ts';
import {
  inTime,
  ownerHistory,
  ownerImport,
  ownerPlaylist,
  ownerPlaylistRows,
  ownerPlaylists,
  ownerPreview,
  ownerRestore,
  ownerSavedRows,
  ownerUndo,
  ownerVersion,
  ownerVersions,
} from './ownerWork.ts';
import type { WaitingClients } from './routes/authorize.ts';
import { LOGIN_PATH } from './routes/login.ts';
import { type ServerFacts, statusReport } from './status/status.ts';

const PROGRESS_MS = 500;

/** The parts that only a running server has. */
export interface ServerParts {
  facts: ServerFacts;
  credentials: Credentials;
  owner: Owner;
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
  lastPlaying: () => { at: number; state: PlayerState | null; isDue: boolean } | null;
  /** True if a client has used the MCP endpoint since the server started. */
  mcpUsed(): boolean;
  /** The environment, which says where clients keep their files. */
  env: NodeJS.ProcessEnv;
  /** Returns the command line that starts relay: the program and its arguments. */
  program: () => Promise<readonly string[]>;
}

interface Call<I extends z.ZodType, T> {
  input(): I;
  /** @param server null if this process is not a server */
  run(asked: z.output<I>, core: Core, server: ServerParts | null): T;
}

/** A call that needs only the home. */
function call<I extends z.ZodType, T>(input: () => I, run: Call<I, T>['run']): Call<I, T> {
  return { input: lazy(input), run };
}

/** A call that needs a running server. Without one it throws `NO_SERVER`. */
function serverCall<I extends z.ZodType, T>(
  input: () => I,
  run: (asked: z.output<I>, server: ServerParts, core: Core) => T,
): Call<I, T> {
  return call(input, (asked, core, server) => {
    if (server) return run(asked, server, core);
    throw new RelayError('NO_SERVER', 'No server is running.', {
      remedy: { text: 'Start it with {command}.', command: ['serve'] },
    });
  });
}

/** What to do if a question, or work on a kept playlist, takes too long. */
const LATER = 'Try again in a minute.';
const CHECK = 'Check in a minute whether it was done.';

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

const CALLS = {
  status: call(nothing, (_, core, server) =>
    statusReport(core, server?.facts ?? null, server?.owner.code ?? null),
  ),
  startLogin: serverCall(
    () => z.object({ switchAccount: z.boolean() }),
    (options, { redirectUri }, core) => {
      requireClientId(core);
      const { attemptId, providerUrl } = core.login.start({ ...options, redirectUri });
      const { origin } = new URL(redirectUri);
      const browserUrl = `${origin}${LOGIN_PATH}?${new URLSearchParams({ attempt: attemptId })}`;
      return { attemptId, browserUrl, providerUrl, redirectUri };
    },
  ),
  /** Makes a ticket that leads on to the login of `attemptId`, or without one to the owner's page. */
  ownerTicket: serverCall(
    () => z.object({ attemptId: z.string().nullable() }),
    ({ attemptId }, { owner, facts, redirectUri }, core) => {
      const next = attemptId === null ? null : loginWithTicket(core, attemptId);
      // The provider sends the browser back to the host of the redirect URI, and the browser must then send the login's cookie.
      // A cookie belongs to one host, so a login begins under that host.
      return signInUrl(owner, attemptId === null ? facts.baseUrl : new URL(redirectUri).origin, next);
    },
  ),
  /** `waits` is false once the ticket is used or has expired. */
  ownerTicketWaits: serverCall(
    () => z.object({ id: z.string() }),
    ({ id }, { owner }) => ({ waits: owner.isWaiting(id) }),
  ),
  loginProgress: call(
    () => z.object({ attemptId: z.string(), waitSeconds: z.number().min(0).max(25) }),
    ({ attemptId, waitSeconds }, { login }) => login.progress(attemptId, waitSeconds * 1000),
  ),
  /** Finishes an attempt with the address that a browser elsewhere ended on. */
  pasteLogin: call(
    () => z.object({ attemptId: z.string(), address: z.string().max(10_000) }),
    ({ attemptId, address }, { login }) => login.paste(attemptId, address),
  ),
  /** Forgets the account, the copy of the library, the browsers that are remembered and, with `erase`, all about the account. */
  logout: call(
    () => z.object({ erase: z.boolean().default(false) }),
    async ({ erase }, core, server) => {
      await forgetBrowsers(core, null);
      return leaveAccount(core, server?.services.works ?? null, erase);
    },
  ),
  /** `accepted` is false if the server takes OAuth tokens alone. */
  showKey: call(nothing, (_, { apiKey, settings }) => ({
    key: apiKey.current(),
    fromEnvironment: apiKey.fromEnvironment,
    accepted: settings.mcpAuthMode === 'bearer',
  })),
  rotateKey: call(nothing, async (_, core) => {
    const key = await core.apiKey.rotate();
    await forgetBrowsers(core, null);
    return { key };
  }),
  /** Writes everything to disk. */
  saveState: call(nothing, async (_, { store, library, key }): Promise<SavedState> => {
    await store.saveNow();
    await library.saveMemory();
    const { path, lastSavedAt, schemaVersion, sizeBytes } = store.state();
    return { path, savedAt: isoOf(lastSavedAt), schemaVersion, sizeBytes, keySource: key.source };
  }),
  /** `registrationOff` is there if the settings let no client register itself. */
  listClients: call(nothing, (_, core) => ({
    clients: listClients(core),
    ...(core.settings.dynamicRegistration ? {} : { registrationOff: true as const }),
  })),
  addClient: call(
    () =>
      z.object({
        name: z.string().trim().min(1).max(200),
        redirectUris: z.array(z.string()),
        secret: z.string().min(1).max(512).nullable(),
      }),
    (client, core, server) => addClient(core, client, server?.facts ?? null),
  ),
  revokeClient: call(
    () => z.object({ client: z.string(), forget: z.boolean() }),
    ({ client, forget }, core) => revokeClient(core, client, forget),
  ),
  setClientAccess: call(
    () => z.object({ client: z.string(), level: z.enum(LEVELS) }),
    ({ client, level }, core) => setClientAccess(core, client, level),
  ),
  listBrowsers: call(nothing, (_, core) => ({ browsers: browserSummaries(core) })),
  /** Without an ID, forgets all browsers. */
  forgetBrowsers: call(
    () => z.object({ id: z.string().nullable() }),
    async ({ id }, core) => ({ forgotten: await forgetBrowsers(core, id) }),
  ),
  listChanges: serverCall(
    () => z.object({ limit: z.int().min(1).max(200), by: z.string().max(100).optional() }),
    ({ limit, by }, { services }) => ownerHistory(services, limit, by),
  ),
  undoChange: serverCall(
    () =>
      z.object({
        change: z.string().trim().min(1).max(100).nullable(),
        by: z.string().trim().min(1).max(100).optional(),
        together: z.boolean().optional(),
        force: z.boolean(),
        dryRun: z.boolean(),
      }),
    (request, { services }) => ownerUndo(services, request, COMMAND_LINE),
  ),
  previewImport: call(
    () => z.object(listContent()),
    (list, { store, clock, provider }) =>
      ownerPreview({ store, clock, resolver: createResolver(provider, store, clock) }, list),
  ),
  startImport: serverCall(
    () =>
      z.object({
        ...listContent(),
        target: z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('playlist'), playlistId: jobId().min(1), replace: z.boolean() }),
          z.object({ kind: z.literal('new'), name: z.string().trim().min(1).max(100) }),
          z.object({ kind: z.literal('saved') }),
        ]),
        strict: z.boolean(),
        skipDuplicates: z.boolean(),
        each: z.array(z.string()).optional(),
      }),
    (request, { services }, core) => {
      requireLogin(core);
      return ownerImport(services, request, COMMAND_LINE);
    },
  ),
  getJob: serverCall(
    () => z.object({ id: jobId() }),
    ({ id }, { services }) => services.works.get(id),
  ),
  commitJob: serverCall(
    () => z.object({ id: jobId(), skipUnresolved: z.boolean().default(false) }),
    ({ id, ...options }, { services }) => services.works.commit(id, options),
  ),
  /** Leaves out playlists whose names cannot be read. */
  playlistNames: serverCall(
    () => z.object({ ids: z.array(z.string().max(100)).max(1_000) }),
    async ({ ids }, { services }) => ({ names: Object.fromEntries(await playlistNames(services, ids)) }),
  ),
  listPlaylists: serverCall(nothing, async (_, { services }) => ({
    playlists: await ownerPlaylists(services),
  })),
  getPlaylist: serverCall(playlist, (asked, { services }) => ownerPlaylist(services, asked.playlist)),
  playlistRows: serverCall(playlist, (asked, { services }) => ownerPlaylistRows(services, asked.playlist)),
  savedRows: serverCall(
    () => z.object({ offset: z.int().min(0), total: z.int().min(0).optional() }),
    ({ offset, total }, { services }) => ownerSavedRows(services, offset, total),
  ),
  libraryStatus: call(nothing, (_, { library }) => library.status()),
  syncLibrary: serverCall(nothing, (_, { services }) => services.library.sync()),
  askLibrary: serverCall(question, (asked, { services }) =>
    inTime(services, 'The question', LATER, (signal) => services.library.ask(asked, { signal })),
  ),
  askLibraryCsv: serverCall(question, (asked, { services }) =>
    inTime(services, 'The question', LATER, (signal) => services.library.askCsv(asked, { signal })),
  ),
  forgetLibrary: call(
    () => z.object({ part: z.enum(LIBRARY_PARTS) }),
    async ({ part }, { library }) => {
      await library.forget(part);
      return library.status();
    },
  ),
  importPlays: serverCall(
    () => z.object({ path: z.string().min(1).max(4_096) }),
    (request, { services }) => ({ id: services.library.plays.start(request) }),
  ),
  /** Answers when the import ends, or after `PROGRESS_MS`. Throws the import's error. */
  playsProgress: call(
    () => z.object({ id: z.int().min(1) }),
    async ({ id }, { clock, library }): Promise<PlaysProgress> => {
      const late = new AbortController();
      const waited = clock.sleep(PROGRESS_MS, late.signal).catch(() => {});
      await Promise.race([library.plays.ended(id), waited]);
      late.abort();
      return library.plays.progress(id);
    },
  ),
  listKeeps: serverCall(nothing, async (_, { services }) => ({ items: await services.keeps.list() })),
  addKeep: serverCall(
    () => {
      const target = z.object({
        playlistId: z.string().max(100).nullable(),
        name: z.string().trim().min(1).max(100).nullable(),
        every: z.enum(KEEP_INTERVALS),
        dryRun: z.boolean(),
      });
      return z.union([
        target.extend({ sql: z.string().min(1).max(10_000) }),
        target.extend({ rule: KeepRuleShape() }),
      ]);
    },
    (request, { services }): Promise<KeepAnswer> =>
      inTime(services, 'The kept playlist', CHECK, (signal) => services.keeps.add(request, { signal })),
  ),
  actOnKeep: serverCall(
    () => z.object({ id: z.string().min(1).max(100), action: z.enum(KEEP_ACTIONS) }),
    ({ id, action }, { services }) =>
      inTime(services, 'The kept playlist', CHECK, (signal) => services.keeps.act(id, action, { signal })),
  ),
  playlistVersions: serverCall(
    () => playlist().extend({ toRestore: z.boolean().optional() }),
    (asked, { services }) => ownerVersions(services, asked.playlist, asked),
  ),
  playlistVersion: serverCall(
    () => z.object({ id: z.string().max(100), version: z.int().min(1) }),
    ({ id, version }, { services }) => ownerVersion(services, id, version),
  ),
  restorePlaylist: serverCall(
    () =>
      z.object({
        id: z.string().max(100),
        version: z.int().min(1),
        dryRun: z.boolean(),
        name: z.string().trim().min(1).max(100).nullable(),
        skipUnsupported: z.boolean(),
        agreed: z.string().max(100).optional(),
      }),
    (request, { services }) => ownerRestore(services, request, COMMAND_LINE),
  ),
  /** Ends the server after the answers to what it was asked. Tells who is connected through `relay stdio`. */
  stop: serverCall(nothing, (_, server) => ({ pid: process.pid, clients: server.stop() })),
};

type Calls = typeof CALLS;
type Given<I extends z.ZodType> =
  Record<never, never> extends z.input<I> ? [given?: z.input<I>] : [given: z.input<I>];

/** Plain JSON values go in and come out; errors are RelayErrors. */
export type LocalApi = {
  [C in keyof Calls]: (
    ...given: Given<ReturnType<Calls[C]['input']>>
  ) => Promise<Awaited<ReturnType<Calls[C]['run']>>>;
};

/** @throws RelayError also `USAGE` for a wrong input, and for a name that is no call's */
export async function carryOut(
  name: string,
  given: unknown,
  core: Core,
  server: ServerParts | null,
): Promise<unknown> {
  const found = Object.hasOwn(CALLS, name) ? CALLS[name as keyof Calls] : undefined;
  if (!found) throw otherVersion(core.version);
  const { data, error } = found.input().safeParse(given ?? {});
  if (!error) return (found as Call<z.ZodType, unknown>).run(data, core, server);
  // A person typed the texts, so one that is too long is a mistake of use.
  const [{ path, message } = { path: [], message: '' }] = error.issues;
  throw new RelayError('USAGE', `${path.join('.')}: ${message}.`);
}

function otherVersion(version: string): RelayError {
  return new RelayError(
    'INTERNAL',
    `The running server is relay ${version}, which does not know this request.`,
    {
      remedy: { text: 'Stop it with {command}, then start it again with this program.', command: ['stop'] },
    },
  );
}

/** The owner's page at `base`, with a ticket that signs the browser in, and the ticket's ID. */
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

/** Without an account, the job of the call would wait for a login, and nobody would notice. */
function requireLogin(core: Core): void {
  if (core.account.view().connected) return;
  throw new RelayError('LOGIN_REQUIRED', 'No Spotify account is connected, or its login has ended.', {
    remedy: { text: 'Connect it with {command}, then import again.', command: ['login'] },
  });
}

export function requireClientId(core: Core): void {
  if (core.clientId() !== null) return;
  throw new RelayError('SETTINGS_INVALID', 'No Spotify app is set: its client ID is missing.', {
    remedy: { text: 'Run {command}, which asks for it.', command: ['login'] },
    details: { key: 'providerClientId' },
  });
}
