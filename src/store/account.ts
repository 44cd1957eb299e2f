/** The connected account: one row or none. Its tokens are among the sealed secrets, not here. */
import type { Store } from './types.ts';

export interface Account {
  /** The provider's user ID. */
  providerUserId: string;
  /** The provider's newer, pseudonymous account ID; null where the provider named none. */
  accountId: string | null;
  displayName: string | null;
  scopes: string[];
  /** When the person agreed, Unix milliseconds: the provider counts the login's life from here. */
  consentAt: number;
  /** When the provider ends the login, Unix milliseconds. */
  loginExpiresAt: number;
  /** End of the access token, Unix milliseconds; null before the first. */
  accessExpiresAt: number | null;
  reauthorizationRequired: boolean;
  reauthorizationReason: string | null;
}

interface AccountRow {
  provider_user_id: string;
  account_id: string | null;
  display_name: string | null;
  scopes: string;
  consent_at: number;
  login_expires_at: number;
  access_expires_at: number | null;
  reauthorization_required: number;
  reauthorization_reason: string | null;
}

export function getAccount(store: Store): Account | null {
  const row = store.get<AccountRow>('select * from account');
  return row ? toAccount(row) : null;
}

/** Puts `account` in the place of whatever was connected. */
export function putAccount(store: Store, account: Account, now: number): void {
  store.run(
    `insert or replace into account (
       id, provider_user_id, account_id, display_name, scopes, consent_at, login_expires_at,
       access_expires_at, reauthorization_required, reauthorization_reason, updated_at)
     values (
       1, :providerUserId, :accountId, :displayName, :scopes, :consentAt, :loginExpiresAt,
       :accessExpiresAt, :reauthorizationRequired, :reauthorizationReason, :now)`,
    {
      ...account,
      scopes: account.scopes.join(' '),
      reauthorizationRequired: account.reauthorizationRequired ? 1 : 0,
      now,
    },
  );
}

/** After a refresh. `scopes` null: the provider named none, and those of the login stay. */
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

/** The provider refuses the login; the account stays known by name until the next one. */
export function requireReauthorization(store: Store, reason: string, now: number): void {
  store.run(
    `update account
     set reauthorization_required = 1, reauthorization_reason = ?, access_expires_at = null, updated_at = ?`,
    [reason, now],
  );
}

/** True when an account was there. */
export function deleteAccount(store: Store): boolean {
  return store.run('delete from account').changes > 0;
}

function toAccount(row: AccountRow): Account {
  return {
    providerUserId: row.provider_user_id,
    accountId: row.account_id,
    displayName: row.display_name,
    scopes: row.scopes === '' ? [] : row.scopes.split(' '),
    consentAt: row.consent_at,
    loginExpiresAt: row.login_expires_at,
    accessExpiresAt: row.access_expires_at,
    reauthorizationRequired: row.reauthorization_required === 1,
    reauthorizationReason: row.reauthorization_reason,
  };
}
