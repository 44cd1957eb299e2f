/** Pages of the provider login. They never say why something failed; the terminal, the owner's page and the log do. */

import { isLoopbackName } from '../../base/loopback.ts';
import { CALLBACK_PATH } from '../../config/types.ts';
import { RelayError } from '../../domain/errors.ts';
import { LOGIN_LIFETIME_MS, type LoginProof } from '../../provider/account/login.ts';
import { isFromStranger, PEERS_ARE_KNOWN, peerOf } from '../access/peer.ts';
import type { Core } from '../core.ts';
import { hostsOf } from '../http/address.ts';
import { isPersonsNavigation, isPrefetch } from '../http/browser.ts';
import { type HttpContext, redirect } from '../http/context.ts';
import { cookieOf, setCookie } from '../http/cookies.ts';
import type { Route } from '../http/router.ts';
import { sendPage } from '../pages/page.ts';
import {
  connectedPage,
  LOGIN_NOT_STARTED_PAGE,
  loginFailedPage,
  NO_CLIENT_ID_PAGE,
} from '../pages/wholePages.ts';

export const LOGIN_PATH = '/auth/provider/login';

const COOKIE = 'relay_login';
const COOKIE_PATH = '/auth/provider';

/** Codes for failures of the provider, which are answered with 502 rather than as a refusal. */
const PROVIDER_FAILED = new Set([
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_INVALID_RESPONSE',
  'RATE_LIMITED',
  'QUOTA_EXCEEDED',
]);

/** @param staysUp false if this server stops once the login is over, so that pages must not lead on to it */
export function loginRoutes(core: Core, redirectUri: string, staysUp: boolean): Route[] {
  const home = new URL(redirectUri).origin;
  const { publicBaseUrl } = core.settings;
  // A tunnel may send any `Host`, so with a public address every login needs a proof.
  const isPublic = publicBaseUrl !== null && !isLoopbackName(new URL(publicBaseUrl).hostname);

  async function begin(context: HttpContext): Promise<void> {
    const { request, query } = context;
    const asked = { ticket: query.get('ticket'), attemptId: query.get('attempt') };
    const isStranger = await comesFromStranger(context, core.login.proofOf(asked) !== null);
    // Checked again, since another request may have used the ticket meanwhile.
    const proof = core.login.proofOf(asked);
    const why = isStranger ? 'another user of this machine' : whyNot(context, proof);
    if (why !== null) return refuse(context, why);
    if (core.clientId() === null) return sendPage(context, 503, NO_CLIENT_ID_PAGE);
    // The cookie must be set under the host that the provider redirects to. That host is compared with the `Host` header, not
    // with `baseUrl`: `baseUrl` may be the public address, and the redirect would never end.
    if (!hostsOf(home).includes(request.headers.host?.toLowerCase() ?? '')) {
      // To the browser, the other name is another site, so the redirected request could seem to come from a foreign page. A
      // request that has no proof of its own gets a pass, which is accepted as a ticket.
      const onward = new URLSearchParams(proof === null ? { ticket: core.login.passOn() } : query);
      return redirect(context, `${home}${context.path}?${onward}`);
    }
    const { location, cookie } = core.login.begin(asked, cookieOf(context, COOKIE), redirectUri);
    keepCookie(context, cookie);
    redirect(context, location);
  }

  function whyNot({ request }: HttpContext, proof: LoginProof | null): string | null {
    if (isPublic && proof !== 'ticket' && proof !== 'attempt') return 'no proof behind PUBLIC_BASE_URL';
    // Only the owner gets a ticket, and only a browser that was accepted here gets a pass. The address of an attempt is not
    // enough, since anyone who sees the terminal may know it.
    if (proof === 'ticket' || proof === 'passed') return null;
    return isPersonsNavigation(request.headers) ? null : 'led here by another page';
  }

  async function finish(context: HttpContext): Promise<void> {
    // The browser asks again when the person gets there. The state must not be used up before that.
    if (isPrefetch(context.request.headers)) return sendPage(context, 503, LOGIN_NOT_STARTED_PAGE);
    const { query } = context;
    const state = query.get('state');
    const cookie = cookieOf(context, COOKIE);
    if (await comesFromStranger(context, core.login.isOwners(state))) {
      return refuse(context, 'another user of this machine');
    }
    const completed = core.login.complete(
      { state, code: query.get('code'), error: query.get('error') },
      cookie,
    );
    // Whatever the result, the secret of this login is removed from the cookie.
    if (cookie !== null) keepCookie(context, core.login.liveCookie(cookie));
    try {
      const account = await completed;
      const until = account.loginExpiresAt.slice(0, 10);
      sendPage(context, 200, connectedPage(account.name ?? account.id, until, staysUp));
    } catch (error) {
      const code = error instanceof RelayError ? error.code : 'INTERNAL';
      // A failure that the person or Spotify caused gets one line in the log; only a bug gets its stack.
      const why =
        error instanceof RelayError && code !== 'INTERNAL' ? { reason: error.message } : { err: error };
      core.quietLog.warn({ requestId: context.requestId, failure: code, ...why }, 'provider login failed');
      sendPage(context, PROVIDER_FAILED.has(code) ? 502 : 400, loginFailedPage(staysUp));
    }
  }

  /**
   * True for another user of this machine, who must not connect their own account, even while none is connected. True also for
   * a user whom the system should name but does not, unless the request has the owner's proof.
   * @param isOwners true if the request has a proof that only the owner has. The proof is enough if the system cannot name the
   * user (a Windows browser that reaches into WSL). It is not enough if the system names another user
   */
  async function comesFromStranger({ request }: HttpContext, isOwners: boolean): Promise<boolean> {
    // Requests for the public name come from the proxy, which may run as any user.
    if (isPublic && !isLoopbackName(new URL(`http://${request.headers.host}`).hostname)) return false;
    if (await isFromStranger(request.socket)) return true;
    return PEERS_ARE_KNOWN && !isOwners && (await peerOf(request.socket)) === 'unknown';
  }

  function refuse(context: HttpContext, why: string): void {
    core.quietLog.warn({ requestId: context.requestId, reason: why }, 'login not started');
    sendPage(context, 403, LOGIN_NOT_STARTED_PAGE);
  }

  function keepCookie(context: HttpContext, value: string): void {
    const maxAgeSeconds = value === '' ? 0 : LOGIN_LIFETIME_MS / 1000;
    setCookie(context, COOKIE, value, { path: COOKIE_PATH, maxAgeSeconds });
  }

  return [
    { method: 'GET', path: CALLBACK_PATH, handle: finish },
    { method: 'GET', path: LOGIN_PATH, handle: begin },
  ];
}
