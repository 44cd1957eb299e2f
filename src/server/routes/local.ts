/**
 * What the command line asks of the running server, after `hello`, by which both sides come to know a credential for their
 * connection. Only those who may read the owner's keychain can make it. A request that a browser sent (it has `Origin` or
 * `Referer`), or a process of another user, is refused even with it.
 */
import * as z from 'zod';
import { lazy } from '../../base/memoised.ts';
import { LIBRARY_PARTS } from '../../domain/library.ts';
import { LIST_FORMATS } from '../../domain/listImport.ts';
import { LOCAL_ROUTES, type LocalApi } from '../../domain/localApi.ts';
import { connectionSecrets, endsOf, HELLO_ROUTE } from '../../domain/localProof.ts';
import type { Credentials } from '../access/credentials.ts';
import { peerOf } from '../access/peer.ts';
import { isDirectLoopback } from '../http/address.ts';
import { HELLO_BODY, LIST_BODY, LOCAL_BODY, readJson } from '../http/body.ts';
import { type HttpContext, sendJson } from '../http/context.ts';
import type { Route } from '../http/router.ts';
import { HttpError } from '../http/toHttp.ts';
import { importTarget, parsed } from './bodies.ts';

const Empty = () => z.object({});

/** For each call the shape of its JSON body and how it is made. */
const calls: { [K in keyof LocalApi]: (api: LocalApi, body: unknown) => Promise<unknown> } = {
  status: call(Empty, (api) => api.status()),
  startLogin: call(
    () => z.object({ switchAccount: z.boolean() }),
    (api, body) => api.startLogin(body),
  ),
  loginProgress: call(
    () => z.object({ attemptId: z.string(), waitSeconds: z.number().min(0).max(25) }),
    (api, body) => api.loginProgress(body.attemptId, body.waitSeconds),
  ),
  pasteLogin: call(
    () => z.object({ attemptId: z.string(), address: z.string().max(10_000) }),
    (api, body) => api.pasteLogin(body.attemptId, body.address),
  ),
  ownerTicket: call(
    () => z.object({ attemptId: z.string().nullable() }),
    (api, body) => api.ownerTicket(body),
  ),
  ownerTicketWaits: call(
    () => z.object({ id: z.string() }),
    (api, body) => api.ownerTicketWaits(body.id),
  ),
  logout: call(
    () => z.object({ erase: z.boolean().default(false) }),
    (api, body) => api.logout(body),
  ),
  showKey: call(Empty, (api) => api.showKey()),
  rotateKey: call(Empty, (api) => api.rotateKey()),
  setClientSecret: call(
    () => z.object({ value: z.string().nullable() }),
    (api, body) => api.setClientSecret(body.value),
  ),
  saveState: call(Empty, (api) => api.saveState()),
  listClients: call(Empty, (api) => api.listClients()),
  addClient: call(
    () =>
      z.object({
        name: z.string().trim().min(1).max(200),
        redirectUris: z.array(z.string()),
        secret: z.string().min(1).max(512).nullable(),
      }),
    (api, body) => api.addClient(body),
  ),
  revokeClient: call(
    () => z.object({ client: z.string(), forget: z.boolean() }),
    (api, { client, forget }) => api.revokeClient(client, { forget }),
  ),
  listBrowsers: call(Empty, (api) => api.listBrowsers()),
  forgetBrowsers: call(
    () => z.object({ id: z.string().nullable() }),
    (api, body) => api.forgetBrowsers(body.id),
  ),
  listRemembered: call(
    () => z.object({ limit: z.int().min(1).max(20_000) }),
    (api, body) => api.listRemembered(body.limit),
  ),
  forgetRemembered: call(
    () => z.object({ id: z.string().max(100).nullable() }),
    (api, body) => api.forgetRemembered(body.id),
  ),
  listChanges: call(
    () => z.object({ limit: z.int().min(1).max(200) }),
    (api, body) => api.listChanges(body.limit),
  ),
  undoChange: call(
    () =>
      z.object({
        change: z.string().trim().min(1).max(100).nullable(),
        force: z.boolean(),
        dryRun: z.boolean(),
      }),
    (api, body) => api.undoChange(body),
  ),
  previewImport: call(
    () => z.object(listContent()),
    (api, body) => api.previewImport(body),
  ),
  startImport: call(
    () =>
      z.object({
        ...listContent(),
        target: importTarget(),
        strict: z.boolean(),
        skipDuplicates: z.boolean(),
        each: z.array(z.string()).optional(),
      }),
    (api, body) => api.startImport(body),
  ),
  getJob: call(
    () => z.object({ id: z.string().max(100) }),
    (api, { id }) => api.getJob(id),
  ),
  commitJob: call(
    () => z.object({ id: z.string().max(100), skipUnresolved: z.boolean().default(false) }),
    (api, { id, skipUnresolved }) => api.commitJob(id, { skipUnresolved }),
  ),
  playlistNames: call(
    () => z.object({ ids: z.array(z.string().max(100)).max(1_000) }),
    (api, { ids }) => api.playlistNames(ids),
  ),
  listPlaylists: call(Empty, (api) => api.listPlaylists()),
  getPlaylist: call(
    () => z.object({ playlist: z.string().max(500) }),
    (api, { playlist }) => api.getPlaylist(playlist),
  ),
  playlistRows: call(
    () => z.object({ playlist: z.string().max(500) }),
    (api, { playlist }) => api.playlistRows(playlist),
  ),
  savedRows: call(
    () => z.object({ offset: z.int().min(0) }),
    (api, { offset }) => api.savedRows(offset),
  ),
  libraryStatus: call(Empty, (api) => api.libraryStatus()),
  syncLibrary: call(Empty, (api) => api.syncLibrary()),
  askLibrary: call(
    () =>
      z.object({
        sql: z.string().min(1).max(10_000),
        limit: z.int().min(1).max(500).nullable(),
        maxAgeMinutes: z.int().min(0).max(10_080),
      }),
    (api, body) => api.askLibrary(body),
  ),
  forgetLibrary: call(
    () => z.object({ part: z.enum(LIBRARY_PARTS) }),
    (api, { part }) => api.forgetLibrary(part),
  ),
  playlistVersions: call(
    () => z.object({ playlist: z.string().min(1).max(500) }),
    (api, { playlist }) => api.playlistVersions(playlist),
  ),
  playlistVersion: call(
    () => z.object({ id: z.string().max(100), version: z.int().min(1) }),
    (api, { id, version }) => api.playlistVersion(id, version),
  ),
  restorePlaylist: call(
    () =>
      z.object({
        id: z.string().max(100),
        version: z.int().min(1),
        dryRun: z.boolean(),
        name: z.string().trim().min(1).max(100).nullable(),
        skipUnsupported: z.boolean(),
      }),
    (api, body) => api.restorePlaylist(body),
  ),
  stay: call(
    () => z.object({ id: z.string().regex(/^[\w-]{1,64}$/), seconds: z.number().min(0).max(60) }),
    (api, { id, seconds }) => api.stay(id, seconds),
  ),
};

function listContent() {
  return {
    content: z.string(),
    tracksOnly: z.boolean(),
    format: z.enum(LIST_FORMATS).optional(),
    artistSide: z.enum(['left', 'right']).optional(),
    list: z.string().optional(),
    fileName: z.string().max(1_000).optional(),
    allPlays: z.boolean().optional(),
  };
}

/** Calls whose bodies hold a file. */
const WITH_FILE: ReadonlySet<keyof LocalApi> = new Set(['previewImport', 'startImport']);

function call<T extends z.ZodType>(
  shapeOf: () => T,
  make: (api: LocalApi, body: z.output<T>) => Promise<unknown>,
) {
  const shape = lazy(shapeOf);
  return (api: LocalApi, body: unknown): Promise<unknown> => {
    return make(api, parsed(shape(), body));
  };
}

/** @param apiFor the owner's calls, with URLs for the base URL that was dialled */
export function localRoutes(
  apiFor: (baseUrl: string) => LocalApi,
  key: string,
  credentials: Credentials,
): Route[] {
  const routes = (Object.keys(calls) as Array<keyof LocalApi>).map(
    (name): Route => ({
      method: 'POST',
      path: `/local/${LOCAL_ROUTES[name]}`,
      async handle(context) {
        await authorize(context, credentials);
        const body = await readJson(context, WITH_FILE.has(name) ? LIST_BODY : LOCAL_BODY);
        sendJson(context, 200, (await calls[name](apiFor(context.baseUrl), body)) ?? {});
      },
    }),
  );
  return [...routes, helloRoute(key, credentials)];
}

const Hello = lazy(() => z.object({ nonce: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }));

/**
 * Needs no credential: the answer is of use only to those who hold the key already, and only on this connection. For the same
 * reason nobody asks here whose process it is, which takes the system longer than a whole tool call.
 */
function helloRoute(key: string, credentials: Credentials): Route {
  return {
    method: 'POST',
    path: `/local/${HELLO_ROUTE}`,
    async handle(context) {
      refuseOutsiders(context);
      const hello = Hello().safeParse(await readJson(context, HELLO_BODY));
      if (!hello.success) throw new HttpError('BAD_REQUEST');
      const { socket } = context.request;
      const ends = endsOf(socket, 'server');
      if (ends === null) throw new HttpError('BAD_REQUEST');
      const { pid } = process;
      const { proof, credential } = connectionSecrets(key, hello.data.nonce, ends, pid);
      credentials.expectOn(socket, credential);
      sendJson(context, 200, { pid, proof });
    },
  };
}

function refuseOutsiders(context: HttpContext): void {
  // For a proxy or tunnel on this machine, and for everyone behind it, there is nothing here.
  if (!isDirectLoopback(context)) throw new HttpError('ROUTE_NOT_FOUND');
  const { headers } = context.request;
  if (headers.origin !== undefined || headers.referer !== undefined) throw new HttpError('FORBIDDEN_ORIGIN');
}

async function authorize(context: HttpContext, credentials: Credentials): Promise<void> {
  refuseOutsiders(context);
  const { headers, socket } = context.request;
  if (!credentials.isCommandLine(headers.authorization, socket)) throw new HttpError('UNAUTHORIZED');
  if ((await peerOf(socket)) === 'other') throw new HttpError('FORBIDDEN_USER');
}
