/**
 * `/owner/…` for a browser that is signed in: the state that the page shows, and what the owner can do on it. Every request has
 * the proof in a header, which no form and no other page can send, so no cookie grants anything here.
 */
import * as z from 'zod';
import { hashOf } from '../../base/digest.ts';
import { lazy } from '../../base/memoised.ts';
import { LEVELS } from '../../domain/access.ts';
import { RelayError } from '../../domain/errors.ts';
import { KEEP_ACTIONS } from '../../domain/keep.ts';
import type { ImportAsked, OwnerCall, OwnerCalls } from '../../domain/ownerPage.ts';
import { commandStyleOf, pageText } from '../../domain/remedy.ts';
import { proofOf, requireOwnPage } from '../access/caller.ts';
import type { ServerSide } from '../calls.ts';
import type { Core } from '../core.ts';
import { fileChunks, MCP_BODY, OWN_BODY, readFile, readJson } from '../http/body.ts';
import { end, type HttpContext, sendJson } from '../http/context.ts';
import type { Route } from '../http/router.ts';
import { HttpError } from '../http/toHttp.ts';
import { importTarget, parsed } from '../routes/bodies.ts';
import { importFile, ownerPageApi } from './calls.ts';
import { ownerState } from './state.ts';

/** Maximum number of playlists whose names one request may ask for. The page sends several requests if it needs more names. */
const MAX_NAMED = 50;

const Id = () => z.string().min(1).max(200);
const Version = () => z.int().min(1);

/** The shape of each call's JSON body. */
const SHAPES: { [C in OwnerCall]: () => z.ZodType<OwnerCalls[C]['given']> } = {
  'account/connect': lazy(() => z.object({ switchAccount: z.boolean() })),
  'account/disconnect': lazy(() => z.object({ erase: z.boolean().optional() })),
  'app/set': lazy(() => z.object({ clientId: z.string().trim().min(1).max(200) })),
  'browsers/forget': lazy(() => z.object({ id: Id() })),
  'changes/undo': lazy(() => z.object({ change: Id().nullable(), force: z.boolean(), dryRun: z.boolean() })),
  'clients/revoke': lazy(() => z.object({ clientId: z.string().min(1).max(2_000) })),
  'clients/setup': lazy(() => z.object({ client: Id() })),
  'jobs/cancel': lazy(() => z.object({ id: Id() })),
  'jobs/commit': lazy(() => z.object({ id: Id(), skipUnresolved: z.boolean() })),
  'jobs/items': lazy(() => z.object({ id: Id(), offset: z.int().min(0).max(1_000_000) })),
  'jobs/near': lazy(() => z.object({ id: Id(), score: z.number().min(0).max(1).nullable() })),
  'jobs/resume': lazy(() => z.object({ id: Id(), review: z.enum(['continue', 'keep', 'undo']).nullable() })),
  'jobs/search': lazy(() => z.object({ text: z.string().trim().min(1).max(200) })),
  'jobs/settle': lazy(() => {
    const position = z.int().min(0).max(1_000_000);
    const fix = z.union([z.object({ position, uri: Id() }), z.object({ position, skip: z.literal(true) })]);
    return z.object({
      id: Id(),
      fixes: z.array(fix).max(1_000),
      acceptNear: z.number().min(0).max(1).nullable(),
    });
  }),
  'events/list': lazy(() => z.object({ limit: z.int().min(1).max(500) })),
  'events/clear': lazy(() => z.object({})),
  'clients/access': lazy(() => z.object({ clientId: z.string(), level: z.enum(LEVELS) })),
  'covers/choose': lazy(() => z.object({ show: z.boolean() })),
  'library/sync': lazy(() => z.object({})),
  'keeps/act': lazy(() => z.object({ id: z.string().min(1).max(100), action: z.enum(KEEP_ACTIONS) })),
  'library/forget': lazy(() => z.object({})),
  'plays/progress': lazy(() => z.object({ id: z.int().min(1) })),
  'player/look': lazy(() => z.object({})),
  'playlists/names': lazy(() => z.object({ ids: z.array(Id()).max(MAX_NAMED) })),
  'playlists/list': lazy(() => z.object({})),
  'remembered/forget': lazy(() => z.object({ id: Id() })),
  'versions/playlists': lazy(() => z.object({})),
  'versions/list': lazy(() => z.object({ id: Id() })),
  'versions/show': lazy(() => z.object({ id: Id(), version: Version() })),
  'versions/restore': lazy(() =>
    z.object({
      id: Id(),
      version: Version(),
      dryRun: z.boolean(),
      name: z.string().min(1).max(100).nullable(),
      skipUnsupported: z.boolean(),
      agreed: z.string().max(100).optional(),
    }),
  ),
  'sign-out': lazy(() => z.object({})),
};

const Asked = lazy(() =>
  z.object({
    list: z.string().max(1_000).nullable(),
    artistSide: z.enum(['left', 'right']).nullable(),
    target: importTarget().nullable(),
    skipDuplicates: z.boolean(),
    fileName: z.string().max(1_000).optional(),
    each: z.boolean().optional(),
  }),
) as () => z.ZodType<ImportAsked>;

const Archive = lazy(() => z.object({ fileName: z.string().min(1).max(1_000) }));

/** @param serverFor returns the server side, with URLs below the base URL of the request */
export function ownerPageRoutes(core: Core, serverFor: (baseUrl: string) => ServerSide): Route[] {
  /** The signed-in browser that sent the request. @throws HttpError */
  async function signedIn(context: HttpContext): Promise<{ server: ServerSide; browser: string }> {
    await requireOwnPage(context);
    const server = serverFor(context.baseUrl);
    const browser = server.owner.rememberedWith(context, proofOf(context))?.id;
    if (browser === undefined) {
      throw new HttpError('UNAUTHORIZED', { message: 'This browser is not remembered.' });
    }
    server.used();
    return { server, browser };
  }

  async function sendState(context: HttpContext): Promise<void> {
    const { server, browser } = await signedIn(context);
    const text = JSON.stringify(await ownerState(core, server, browser));
    const etag = `"${hashOf(text, 'base64url')}"`;
    const isSame = context.request.headers['if-none-match'] === etag;
    if (isSame) end(context, 304, { etag }, '');
    else end(context, 200, { 'content-type': 'application/json; charset=utf-8', etag }, text);
  }

  function callRoute<C extends OwnerCall>(call: C): Route {
    return {
      method: 'POST',
      path: `/owner/${call}`,
      async handle(context) {
        const { server, browser } = await signedIn(context);
        const given = parsed(SHAPES[call](), await readJson(context, OWN_BODY));
        const answer = await ownerPageApi(core, server, browser)[call](given).catch(inOwnWords);
        sendJson(context, 200, answer ?? {});
      },
    };
  }

  /** Rethrows an error with its remedy in the words of the page. */
  function inOwnWords(error: unknown): never {
    if (!(error instanceof RelayError) || error.remedyValue === undefined) throw error;
    throw error.with({ remedy: pageText(error.remedyValue, commandStyleOf(core.settings)) });
  }

  async function takeFile(context: HttpContext): Promise<void> {
    const { server } = await signedIn(context);
    const asked = parsed(Asked(), askedIn(context));
    const isStart = context.path.endsWith('/start');
    if (isStart !== (asked.target !== null)) throw new HttpError('BAD_REQUEST');
    const bytes = await readFile(context, MCP_BODY);
    sendJson(context, 200, await importFile(server, bytes, asked).catch(inOwnWords));
  }

  /** Writes an archive to the disk as it arrives, since it may not fit into memory. */
  async function takeArchive(context: HttpContext): Promise<void> {
    await signedIn(context);
    const { fileName } = parsed(Archive(), askedIn(context));
    sendJson(context, 200, { id: await core.library.plays.startUpload(fileChunks(context), fileName) });
  }

  return [
    { method: 'POST', path: '/owner/plays/import', handle: takeArchive },
    { method: 'GET', path: '/owner/state', handle: sendState },
    { method: 'POST', path: '/owner/import/read', handle: takeFile },
    { method: 'POST', path: '/owner/import/start', handle: takeFile },
    ...(Object.keys(SHAPES) as OwnerCall[]).map((call) => callRoute(call)),
  ];
}

function askedIn({ request }: HttpContext): unknown {
  try {
    return JSON.parse(decodeURIComponent(String(request.headers['x-relay-import'])));
  } catch {
    throw new HttpError('BAD_REQUEST');
  }
}
