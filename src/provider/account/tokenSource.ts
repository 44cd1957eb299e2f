/**
 * The provider's tokens: sealed in the store, one copy in memory, one refresh at a time for all callers. A caller that leaves
 * stops waiting, but the refresh continues, since a rotated refresh token that is not stored is lost.
 */
import { interruptible, NEVER } from '../../base/abort.ts';
import type { Log } from '../../base/log.ts';
import { messageOf, notConnected, otherAccount, RelayError } from '../../domain/errors.ts';
import type { Limits } from '../http/limits.ts';
import type { Network } from '../http/transport.ts';
import { type ProviderApp, refreshGrant, type TokenAnswer } from './accountsApi.ts';

/** How long before its end a token is refreshed. Otherwise it might expire while a request is on its way. */
const RENEW_BEFORE_MS = 60_000;
/** A refused token that was issued less than this time ago is tried again as it is; any other is refreshed. */
const RENEW_AFTER_MS = 60_000;

export interface StoredTokens {
  /** The provider's ID of the user whose tokens these are. */
  account: string;
  accessToken: string;
  refreshToken: string;
  /** End of the access token, in Unix milliseconds. */
  accessExpiresAt: number;
}

/** Where tokens are stored; `write` resolves once the change is on disk. */
export interface TokenKeeper {
  read(): StoredTokens | null;
  /**
   * Stores refreshed tokens if `isCurrent` is true at the moment of the change.
   * @param scopes the scopes that the answer names; null keeps those of the login
   * @throws RelayError `STORE_ERROR`
   */
  write(tokens: StoredTokens, scopes: string[] | null, isCurrent: () => boolean): Promise<void>;
  /** Deletes the tokens and marks the account as needing a login; saved soon. */
  endLogin(): void;
}

export interface TokenSource {
  /**
   * Returns the access token if it is valid for at least another minute; otherwise refreshes it and returns the new one.
   * @param account ID of the user whose token it must be; by default the connected user
   * @throws RelayError `LOGIN_REQUIRED` if no account is connected or the login has ended, with `details.reason` `other_account`
   * if another account is connected; `PROVIDER_*` or `RATE_LIMITED` if the token cannot be refreshed now
   */
  current(signal: AbortSignal, account?: string): Promise<string>;
  /**
   * Refreshes after a 401, unless another token has replaced `refused` already. A token issued within the last minute is returned
   * as it is: Spotify may soon accept it, and a new token after each 401 would only burden the login service.
   */
  replace(refused: string, signal: AbortSignal): Promise<string>;
  /**
   * Changes the stored login (another account, or none). A refresh that ends meanwhile belongs to the previous login and
   * is dropped: storing it would undo the change. Afterwards the tokens are read again.
   */
  during<T>(change: () => Promise<T>): Promise<T>;
}

export interface TokenSourceOptions extends Network {
  app: () => ProviderApp;
  keeper: TokenKeeper;
  limits: Pick<Limits, 'admit' | 'block' | 'passed' | 'free'>;
  log: Log;
}

export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { app, keeper, limits, clock, log, transport } = options;
  let tokens = keeper.read();
  let refreshing: Promise<StoredTokens> | null = null;
  /** Time when the present access token was issued, on the monotonic clock; null if the token was read from the store. */
  let issuedAt: number | null = null;
  /** The last access token that was answered with 401: it is not sent again, even if it cannot be refreshed now. */
  let refusedToken: string | null = null;
  /** Number of calls of `during` that have not ended. */
  let changes = 0;

  async function refresh(old: StoredTokens): Promise<StoredTokens> {
    const isCurrent = () => changes === 0 && tokens === old;
    if (!isCurrent()) return requireTokens();
    const sentAt = clock.monotonic();
    let answer: TokenAnswer;
    try {
      answer = await refreshGrant(app(), old.refreshToken, { clock, transport });
    } catch (error) {
      if (error instanceof RelayError && error.details?.status === 429) {
        const refusal = { retryAfter: error.retryAfterSeconds ?? null, reason: null, sentAt };
        throw limits.block('login', refusal).error;
      }
      if (isEnded(error) && isCurrent()) {
        tokens = null;
        keeper.endLogin();
        log.warn({}, 'Spotify has ended the login');
      }
      throw error;
    }
    limits.passed('login', sentAt);
    // A logout or a new login in the meantime takes precedence.
    if (!isCurrent()) return requireTokens();
    const rotated = answer.refreshToken !== null && answer.refreshToken !== old.refreshToken;
    const fresh = {
      account: old.account,
      accessToken: answer.accessToken,
      refreshToken: answer.refreshToken ?? old.refreshToken,
      accessExpiresAt: clock.now() + answer.expiresIn * 1000,
    };
    tokens = fresh;
    issuedAt = clock.monotonic();
    await keep(fresh, answer.scopes, rotated);
    return fresh;
  }

  async function keep(fresh: StoredTokens, scopes: string[] | null, rotated: boolean): Promise<void> {
    try {
      await keeper.write(fresh, scopes, () => changes === 0 && tokens === fresh);
    } catch (error) {
      // Losing an access token costs one refresh; losing a rotated refresh token costs the login.
      if (rotated) throw error;
      log.warn({ err: messageOf(error) }, 'could not save the new access token');
    }
  }

  function sharedRefresh(old: StoredTokens): Promise<StoredTokens> {
    refreshing ??= admitted(old).finally(() => {
      refreshing = null;
    });
    return refreshing;
  }

  async function admitted(old: StoredTokens): Promise<StoredTokens> {
    await limits.admit('login', NEVER);
    return refresh(old);
  }

  function requireTokens(): StoredTokens {
    if (!tokens) throw notConnected();
    return tokens;
  }

  return {
    async current(signal, account) {
      const now = tokensOf(account, requireTokens());
      const isRefused = now.accessToken === refusedToken;
      if (!isRefused && now.accessExpiresAt - RENEW_BEFORE_MS > clock.now()) return now.accessToken;
      return tokensOf(account, await interruptible(signal, sharedRefresh(now))).accessToken;
    },
    async replace(refused, signal) {
      const now = requireTokens();
      if (now.accessToken !== refused) return now.accessToken;
      if (issuedAt !== null && clock.monotonic() - issuedAt < RENEW_AFTER_MS) return refused;
      refusedToken = refused;
      return (await interruptible(signal, sharedRefresh(now))).accessToken;
    },
    async during(change) {
      changes += 1;
      try {
        return await change();
      } finally {
        changes -= 1;
        tokens = keeper.read();
        issuedAt = null;
        limits.free('login');
      }
    },
  };
}

/** The one token of a login that is not stored yet, so it cannot be refreshed. */
export function onlyToken(token: string): Pick<TokenSource, 'current' | 'replace'> {
  return { current: async () => token, replace: async () => token };
}

function tokensOf(account: string | undefined, tokens: StoredTokens): StoredTokens {
  if (account === undefined || tokens.account === account) return tokens;
  throw otherAccount('This', { waits: true });
}

function isEnded(error: unknown): boolean {
  return (
    error instanceof RelayError && error.details?.error === 'invalid_grant' && error.code === 'LOGIN_REQUIRED'
  );
}

/** The error for a 401 to a token that was just issued. Either Spotify's servers disagree for a moment, or the app is blocked. */
export function refusedWhenNew(): RelayError {
  return new RelayError('PROVIDER_UNAVAILABLE', 'Spotify refuses the token that it has just issued.', {
    remedy: { text: 'Try again in a minute. If it happens again, run {command}.', command: ['login'] },
    retryAfterSeconds: RENEW_AFTER_MS / 1000,
    details: { status: 401, sent: false },
  });
}
