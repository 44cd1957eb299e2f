/**
 * Stores the provider's login: the account as a row, its tokens among the sealed secrets. `accountView` says what the state
 * knows about the account.
 */
import type { Clock } from '../base/clock.ts';
import { missingScopes } from '../provider/account/accountsApi.ts';
import type { AccountKeeper, AccountRecord } from '../provider/account/login.ts';
import type { StoredTokens, TokenKeeper } from '../provider/account/tokenSource.ts';
import type { Store } from '../store/store.ts';
import {
  type Account,
  deleteAccount,
  getAccount,
  putAccount,
  renewAccess,
  requireReauthorization,
} from '../store/tables/account.ts';
import type { Vault } from '../store/vault.ts';

const ACCESS_TOKEN = 'provider.access_token';
const REFRESH_TOKEN = 'provider.refresh_token';

export const PROVIDER_TOKENS: readonly string[] = [ACCESS_TOKEN, REFRESH_TOKEN];

export function createKeepers(store: Store, vault: Vault, clock: Clock) {
  function putTokens(tokens: StoredTokens): void {
    vault.set(ACCESS_TOKEN, tokens.accessToken);
    vault.set(REFRESH_TOKEN, tokens.refreshToken);
  }

  function dropTokens(): void {
    vault.delete(ACCESS_TOKEN);
    vault.delete(REFRESH_TOKEN);
  }

  function undoTo(account: Account | null, had: StoredTokens | null): () => void {
    return () => {
      if (account) putAccount(store, account, clock.now());
      else deleteAccount(store);
      if (had) putTokens(had);
      else dropTokens();
    };
  }

  const tokens: TokenKeeper = {
    read() {
      const accessToken = vault.get(ACCESS_TOKEN);
      const refreshToken = vault.get(REFRESH_TOKEN);
      const account = getAccount(store);
      if (accessToken === null || refreshToken === null || !account) return null;
      const { providerUserId, accessExpiresAt } = account;
      return { account: providerUserId, accessToken, refreshToken, accessExpiresAt: accessExpiresAt ?? 0 };
    },
    // `durable` is not used here, since it refuses changes while the disk is full. At the provider, the fresh tokens have
    // replaced the old ones. So they are kept even if they cannot be saved yet, and are saved as soon as possible.
    async write(fresh, scopes, isCurrent) {
      const { accessExpiresAt } = fresh;
      store.transaction(() => {
        if (!isCurrent()) return;
        putTokens(fresh);
        renewAccess(store, { accessExpiresAt, scopes }, clock.now());
      });
      await store.saveNow();
    },
    // If a crash loses this change, the next refresh shows again that the login has ended.
    endLogin() {
      store.transaction(() => {
        dropTokens();
        requireReauthorization(store, 'invalid_grant', clock.now());
      });
      store.saveSoon();
    },
  };

  const accounts: AccountKeeper = {
    read() {
      const account = getAccount(store);
      return account && recordOf(account);
    },
    async connect(account, fresh) {
      await store.durable(
        () => {
          putTokens(fresh);
          putAccount(store, accountOf(account, fresh), clock.now());
        },
        undoTo(getAccount(store), tokens.read()),
      );
    },
  };

  return {
    tokens,
    accounts,
    async disconnect() {
      const account = getAccount(store);
      await store.durable(
        () => {
          dropTokens();
          deleteAccount(store);
        },
        undoTo(account, tokens.read()),
      );
      return account;
    },
  };
}

function recordOf(account: Account): AccountRecord {
  return {
    id: account.accountId ?? account.providerUserId,
    userId: account.providerUserId,
    name: account.displayName,
    scopes: account.scopes,
    consentAt: account.consentAt,
    loginExpiresAt: account.loginExpiresAt,
  };
}

function accountOf(record: AccountRecord, tokens: StoredTokens): Account {
  return {
    providerUserId: record.userId,
    accountId: record.id === record.userId ? null : record.id,
    displayName: record.name,
    scopes: record.scopes,
    consentAt: record.consentAt,
    loginExpiresAt: record.loginExpiresAt,
    accessExpiresAt: tokens.accessExpiresAt,
    reauthorizationRequired: false,
    reauthorizationReason: null,
  };
}

export type AccountView = ReturnType<typeof accountView>;

const DAY_MS = 24 * 3600_000;

/** What is known about the account without asking the provider. */
export function accountView(store: Store, clock: Clock) {
  const account = getAccount(store);
  const left = (account?.loginExpiresAt ?? 0) - clock.now();
  /** True if the provider refused the refresh token, or the six months of the login are over. */
  const reauthorizationRequired = account !== null && (account.reauthorizationRequired || left <= 0);
  return {
    connected: account !== null && !reauthorizationRequired,
    reauthorizationRequired,
    account,
    missingScopes: account === null ? [] : missingScopes(account.scopes),
    /** Whole days until the login ends; 0 if it has ended, null without an account. */
    daysLeft: account && Math.max(0, Math.floor(left / DAY_MS)),
  };
}
