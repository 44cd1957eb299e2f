/** Access and refresh tokens of MCP clients. Only their hashes are stored. */
import { defineTable, integer, nullable, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';

const COLUMNS = {
  /** SHA-256 in hex. */
  hash: text(),
  grantId: text(),
  kind: text(['access', 'refresh']),
  /** When the token was issued, in Unix milliseconds, as all times here. */
  issuedAt: integer,
  expiresAt: integer,
  /** When a refresh token was exchanged for its successor; null if it was not, and for access tokens. */
  rotatedAt: nullable(integer),
  /**
   * 1 for the pair from the code, one more for each refresh. If a refresh token is exchanged twice within its grace period,
   * both new pairs get the same generation.
   */
  generation: integer,
};
const TOKENS = defineTable('oauth_tokens', COLUMNS);

export type StoredToken = RowOf<typeof COLUMNS>;

/**
 * Selects valid tokens: those that are neither expired nor exchanged. A refresh token is no longer valid either once another
 * refresh token of its generation was exchanged.
 */
export const LIVE = `expires_at > ? and rotated_at is null and (kind = 'access'
  or generation > (select refreshed from oauth_grants where id = grant_id))`;

export function putToken(store: Store, token: StoredToken): void {
  TOKENS.insert(store, token);
}

export function getToken(store: Store, hash: string): StoredToken | null {
  return TOKENS.first(store, 'where hash = ?', [hash]);
}

/** Marks a refresh token as exchanged, which ends all refresh tokens of its generation. A second call changes nothing. */
export function rotateToken(store: Store, { hash, grantId, generation }: StoredToken, now: number): void {
  store.run('update oauth_tokens set rotated_at = ? where hash = ? and rotated_at is null', [now, hash]);
  store.run('update oauth_grants set refreshed = max(refreshed, ?) where id = ?', [generation, grantId]);
}

/** Undoes `rotateToken`. Does nothing if the grant has tokens of a later generation. */
export function unrotateToken(store: Store, { hash, grantId, generation }: StoredToken): void {
  const sql = 'select 1 from oauth_tokens where grant_id = ? and generation > ?';
  if (store.get(sql, [grantId, generation])) return;
  store.run('update oauth_tokens set rotated_at = null where hash = ?', [hash]);
  store.run('update oauth_grants set refreshed = ? where id = ?', [generation - 1, grantId]);
}

export function deleteToken(store: Store, hash: string): void {
  store.run('delete from oauth_tokens where hash = ?', [hash]);
}

export function deleteExpiredTokens(store: Store, now: number): void {
  store.run('delete from oauth_tokens where expires_at <= ?', [now]);
}

/** Counts the live tokens of all clients. */
export function countOauthTokens(store: Store, now: number): number {
  return TOKENS.count(store, `where ${LIVE}`, [now]);
}

/** Counts the live tokens of one approval by kind. `endsAt` is when the last of them expires; 0 if there is none. */
export function liveTokensOf(
  store: Store,
  grantId: string,
  now: number,
): { access: number; refresh: number; endsAt: number } {
  const row = store.get<{ access: number; refresh: number; endsAt: number }>(
    `select count(*) filter (where kind = 'access') as access,
            count(*) filter (where kind = 'refresh') as refresh,
            ifnull(max(expires_at), 0) as endsAt
     from oauth_tokens where grant_id = ? and ${LIVE}`,
    [grantId, now],
  );
  return row ?? { access: 0, refresh: 0, endsAt: 0 };
}
