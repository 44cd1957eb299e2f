/** `/oauth/register`, `/oauth/revoke` and `/oauth/token`, for programs. Answers and errors are OAuth's JSON (RFC 6749 5). */

import { createWindow, type Window } from '../../base/rateWindow.ts';
import { RelayError } from '../../domain/errors.ts';
import { REGISTRATIONS_PER_MINUTE, TOKEN_REQUESTS_PER_MINUTE } from '../../oauth/policy/limits.ts';
import { type Refusal, toWire } from '../../oauth/refusal.ts';
import type { Core } from '../core.ts';
import { clientAddress, ownAddress } from '../http/address.ts';
import { ANYONES_BODY, readForm, readJson } from '../http/body.ts';
import { end, type HttpContext, sendJson } from '../http/context.ts';
import type { Route } from '../http/router.ts';
import { HttpError } from '../http/toHttp.ts';

export function oauthRoutes(core: Core): Route[] {
  const registrations = createWindow(REGISTRATIONS_PER_MINUTE, core.clock);
  // The two routes for tokens share one limit, since both reveal whether a client's secret is right.
  const tokenRequests = createWindow(TOKEN_REQUESTS_PER_MINUTE, core.clock);

  async function register(context: HttpContext): Promise<void> {
    const body = await readJson(context, ANYONES_BODY);
    const result = await core.oauth.register(body, ownAddress(context));
    if (result.ok) sendJson(context, 201, result.value);
    else refuse(context, result.refusal);
  }

  async function token(context: HttpContext): Promise<void> {
    const form = await readForm(context, ANYONES_BODY);
    const result = await core.oauth.token(form, context.request.headers.authorization);
    // `Pragma` is for caches older than `Cache-Control` (RFC 6749 5.1).
    if (result.ok) sendJson(context, 200, result.value, { pragma: 'no-cache' });
    else refuse(context, result.refusal);
  }

  async function revoke(context: HttpContext): Promise<void> {
    const form = await readForm(context, ANYONES_BODY);
    const result = await core.oauth.revoke(form, context.request.headers.authorization);
    if (result.ok) end(context, 200, {}, '');
    else refuse(context, result.refusal);
  }

  const routes: Route[] = [
    {
      method: 'POST',
      path: '/oauth/revoke',
      handle: guarded(core, tokenRequests, 'invalid_request', revoke),
    },
    { method: 'POST', path: '/oauth/token', handle: guarded(core, tokenRequests, 'invalid_request', token) },
  ];
  if (core.settings.dynamicRegistration) {
    const handle = guarded(core, registrations, 'invalid_client_metadata', register);
    routes.push({ method: 'POST', path: '/oauth/register', handle });
  }
  return routes;
}

/** Limits requests per address, and answers failures of HTTP and the state in OAuth's form. */
function guarded(
  core: Core,
  window: Window,
  badBody: 'invalid_request' | 'invalid_client_metadata',
  handle: (context: HttpContext) => Promise<void>,
): (context: HttpContext) => Promise<void> {
  return async (context) => {
    const address = clientAddress(context);
    const wait = window.waitSeconds(address);
    if (wait > 0) return tooMany(context, wait);
    window.count(address);
    try {
      await handle(context);
    } catch (error) {
      if (error instanceof HttpError) {
        const { status, headers, message } = error;
        // After any of the other codes, a client would not try again.
        const code = status === 503 ? 'temporarily_unavailable' : badBody;
        return sendJson(context, status, { error: code, error_description: message }, headers);
      }
      refuse(context, failureOf(core, context, error));
    }
  };
}

/** The OAuth error for an internal failure, whose cause goes to the log. */
export function failureOf(core: Core, { requestId, path }: HttpContext, error: unknown): Refusal {
  const saved = !(error instanceof RelayError && error.code === 'STORE_ERROR');
  core.log.error({ requestId, path, err: error }, 'OAuth request failed');
  return { reason: saved ? 'fault' : 'state_not_saved', detail: null };
}

function tooMany(context: HttpContext, waitSeconds: number): void {
  context.request.resume();
  const { status, ...body } = toWire({ reason: 'too_many_requests', detail: null });
  sendJson(context, status, body, { 'retry-after': String(waitSeconds) });
}

function refuse(context: HttpContext, refusal: Refusal): void {
  const { status, ...body } = toWire(refusal);
  // RFC 6749 5.2: a client that sent `Authorization` is told the scheme in the answer.
  const usedHeader = status === 401 && context.request.headers.authorization !== undefined;
  sendJson(context, status, body, usedHeader ? { 'www-authenticate': 'Basic realm="relay"' } : {});
}
