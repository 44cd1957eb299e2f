/** Codes and tokens that have been issued, in memory. Tokens are opaque; nothing can be read out of one. */
import type { Clock, Random } from '../../domain/clock.ts';
import type { DemoAccount } from '../state.ts';

const CODE_LIFETIME_MS = 10 * 60_000;
/** Refresh tokens end this long after the consent, however often they are used. */
const LOGIN_LIFETIME_MONTHS = 6;

export const REFRESH_FAILURES = [
  'Refresh token revoked',
  'Refresh token expired',
  'Invalid refresh token',
] as const;
export type RefreshFailure = (typeof REFRESH_FAILURES)[number];

/** What an access token stands for. */
export interface AccessGrant {
  readonly account: DemoAccount;
  readonly scopes: ReadonlySet<string>;
}

export interface CodeGrant {
  readonly account: DemoAccount;
  readonly scope: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** null where the request carried none, as clients with a secret may. */
  readonly challenge: string | null;
  readonly expiresAt: number;
}

export interface RefreshGrant {
  readonly account: DemoAccount;
  readonly scope: string;
  readonly clientId: string;
  /** Unix milliseconds of the login's end. */
  readonly expiresAt: number;
}

export class Grants {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #accessTokenSeconds: number;
  readonly #codes = new Map<string, CodeGrant>();
  readonly #access = new Map<string, AccessGrant & { expiresAt: number }>();
  readonly #refresh = new Map<string, RefreshGrant>();
  /** Tokens that were good once, with what is said about them now. */
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

  /** A code can be taken once; a later attempt finds nothing. */
  takeCode(code: string): CodeGrant | undefined {
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    return grant;
  }

  isOver(grant: { expiresAt: number }): boolean {
    return grant.expiresAt <= this.#clock.now();
  }

  /** The token and its life in seconds. */
  issueAccess(account: DemoAccount, scope: string): { token: string; seconds: number } {
    this.#dropOldAccess();
    const token = this.#secret('BQ');
    const scopes = new Set(scope.split(' ').filter((name) => name !== ''));
    const expiresAt = this.#clock.now() + this.#accessTokenSeconds * 1_000;
    this.#access.set(token, { account, scopes, expiresAt });
    return { token, seconds: this.#accessTokenSeconds };
  }

  access(token: string): AccessGrant | undefined {
    const grant = this.#access.get(token);
    return grant && !this.isOver(grant) ? grant : undefined;
  }

  /** A refresh token for a consent that is given now. */
  issueRefresh(account: DemoAccount, scope: string, clientId: string): string {
    const end = new Date(this.#clock.now());
    end.setUTCMonth(end.getUTCMonth() + LOGIN_LIFETIME_MONTHS);
    return this.#keepRefresh({ account, scope, clientId, expiresAt: end.getTime() });
  }

  /** What the token stands for, or what is said about it if nothing. */
  refresh(token: string): RefreshGrant | RefreshFailure {
    const grant = this.#refresh.get(token);
    if (!grant) return this.#ended.get(token) ?? 'Invalid refresh token';
    return this.isOver(grant) ? 'Refresh token expired' : grant;
  }

  /** A new token in place of `token`; the login's end stays. */
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
    for (const [token, grant] of this.#access) if (this.isOver(grant)) this.#access.delete(token);
  }

  #secret(start: string): string {
    return start + this.#random.bytes(48).toString('base64url');
  }
}
