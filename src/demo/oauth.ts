/**
 * The login: `/authorize`, which agrees by itself and redirects the browser back, and `/api/token`, which exchanges a code or
 * refreshes a token (RFC 6749 sections 4.1.3 and 6, RFC 7636 section 4.6). Codes and tokens are kept in memory.
 */
import { hashOf } from '../base/digest.ts';
import type { Answer, Incoming } from './http.ts';
import type { DemoAccount, DemoWorld } from './state.ts';

export const CLIENT_ID = 'relay-demo-client';
const CODE_LIFETIME_MS = 10 * 60_000;
/** Refresh tokens expire this long after the login, however often they are used. */
const LOGIN_LIFETIME_MONTHS = 6;

interface Grant {
  readonly account: DemoAccount;
  readonly scope: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export class Logins {
  /** Index of the account that the next login uses. */
  nextAccount = 0;
  readonly #codes = new Map<string, Grant & { redirectUri: string; challenge: string }>();
  readonly access = new Map<string, Grant>();
  /** Refresh tokens; for one that has ended, the error that its use gets. */
  readonly refresh = new Map<string, Grant | string>();
  readonly #world: DemoWorld;
  readonly #accessTokenSeconds: number;

  constructor(world: DemoWorld, accessTokenSeconds: number) {
    this.#world = world;
    this.#accessTokenSeconds = accessTokenSeconds;
  }

  /** Issues a token, by default a new one, and says how many seconds it is valid. */
  issueAccess(account: DemoAccount, scope: string, token = this.#secret('BQ')) {
    const seconds = this.#accessTokenSeconds;
    this.access.set(token, { account, scope, expiresAt: this.#now() + seconds * 1_000 });
    return { token, seconds };
  }

  /** Issues a refresh token, by default a new one, for a login that is given now. */
  issueRefresh(account: DemoAccount, scope: string, token = this.#secret('AR')): string {
    const end = new Date(this.#now());
    const expiresAt = end.setUTCMonth(end.getUTCMonth() + LOGIN_LIFETIME_MONTHS);
    this.refresh.set(token, { account, scope, expiresAt });
    return token;
  }

  accessOf(token: string): Grant | undefined {
    const grant = this.access.get(token);
    return grant && !this.#hasExpired(grant) ? grant : undefined;
  }

  /** `GET /authorize`. With a wrong client ID or redirect URI, the browser gets an error page and is not redirected. */
  authorize({ query }: Incoming): Answer {
    const text = (name: string) => query.get(name) ?? '';
    const redirectUri = text('redirect_uri');
    const problem = text('client_id') === CLIENT_ID ? faultOfRedirect(redirectUri) : 'Invalid client';
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    if (problem !== null) return { status: 400, text: `INVALID_CLIENT: ${problem}`, headers };
    const location = new URL(redirectUri);
    const account = this.#world.accounts[this.nextAccount];
    if (!account) throw new RangeError(`There is no account ${this.nextAccount}.`);
    const code = this.#secret('AQ');
    const asked = { redirectUri, scope: text('scope'), challenge: text('code_challenge') };
    this.#codes.set(code, { account, ...asked, expiresAt: this.#now() + CODE_LIFETIME_MS });
    location.searchParams.set('code', code);
    if (query.has('state')) location.searchParams.set('state', text('state'));
    return { status: 302, text: '', headers: { location: location.href } };
  }

  /** `POST /api/token`. @returns 200 with tokens, or 400 in the shape of RFC 6749 section 5.2 */
  exchange({ text }: Incoming): Answer {
    const form = new URLSearchParams(text);
    if (form.get('client_id') !== CLIENT_ID) return refused('invalid_client', 'Invalid client');
    const type = form.get('grant_type');
    if (type === 'authorization_code') return this.#exchangeCode(form);
    if (type === 'refresh_token') return this.#refreshed(form);
    return refused('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
  }

  #exchangeCode(form: URLSearchParams): Answer {
    const code = form.get('code') ?? '';
    const grant = this.#codes.get(code);
    // A code works once.
    this.#codes.delete(code);
    if (!grant) return refused('invalid_grant', 'Invalid authorization code');
    if (this.#hasExpired(grant)) return refused('invalid_grant', 'Authorization code expired');
    if (form.get('redirect_uri') !== grant.redirectUri)
      return refused('invalid_grant', 'Invalid redirect URI');
    if (hashOf(form.get('code_verifier') ?? '', 'base64url') !== grant.challenge)
      return refused('invalid_grant', 'code_verifier was incorrect');
    return this.#tokens(grant, { refresh_token: this.issueRefresh(grant.account, grant.scope) });
  }

  #refreshed(form: URLSearchParams): Answer {
    const grant = this.refresh.get(form.get('refresh_token') ?? '') ?? 'Invalid refresh token';
    if (typeof grant === 'string') return refused('invalid_grant', grant);
    if (this.#hasExpired(grant)) return refused('invalid_grant', 'Refresh token expired');
    return this.#tokens(grant);
  }

  #tokens({ account, scope }: Grant, more: { refresh_token?: string } = {}): Answer {
    const { token, seconds } = this.issueAccess(account, scope);
    const json = { access_token: token, token_type: 'Bearer', expires_in: seconds, scope, ...more };
    return { status: 200, json, headers: { 'cache-control': 'no-store' } };
  }

  #hasExpired({ expiresAt }: Grant): boolean {
    return expiresAt <= this.#now();
  }

  #secret(start: string): string {
    return start + this.#world.random.bytes(48).toString('base64url');
  }

  #now(): number {
    return this.#world.clock.now();
  }
}

/** The app has a loopback address without a port as its redirect URI, which matches any port. */
function faultOfRedirect(uri: string): string | null {
  if (!uri.startsWith('http:') || !URL.canParse(uri)) return 'Invalid redirect URI';
  return ['127.0.0.1', '[::1]'].includes(new URL(uri).hostname) ? null : 'Insecure redirect URI';
}

function refused(error: string, description: string): Answer {
  return { status: 400, json: { error, error_description: description } };
}
