/** The dynamic store of OAuth clients: those that registered themselves and those that the owner added. */
import type { ClientAuthMethod } from '../../config/oauthClients.ts';
import type { Store } from '../types.ts';

export interface StoredClient {
  clientId: string;
  name: string | null;
  /** SHA-256 of the secret in hex; null for a public client. */
  secretHash: string | null;
  /** null: the secret may be sent in either way. */
  authMethod: ClientAuthMethod | null;
  redirectUris: string[];
  grantTypes: string[];
  source: 'registered' | 'added';
  /** Unix milliseconds. */
  createdAt: number;
  /** When the owner first approved it, Unix milliseconds; it stays when the approval has ended. null: never. */
  approvedAt: number | null;
  /** Last time that one of its tokens was issued or used, Unix milliseconds; null: it never held one. */
  lastUsedAt: number | null;
}

interface ClientRow {
  client_id: string;
  name: string | null;
  secret_hash: string | null;
  auth_method: ClientAuthMethod | null;
  redirect_uris: string;
  grant_types: string;
  source: StoredClient['source'];
  created_at: number;
  approved_at: number | null;
  last_used_at: number | null;
}

export function putClient(store: Store, client: StoredClient): void {
  store.run(
    `insert into oauth_clients (
       client_id, name, secret_hash, auth_method, redirect_uris, grant_types, source, created_at, approved_at,
       last_used_at)
     values (
       :clientId, :name, :secretHash, :authMethod, :redirectUris, :grantTypes, :source, :createdAt, :approvedAt,
       :lastUsedAt)`,
    {
      ...client,
      redirectUris: JSON.stringify(client.redirectUris),
      grantTypes: JSON.stringify(client.grantTypes),
    },
  );
}

export function getClient(store: Store, clientId: string): StoredClient | null {
  const row = store.get<ClientRow>('select * from oauth_clients where client_id = ?', [clientId]);
  return row ? toClient(row) : null;
}

/** Oldest first. */
export function listClients(store: Store): StoredClient[] {
  return store.all<ClientRow>('select * from oauth_clients order by created_at, client_id').map(toClient);
}

/** True when it was there. */
export function deleteClient(store: Store, clientId: string): boolean {
  return store.run('delete from oauth_clients where client_id = ?', [clientId]).changes > 0;
}

/** Notes the owner's approval; only the first one counts. False when there was one before, or there is no such row. */
export function markClientApproved(store: Store, clientId: string, now: number): boolean {
  const sql = 'update oauth_clients set approved_at = ? where client_id = ? and approved_at is null';
  return store.run(sql, [now, clientId]).changes === 1;
}

/** Takes `markClientApproved` back. */
export function markClientUnapproved(store: Store, clientId: string): void {
  store.run('update oauth_clients set approved_at = null where client_id = ?', [clientId]);
}

export function touchClient(store: Store, clientId: string, now: number): void {
  store.run('update oauth_clients set last_used_at = ? where client_id = ?', [now, clientId]);
}

/** All of the dynamic store. */
export function countOauthClients(store: Store): number {
  return store.get<{ total: number }>('select count(*) as total from oauth_clients')?.total ?? 0;
}

export function countRegisteredClients(store: Store): number {
  return (
    store.get<{ total: number }>("select count(*) as total from oauth_clients where source = 'registered'")
      ?.total ?? 0
  );
}

/** The registration that goes first when there is no room: the oldest one that never held a token, approved ones last. */
export function oldestUnusedClient(store: Store): StoredClient | null {
  const row = store.get<ClientRow>(
    `select * from oauth_clients where source = 'registered' and last_used_at is null
     order by approved_at is not null, created_at, client_id limit 1`,
  );
  return row ? toClient(row) : null;
}

function toClient(row: ClientRow): StoredClient {
  return {
    clientId: row.client_id,
    name: row.name,
    secretHash: row.secret_hash,
    authMethod: row.auth_method,
    redirectUris: JSON.parse(row.redirect_uris) as string[],
    grantTypes: JSON.parse(row.grant_types) as string[],
    source: row.source,
    createdAt: row.created_at,
    approvedAt: row.approved_at,
    lastUsedAt: row.last_used_at,
  };
}
