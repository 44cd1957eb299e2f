/** The dynamic store of OAuth clients: those that registered themselves and those that the owner added. */
import { AUTH_METHODS } from '../../config/oauthClients.ts';
import { defineTable, integer, json, nullable, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';

const COLUMNS = {
  clientId: text(),
  name: nullable(text()),
  /** SHA-256 of the secret in hex; null for a public client. */
  secretHash: nullable(text()),
  /** How the client sends its secret; null if every way is allowed. */
  authMethod: nullable(text(AUTH_METHODS)),
  redirectUris: json<string[]>(),
  grantTypes: json<string[]>(),
  source: text(['registered', 'added']),
  /** When the client registered or was added, in Unix milliseconds. */
  createdAt: integer,
  /** When the owner first approved the client, Unix milliseconds, even if that approval has ended; null if never. */
  approvedAt: nullable(integer),
  /** When one of the client's tokens was last issued or used, Unix milliseconds; null if the client never had a token. */
  lastUsedAt: nullable(integer),
};
const CLIENTS = defineTable('oauth_clients', COLUMNS);

export type StoredClient = RowOf<typeof COLUMNS>;

export function putClient(store: Store, client: StoredClient): void {
  CLIENTS.insert(store, client);
}

export function getClient(store: Store, clientId: string): StoredClient | null {
  return CLIENTS.first(store, 'where client_id = ?', [clientId]);
}

/** Lists all clients, oldest first. */
export function listClients(store: Store): StoredClient[] {
  return CLIENTS.all(store, 'order by created_at, client_id');
}

/** Returns true if there was such a client. */
export function deleteClient(store: Store, clientId: string): boolean {
  return store.run('delete from oauth_clients where client_id = ?', [clientId]).changes > 0;
}

/** Notes the owner's first approval. Returns false if there was an earlier approval, or there is no such client. */
export function markClientApproved(store: Store, clientId: string, now: number): boolean {
  const sql = 'update oauth_clients set approved_at = ? where client_id = ? and approved_at is null';
  return store.run(sql, [now, clientId]).changes === 1;
}

/** Undoes `markClientApproved`. */
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
