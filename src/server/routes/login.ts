/** The browser's way through the provider login. Pages never say why something failed; the terminal and the log do. */
import { RelayError } from '../../domain/errors.ts';
import { LOGIN_LIFETIME_MS } from '../../provider/login.ts';
import type { Core } from '../core.ts';
import { cookieOf, type Exchange, redirect, setCookie } from '../exchange.ts';
import type { OwnerSessions } from '../ownerSession.ts';
import { connectedPage, loginFailedPage, noClientIdPage } from '../pages/login.ts';
import { sendPage } from '../pages/page.ts';
import type { Route } from '../router.ts';

const COOKIE = 'relay_login';
const COOKIE_PATH = '/auth/provider';

/** Codes that say the provider failed rather than refused: 502, so that a person knows whose turn it is. */
const PROVIDER_FAILED = new Set(['PROVIDER_UNAVAILABLE', 'PROVIDER_TIMEOUT', 'PROVIDER_INVALID_RESPONSE']);

export function loginRoutes(core: Core, redirectUri: string, owner: OwnerSessions): Route[] {
  const home = new URL(redirectUri).origin;

  function begin(exchange: Exchange): void {
    if (core.clientId() === null) {
      sendPage(exchange, 503, noClientIdPage(core.settings.demo));
      return;
    }
    // The cookie has to be set under the host that the provider sends the browser back to.
    // Not `baseUrl`, which may be the public one: compared with that, this would lead to itself for ever.
    if (exchange.request.headers.host?.toLowerCase() !== new URL(home).host) {
      const query = exchange.query.toString();
      redirect(exchange, `${home}${exchange.path}${query === '' ? '' : `?${query}`}`);
      return;
    }
    const { location, browserSecret } = core.login.begin(
      exchange.query.get('ticket'),
      cookieOf(exchange, COOKIE),
    );
    setCookie(exchange, COOKIE, browserSecret, {
      path: COOKIE_PATH,
      maxAgeSeconds: LOGIN_LIFETIME_MS / 1000,
    });
    // Whoever runs `relay login` may read the owner's keychain, so the browser that it opens is the owner's.
    if (owner.takeTicket(exchange.query.get('owner'))) owner.signIn(exchange);
    redirect(exchange, location);
  }

  async function finish(exchange: Exchange): Promise<void> {
    const { query } = exchange;
    const demo = core.settings.demo;
    try {
      const account = await core.login.complete(
        { state: query.get('state'), code: query.get('code'), error: query.get('error') },
        cookieOf(exchange, COOKIE),
      );
      const until = account.loginExpiresAt.slice(0, 10);
      sendPage(exchange, 200, connectedPage(account.name ?? account.id, until, demo));
    } catch (error) {
      const code = error instanceof RelayError ? error.code : 'INTERNAL';
      core.log.warn({ requestId: exchange.requestId, failure: code, err: error }, 'provider login failed');
      sendPage(exchange, PROVIDER_FAILED.has(code) ? 502 : 400, loginFailedPage(demo));
    }
  }

  return [
    { method: 'GET', path: '/auth/provider/callback', handle: finish },
    { method: 'GET', path: '/auth/provider/login', handle: begin },
  ];
}
