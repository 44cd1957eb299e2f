/**
 * What the owner approved, one row per approval. The row is born with its authorization code and is the family of every
 * token that comes of it: deleting it ends them all.
 */

import type { Store } from '../types.ts';
import { LIVE } from './oauthTokens.ts';

export interface Grant {
  id: string;
  clientId: string;
  redirectUri: string;
  /** The S256 challenge (RFC 7636 4.2). */
  codeChallenge: string;
  /** The MCP URL that its tokens are for. */
  resource: string;
  scope: string;
  /** SHA-256 of the code in hex. */
  codeHash: string;
  codeExpiresAt: number;
  /** null until the code was exchanged. Times are Unix milliseconds. */
  codeUsedAt: number | null;
  createdAt: number;
  lastUsedAt: number | null;
  /** The latest generation of refresh tokens of which one was exchanged; 0: none yet. */
  refreshed: number;
}

const COLUMNS = `id, client_id as clientId, redirect_uri as redirectUri, code_challenge as codeChallenge, resource,
  scope, code_hash as codeHash, code_expires_at as codeExpiresAt, code_used_at as codeUsedAt,
  created_at as createdAt, last_used_at as lastUsedAt, refreshed`;

export function putGrant(store: Store, grant: Grant): void {
  store.run(
    `insert into oauth_grants (
       id, client_id, redirect_uri, code_challenge, resource, scope, code_hash, code_expires_at, code_used_at,
       created_at, last_used_at, refreshed)
     values (
       :id, :clientId, :redirectUri, :codeChallenge, :resource, :scope, :codeHash, :codeExpiresAt, :codeUsedAt,
       :createdAt, :lastUsedAt, :refreshed)`,
    { ...grant },
  );
}

export function getGrant(store: Store, id: string): Grant | null {
  return store.get<Grant>(`select ${COLUMNS} from oauth_grants where id = ?`, [id]) ?? null;
}

export function findGrantByCode(store: Store, codeHash: string): Grant | null {
  return store.get<Grant>(`select ${COLUMNS} from oauth_grants where code_hash = ?`, [codeHash]) ?? null;
}

/** Every approval with a token that is still good, by client. */
export function listLiveGrants(store: Store, now: number): Grant[] {
  return store.all<Grant>(
    `select ${COLUMNS} from oauth_grants
     where exists (select 1 from oauth_tokens
                   where grant_id = oauth_grants.id and ${LIVE})
     order by client_id, created_at, id`,
    [now],
  );
}

/** False when the code had been used before. */
export function markCodeUsed(store: Store, id: string, now: number): boolean {
  const sql = 'update oauth_grants set code_used_at = ? where id = ? and code_used_at is null';
  return store.run(sql, [now, id]).changes === 1;
}

/** Takes `markCodeUsed` back. */
export function markCodeUnused(store: Store, id: string): void {
  store.run('update oauth_grants set code_used_at = null where id = ?', [id]);
}

export function touchGrant(store: Store, id: string, now: number): void {
  store.run('update oauth_grants set last_used_at = ? where id = ?', [now, id]);
}

/** Ends the approval with its code and all its tokens; true when it was there. */
export function deleteGrant(store: Store, id: string): boolean {
  return store.run('delete from oauth_grants where id = ?', [id]).changes > 0;
}

/** Ends every approval of a client; returns how many there were. */
export function deleteGrantsOf(store: Store, clientId: string): number {
  return store.run('delete from oauth_grants where client_id = ?', [clientId]).changes;
}

/** Drops approvals of which nothing can come any more: the code has ended and so has every token. */
export function deleteSpentGrants(store: Store, now: number): void {
  store.run(
    `delete from oauth_grants where code_expires_at <= ?
       and not exists (select 1 from oauth_tokens where grant_id = oauth_grants.id)`,
    [now],
  );
}
