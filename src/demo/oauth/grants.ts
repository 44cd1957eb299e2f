/** Issued codes and tokens, in memory. Tokens are opaque. */
import type { Clock, Random } from '../../base/clock.ts';
import type { DemoAccount } from '../state.ts';

const CODE_LIFETIME_MS = 10 * 60_000;
/** Refresh tokens expire this long after the consent, however often they are used. */
const LOGIN_LIFETIME_MONTHS = 6;

export type RefreshFailure = 'Refresh token revoked' | 'Refresh token expired' | 'Invalid refresh token';

/** What an access token grants. */
export interface AccessGrant {
  readonly account: DemoAccount;
  readonly scopes: ReadonlySet<string>;
}

export interface RefreshGrant {
  readonly account: DemoAccount;
  readonly scope: string;
  readonly clientId: string;
  /** When the login or the code expires, in Unix milliseconds. */
  readonly expiresAt: number;
}

export interface CodeGrant extends RefreshGrant {
  readonly redirectUri: string;
  /** The PKCE challenge; null if the request had none. Only clients with a secret may omit it. */
  readonly challenge: string | null;
}

export function scopesIn(scope: string): string[] {
  return scope.split(' ').filter((name) => name !== '');
}

export class Grants {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #accessTokenSeconds: number;
  readonly #codes = new Map<string, CodeGrant>();
  readonly #access = new Map<string, AccessGrant & { expiresAt: number }>();
  readonly #refresh = new Map<string, RefreshGrant>();
  /** Refresh tokens that were replaced or revoked, with the error for each. */
  readonly #ended = new Map<string, RefreshFailure>();

  constructor(clock: Clock, random: Random, accessTokenSeconds: number) {
    this.#clock = clock;
    this.#random = random;
    this.#accessTokenSeconds = accessTokenSeconds;
  }

  issueCode(grant: Omit<CodeGrant, 'expiresAt'>): string {
    const code = this.#secret('AQ');
    this.#codes.set(code, { ...grant, expiresAt: this.#clock.now() + CODE_LIFETIME_MS });
    return code;
  }

  /** Takes a code, which works once; later attempts return nothing. */
  takeCode(code: string): CodeGrant | undefined {
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    return grant;
  }

  hasExpired(grant: { expiresAt: number }): boolean {
    return grant.expiresAt <= this.#clock.now();
  }

  /** The token and its lifetime in seconds. */
  issueAccess(account: DemoAccount, scope: string): { token: string; seconds: number } {
    this.#dropOldAccess();
    const token = this.#secret('BQ');
    this.#putAccess(token, account, scope);
    return { token, seconds: this.#accessTokenSeconds };
  }

  access(token: string): AccessGrant | undefined {
    const grant = this.#access.get(token);
    return grant && !this.hasExpired(grant) ? grant : undefined;
  }

  /** A refresh token for a consent given now. */
  issueRefresh(account: DemoAccount, scope: string, clientId: string): string {
    return this.#keepRefresh({ account, scope, clientId, expiresAt: this.#endOfLogin() });
  }

  /** Takes over a login that another run of the provider has granted. The login counts as given now. */
  accept(
    tokens: { access: string; refresh: string },
    account: DemoAccount,
    scope: string,
    clientId: string,
  ): void {
    this.#putAccess(tokens.access, account, scope);
    this.#refresh.set(tokens.refresh, { account, scope, clientId, expiresAt: this.#endOfLogin() });
  }

  /** The token's grant, or the error if it is not valid. */
  refresh(token: string): RefreshGrant | RefreshFailure {
    const grant = this.#refresh.get(token);
    if (!grant) return this.#ended.get(token) ?? 'Invalid refresh token';
    return this.hasExpired(grant) ? 'Refresh token expired' : grant;
  }

  /** Replaces `token` with a new one; the login expires at the same time as before. */
  rotate(token: string, grant: RefreshGrant): string {
    this.#end(token, 'Refresh token revoked');
    return this.#keepRefresh(grant);
  }

  expireAccess(): void {
    this.#access.clear();
  }

  endRefresh(reason: RefreshFailure): void {
    for (const token of [...this.#refresh.keys()]) this.#end(token, reason);
  }

  #putAccess(token: string, account: DemoAccount, scope: string): void {
    const scopes = new Set(scopesIn(scope));
    const expiresAt = this.#clock.now() + this.#accessTokenSeconds * 1_000;
    this.#access.set(token, { account, scopes, expiresAt });
  }

  /** When a login that is given now expires, Unix milliseconds. */
  #endOfLogin(): number {
    const end = new Date(this.#clock.now());
    return end.setUTCMonth(end.getUTCMonth() + LOGIN_LIFETIME_MONTHS);
  }

  #end(token: string, reason: RefreshFailure): void {
    this.#refresh.delete(token);
    this.#ended.set(token, reason);
  }

  #keepRefresh(grant: RefreshGrant): string {
    const token = this.#secret('AR');
    this.#refresh.set(token, grant);
    return token;
  }

  #dropOldAccess(): void {
    if (this.#access.size < 1_000) return;
    for (const [token, grant] of this.#access) if (this.hasExpired(grant)) this.#access.delete(token);
  }

  #secret(start: string): string {
    return start + this.#random.bytes(48).toString('base64url');
  }
}
