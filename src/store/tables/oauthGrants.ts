/**
 * What the owner approved, one row per approval. The row is created with its authorization code, and all tokens issued for
 * the approval belong to the row. Deleting the row ends them all.
 */

import { defineTable, integer, nullable, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';
import { LIVE } from './oauthTokens.ts';

const COLUMNS = {
  id: text(),
  clientId: text(),
  redirectUri: text(),
  /** The S256 challenge (RFC 7636 4.2). */
  codeChallenge: text(),
  /** The MCP URL that the approval's tokens are for. */
  resource: text(),
  scope: text(),
  /** SHA-256 of the code in hex. */
  codeHash: text(),
  /** End of the code, in Unix milliseconds, as all times here. */
  codeExpiresAt: integer,
  /** When the code was exchanged; null until then. */
  codeUsedAt: nullable(integer),
  createdAt: integer,
  lastUsedAt: nullable(integer),
  /** The newest generation of refresh tokens from which a token was exchanged; 0 if none was. */
  refreshed: integer,
};
const GRANTS = defineTable('oauth_grants', COLUMNS);

/** SQL condition: the approval has a valid token. Its one parameter is the current time. */
const HAS_TOKEN = `exists (select 1 from oauth_tokens where grant_id = oauth_grants.id and ${LIVE})`;

export type Grant = RowOf<typeof COLUMNS>;

export function putGrant(store: Store, grant: Grant): void {
  GRANTS.insert(store, grant);
}

export function getGrant(store: Store, id: string): Grant | null {
  return GRANTS.first(store, 'where id = ?', [id]);
}

export function findGrantByCode(store: Store, codeHash: string): Grant | null {
  return GRANTS.first(store, 'where code_hash = ?', [codeHash]);
}

/** Returns every approval that has a valid token, ordered by client. */
export function listLiveGrants(store: Store, now: number): Grant[] {
  return GRANTS.all(
    store,
    `where ${HAS_TOKEN}
     order by client_id, created_at, id`,
    [now],
  );
}

/** Marks the code as used. Returns false if it was used before. */
export function markCodeUsed(store: Store, id: string, now: number): boolean {
  const sql = 'update oauth_grants set code_used_at = ? where id = ? and code_used_at is null';
  return store.run(sql, [now, id]).changes === 1;
}

/** Undoes `markCodeUsed`. */
export function markCodeUnused(store: Store, id: string): void {
  store.run('update oauth_grants set code_used_at = null where id = ?', [id]);
}

export function touchGrant(store: Store, id: string, now: number): void {
  store.run('update oauth_grants set last_used_at = ? where id = ?', [now, id]);
}

/** Ends the approval with its code and all its tokens. Returns true if there was such an approval. */
export function deleteGrant(store: Store, id: string): boolean {
  return store.run('delete from oauth_grants where id = ?', [id]).changes > 0;
}

/** Ends every approval of a client; returns how many of them still had a token, or a code to exchange. */
export function deleteGrantsOf(store: Store, clientId: string, now: number): number {
  const usable = GRANTS.count(
    store,
    `where client_id = ? and (code_used_at is null and code_expires_at > ? or ${HAS_TOKEN})`,
    [clientId, now, now],
  );
  store.run('delete from oauth_grants where client_id = ?', [clientId]);
  return usable;
}

/** Drops approvals that can no longer be used: their code and all their tokens have ended. */
export function deleteSpentGrants(store: Store, now: number): void {
  store.run(
    `delete from oauth_grants where code_expires_at <= ?
       and not exists (select 1 from oauth_tokens where grant_id = oauth_grants.id)`,
    [now],
  );
}
