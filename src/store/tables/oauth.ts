/**
 * What MCP clients may do. Clients that registered themselves or that the owner added; grants, one for each approval by the owner;
 * and the access and refresh tokens of each grant, of which only hashes are stored. A grant is created with its authorization
 * code. Deleting it ends its code and all its tokens. Times are Unix milliseconds.
 */
import { AUTH_METHODS } from '../../config/oauthClients.ts';
import { LEVELS, type Level } from '../../domain/access.ts';
import { defineTable, integer, json, nullable, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';

// Clients.

const CLIENT = {
  clientId: text(),
  name: nullable(text()),
  /** SHA-256 of the secret in hex; null for a public client. */
  secretHash: nullable(text()),
  /** How the client sends its secret; null if every way is allowed. */
  authMethod: nullable(text(AUTH_METHODS)),
  redirectUris: json<string[]>(),
  grantTypes: json<string[]>(),
  source: text(['registered', 'added']),
  createdAt: integer,
  /** When the owner first approved the client, even if that approval has ended; null if never. */
  approvedAt: nullable(integer),
  /** When one of the client's tokens was last issued or used; null if the client never had a token. */
  lastUsedAt: nullable(integer),
};
const CLIENTS = defineTable('oauth_clients', CLIENT);

export type StoredClient = RowOf<typeof CLIENT>;

export function putClient(store: Store, client: StoredClient): void {
  CLIENTS.insert(store, client);
}

export function getClient(store: Store, clientId: string): StoredClient | null {
  return CLIENTS.first(store, 'where client_id = ?', [clientId]);
}

export function listClients(store: Store): StoredClient[] {
  return CLIENTS.all(store, 'order by created_at, client_id');
}

export function deleteClient(store: Store, clientId: string): boolean {
  return store.run('delete from oauth_clients where client_id = ?', [clientId]).changes > 0;
}

/** Notes the owner's first approval. Returns false if there was an earlier approval, or there is no such client. */
export function markClientApproved(store: Store, clientId: string, now: number): boolean {
  const sql = 'update oauth_clients set approved_at = ? where client_id = ? and approved_at is null';
  return store.run(sql, [now, clientId]).changes === 1;
}

export function markClientUnapproved(store: Store, clientId: string): void {
  store.run('update oauth_clients set approved_at = null where client_id = ?', [clientId]);
}

export function touchClient(store: Store, clientId: string, now: number): void {
  store.run('update oauth_clients set last_used_at = ? where client_id = ?', [now, clientId]);
}

/** Counts the clients that registered or were added. */
export function countOauthClients(store: Store): number {
  return CLIENTS.count(store);
}

export function countRegisteredClients(store: Store): number {
  return CLIENTS.count(store, "where source = 'registered'");
}

/** Returns the registration to drop if there are too many: the oldest that never had a token, approved ones last. */
export function oldestUnusedClient(store: Store): StoredClient | null {
  return CLIENTS.first(
    store,
    `where source = 'registered' and last_used_at is null
     order by approved_at is not null, created_at, client_id limit 1`,
  );
}

// Tokens.

const TOKEN = {
  /** SHA-256 in hex. */
  hash: text(),
  grantId: text(),
  kind: text(['access', 'refresh']),
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
const TOKENS = defineTable('oauth_tokens', TOKEN);

export type StoredToken = RowOf<typeof TOKEN>;

/**
 * Selects valid tokens: those that are neither expired nor exchanged. A refresh token is no longer valid either once another
 * refresh token of its generation was exchanged.
 */
const LIVE = `expires_at > ? and rotated_at is null and (kind = 'access'
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

// Grants.

const GRANT = {
  id: text(),
  clientId: text(),
  redirectUri: text(),
  /** The S256 challenge (RFC 7636 4.2). */
  codeChallenge: text(),
  /** The MCP URL that the approval's tokens are for. */
  resource: text(),
  scope: text(),
  /** What its tokens may do; the owner may change it. */
  access: text(LEVELS),
  /** SHA-256 of the code in hex. */
  codeHash: text(),
  codeExpiresAt: integer,
  /** When the code was exchanged; null until then. */
  codeUsedAt: nullable(integer),
  createdAt: integer,
  lastUsedAt: nullable(integer),
  /** The newest generation of refresh tokens from which a token was exchanged; 0 if none was. */
  refreshed: integer,
};
const GRANTS = defineTable('oauth_grants', GRANT);

/** SQL condition: the approval has a valid token. Its one parameter is the current time. */
const HAS_TOKEN = `exists (select 1 from oauth_tokens where grant_id = oauth_grants.id and ${LIVE})`;

export type Grant = RowOf<typeof GRANT>;

export function putGrant(store: Store, grant: Grant): void {
  GRANTS.insert(store, grant);
}

export function getGrant(store: Store, id: string): Grant | null {
  return GRANTS.first(store, 'where id = ?', [id]);
}

export function findGrantByCode(store: Store, codeHash: string): Grant | null {
  return GRANTS.first(store, 'where code_hash = ?', [codeHash]);
}

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

export function markCodeUnused(store: Store, id: string): void {
  store.run('update oauth_grants set code_used_at = null where id = ?', [id]);
}

export function touchGrant(store: Store, id: string, now: number): void {
  store.run('update oauth_grants set last_used_at = ? where id = ?', [now, id]);
}

/** Changes what every approval of a client may do. Those that were asked for reading alone stay so. */
export function setAccessOf(store: Store, clientId: string, access: Level): void {
  const sql = "update oauth_grants set access = ? where client_id = ? and scope <> 'relay:read'";
  store.run(sql, [access, clientId]);
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
