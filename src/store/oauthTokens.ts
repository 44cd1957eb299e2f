/** Access and refresh tokens of MCP clients, by their hash alone. */
import type { Store } from './types.ts';

export interface StoredToken {
  /** SHA-256 in hex. */
  hash: string;
  grantId: string;
  kind: 'access' | 'refresh';
  /** Unix milliseconds, as all times here. */
  issuedAt: number;
  expiresAt: number;
  /** When a refresh token was exchanged for its successor. */
  rotatedAt: number | null;
}

export function putToken(store: Store, token: StoredToken): void {
  store.run(
    `insert into oauth_tokens (hash, grant_id, kind, issued_at, expires_at, rotated_at)
     values (:hash, :grantId, :kind, :issuedAt, :expiresAt, :rotatedAt)`,
    { ...token },
  );
}

export function getToken(store: Store, hash: string): StoredToken | null {
  return (
    store.get<StoredToken>(
      `select hash, grant_id as grantId, kind, issued_at as issuedAt, expires_at as expiresAt, rotated_at as rotatedAt
       from oauth_tokens where hash = ?`,
      [hash],
    ) ?? null
  );
}

export function setRotatedAt(store: Store, hash: string, rotatedAt: number | null): void {
  store.run('update oauth_tokens set rotated_at = ? where hash = ?', [rotatedAt, hash]);
}

export function deleteToken(store: Store, hash: string): void {
  store.run('delete from oauth_tokens where hash = ?', [hash]);
}

export function deleteExpiredTokens(store: Store, now: number): void {
  store.run('delete from oauth_tokens where expires_at <= ?', [now]);
}

/** Tokens that still open something: neither ended nor rotated. */
export function countOauthTokens(store: Store, now: number): number {
  return (
    store.get<{ total: number }>(
      'select count(*) as total from oauth_tokens where expires_at > ? and rotated_at is null',
      [now],
    )?.total ?? 0
  );
}

/** The same of one approval, by kind, with the latest end. */
export function liveTokensOf(
  store: Store,
  grantId: string,
  now: number,
): { access: number; refresh: number; endsAt: number } {
  const row = store.get<{ access: number; refresh: number; endsAt: number }>(
    `select count(*) filter (where kind = 'access') as access,
            count(*) filter (where kind = 'refresh') as refresh,
            ifnull(max(expires_at), 0) as endsAt
     from oauth_tokens where grant_id = ? and expires_at > ? and rotated_at is null`,
    [grantId, now],
  );
  return row ?? { access: 0, refresh: 0, endsAt: 0 };
}
