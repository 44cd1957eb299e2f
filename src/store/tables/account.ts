/** The connected account: one row or none. Its tokens are among the sealed secrets, not here. And what is stored about it besides. */
import { defineTable, flag, integer, type Kind, nullable, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';

/** Scopes are kept as in OAuth: one text, separated by spaces (RFC 6749 3.3). */
const scopeList: Kind<string[]> = {
  read: (raw) => (raw === '' ? [] : String(raw).split(' ')),
  write: (scopes) => scopes.join(' '),
};

const COLUMNS = {
  providerUserId: text(),
  /** The provider's newer, pseudonymous account ID; null if the provider named none. */
  accountId: nullable(text()),
  displayName: nullable(text()),
  scopes: scopeList,
  /** When the person agreed, Unix milliseconds. The lifetime of the login begins here. */
  consentAt: integer,
  /** When the provider ends the login, Unix milliseconds. */
  loginExpiresAt: integer,
  /** End of the access token, Unix milliseconds; null before the first token, and after the provider refused the login. */
  accessExpiresAt: nullable(integer),
  /** True if the provider has refused the login, so that the owner has to log in. */
  reauthorizationRequired: flag,
  reauthorizationReason: nullable(text()),
};
const ACCOUNT = defineTable('account', COLUMNS);
/** The only row has the ID 1. `updated_at` is for people who look into the file. */
const ROW = defineTable('account', { ...COLUMNS, id: integer, updatedAt: integer });

export type Account = RowOf<typeof COLUMNS>;

export function getAccount(store: Store): Account | null {
  return ACCOUNT.first(store, '');
}

export function putAccount(store: Store, account: Account, now: number): void {
  store.transaction(() => {
    deleteAccount(store);
    ROW.insert(store, { ...account, id: 1, updatedAt: now });
  });
}

/** Stores the result of a refresh. If the provider named no scopes (null), those of the login stay. */
export function renewAccess(
  store: Store,
  access: { accessExpiresAt: number; scopes: readonly string[] | null },
  now: number,
): void {
  store.run('update account set access_expires_at = ?, scopes = ifnull(?, scopes), updated_at = ?', [
    access.accessExpiresAt,
    access.scopes?.join(' ') ?? null,
    now,
  ]);
}

/** Notes that the provider refuses the login. The account stays known by name until the next login. */
export function requireReauthorization(store: Store, reason: string, now: number): void {
  store.run(
    `update account
     set reauthorization_required = 1, reauthorization_reason = ?, access_expires_at = null, updated_at = ?`,
    [reason, now],
  );
}

export function deleteAccount(store: Store): boolean {
  return store.run('delete from account').changes > 0;
}

/** Forgets what relay has done: kept playlists, works, names of playlists and errors. Saved soon. */
export function forgetActivity(store: Store): void {
  empty(store, ['keeps', 'items', 'works', 'playlist_names', 'api_errors']);
  store.saveSoon();
}

/** Erases everything about an account but its login. Deleting a work deletes its items. */
export function eraseAccountData(store: Store): void {
  empty(store, ['keeps', 'works', 'aliases', 'playlist_names']);
}

/** @param tables a table that refers to another comes before it */
function empty(store: Store, tables: readonly string[]): void {
  store.transaction(() => {
    for (const table of tables) store.run(`delete from ${table}`);
  });
}
