/**
 * `/owner/…` for a browser that is signed in: the cards that the page shows, and what the owner can do on it. Every request has
 * the proof in a header, which no form and no other page can send, so no cookie grants anything here.
 */
import * as z from 'zod';
import { hashOf } from '../../base/digest.ts';
import { lazy } from '../../base/memoised.ts';
import { RelayError } from '../../domain/errors.ts';
import { commandStyleOf, pageText } from '../../domain/remedy.ts';
import { proofOf, requireOwnPage } from '../access/caller.ts';
import type { ServerParts } from '../calls.ts';
import type { Core } from '../core.ts';
import { fileChunks, MCP_BODY, OWN_BODY, parsed, readFile, readJson } from '../http/body.ts';
import { type HttpContext, sendJson } from '../http/context.ts';
import type { Route } from '../http/router.ts';
import { HttpError } from '../http/toHttp.ts';
import { cardsOf } from '../pages/cards/cards.ts';
import { buildOf } from '../pages/page.ts';
import { type Answer, type Asked, CALLS, type OwnerCall, takeFile } from './calls.ts';
import { coverSources, pageState } from './pageState.ts';
import { createTabs } from './tab.ts';

const FileName = lazy(() => z.object({ fileName: z.string().min(1).max(1_000) }));

/** @param serverFor returns the server side, with URLs below the base URL of the request */
export function ownerPageRoutes(core: Core, serverFor: (baseUrl: string) => ServerParts): Route[] {
  const tabs = createTabs();
  let account: string | null = null;

  /** The signed-in browser that sent the request, and its page. @throws HttpError */
  async function signedIn(context: HttpContext): Promise<Asked> {
    await requireOwnPage(context);
    const server = serverFor(context.baseUrl);
    const browser = server.owner.rememberedWith(context, proofOf(context))?.id;
    if (browser === undefined) {
      throw new HttpError('UNAUTHORIZED', { message: 'This browser is not remembered.' });
    }
    server.used();
    // What was read of one account must not pass for another's.
    const present = core.account.view().account?.providerUserId ?? null;
    if (present !== account) tabs.clear();
    account = present;
    const tab = tabs.of(browser, headerOf(context, 'x-relay-tab').slice(0, 40));
    return { core, server, browser, tab };
  }

  /** Does what a person asked for, then sends the cards; of those that the page has already, only that they are the same. */
  function route(
    method: Route['method'],
    path: string,
    run: (asked: Asked, context: HttpContext) => Promise<unknown>,
  ): Route {
    return {
      method,
      path: `/owner/${path}`,
      async handle(context) {
        const asked = await signedIn(context);
        const answer = ((await run(asked, context).catch(inOwnWords)) ?? {}) as Answer;
        const cards = answer.signedOut ? {} : await cardsFor(asked, context);
        sendJson(context, 200, { ...answer, ...cards });
      },
    };
  }

  async function cardsFor({ server, browser, tab }: Asked, context: HttpContext) {
    const view = context.query.get('view') === 'diagnostics' ? 'diagnostics' : 'home';
    const state = await pageState(core, server, browser, tab, view);
    const has = new Set(headerOf(context, 'x-relay-has').split(' '));
    const cards = cardsOf(state).map(({ id, place, html: { safe } }) => {
      const hash = `${id}.${hashOf(safe, 'base64url').slice(0, 12)}`;
      return { id, place, hash, ...(has.has(hash) ? {} : { html: safe }) };
    });
    const reading = state.history?.progress?.state;
    const isMoving = state.isMoving || reading === 'reading' || reading === 'writing';
    return { build: buildOf(coverSources(core)), cards, isMoving };
  }

  /** Rethrows an error with its remedy in the words of the page. */
  function inOwnWords(error: unknown): never {
    if (!(error instanceof RelayError) || error.remedyValue === undefined) throw error;
    throw error.with({ remedy: pageText(error.remedyValue, commandStyleOf(core.settings)) });
  }

  return [
    route('GET', 'cards', async () => {}),
    route('POST', 'import/read', async (asked, context) => {
      const { fileName } = fileIn(context);
      await takeFile(asked, await readFile(context, MCP_BODY), fileName);
    }),
    // An archive is written to the disk as it arrives, since it may not fit into memory.
    route('POST', 'plays/import', async ({ tab }, context) => {
      const { fileName: name } = fileIn(context);
      const id = await core.library.plays.startUpload(fileChunks(context), name);
      tab.history = { id, name };
      return { id };
    }),
    ...(Object.keys(CALLS) as OwnerCall[]).map((name) => {
      const { shape, run } = CALLS[name] as (typeof CALLS)['jobs/cancel'];
      return route('POST', name, async (asked, context) =>
        run(parsed(shape(), await readJson(context, OWN_BODY)), asked),
      );
    }),
  ];
}

function headerOf({ request }: HttpContext, name: string): string {
  return String(request.headers[name] ?? '');
}

/** The name of an uploaded file, which is in a header, so that no name is part of an address. */
function fileIn(context: HttpContext): { fileName: string } {
  try {
    return parsed(FileName(), JSON.parse(decodeURIComponent(headerOf(context, 'x-relay-import'))));
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError('BAD_REQUEST');
  }
}
