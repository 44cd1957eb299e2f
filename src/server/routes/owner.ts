/**
 * `/owner/…`: signs a browser in, and checks that it is still signed in. Only our own pages may ask. They send the secret in a
 * header, and a code or ticket as JSON in the body, never in a cookie.
 */
import * as z from 'zod';
import { lazy } from '../../base/memoised.ts';
import { proofOf, requireOwnPage } from '../access/caller.ts';
import type { Owner } from '../access/owner.ts';
import { ANYONES_BODY, parsed, readJson } from '../http/body.ts';
import { type HttpContext, sendJson } from '../http/context.ts';
import type { Route } from '../http/router.ts';
import { HttpError } from '../http/toHttp.ts';
import { problemText } from '../pages/approve.ts';

const Ticket = lazy(() => z.object({ ticket: z.string().max(512) }));
const Code = lazy(() => z.object({ code: z.string().max(512) }));

export function ownerRoutes(owner: Owner): Route[] {
  async function useTicket(context: HttpContext): Promise<void> {
    const { ticket } = await bodyOf(context, Ticket());
    const taken = owner.takeTicket(context, ticket);
    if (!taken) throw new HttpError('UNAUTHORIZED', { message: 'The ticket is unknown, used or too old.' });
    sendJson(context, 200, { secret: owner.remember(context, proofOf(context)), next: taken.next });
  }

  async function useCode(context: HttpContext): Promise<void> {
    const { code } = await bodyOf(context, Code());
    const tried = await owner.tryCode(context, code);
    if (tried.ok) return sendJson(context, 200, { secret: owner.remember(context, proofOf(context)) });
    const { waitSeconds: seconds } = tried;
    const { requestId } = context;
    if (seconds === 0) {
      const message = problemText({ kind: 'wrong_code' });
      return sendJson(context, 403, { error: { code: 'WRONG_OWNER_CODE', message, requestId } });
    }
    const message = problemText({ kind: 'wait', seconds });
    const error = { code: 'TOO_MANY_CODES', message, requestId, retryAfterSeconds: seconds };
    sendJson(context, 429, { error }, { 'retry-after': String(seconds) });
  }

  async function check(context: HttpContext): Promise<void> {
    context.request.resume();
    const browser = owner.rememberedWith(context, proofOf(context));
    if (browser === null) throw new HttpError('UNAUTHORIZED', { message: 'This browser is not remembered.' });
    sendJson(context, 200, { expiresAt: new Date(browser.expiresAt).toISOString() });
  }

  const post = (path: string, handle: (context: HttpContext) => Promise<void>): Route => ({
    method: 'POST',
    path,
    async handle(context) {
      await requireOwnPage(context);
      await handle(context);
    },
  });
  return [post('/owner/check', check), post('/owner/code', useCode), post('/owner/ticket', useTicket)];
}

async function bodyOf<T extends z.ZodType>(context: HttpContext, shape: T): Promise<z.output<T>> {
  return parsed(shape, await readJson(context, ANYONES_BODY));
}
