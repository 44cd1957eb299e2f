/** Creates tokens, stores their hashes, and drops expired tokens. */
import type { Clock, Random } from '../base/clock.ts';
import { hashOf, newSecret } from '../base/digest.ts';
import type { Store } from '../store/store.ts';
import {
  deleteExpiredTokens,
  deleteSpentGrants,
  deleteToken,
  type Grant,
  putToken,
  type StoredToken,
  touchClient,
  touchGrant,
} from '../store/tables/oauth.ts';
import type { OAuthClient } from './client.ts';
import { ACCESS_TOKEN_SECONDS, GRANT_MS, READ_SCOPE, REFRESH_TOKEN_MS, SWEEP_MS } from './policy/limits.ts';

/** A new pair of tokens. */
export interface Issued {
  /** The answer of the token endpoint (RFC 6749 5.1). */
  response: object;
  /** Removes the tokens from memory. */
  undo(): void;
}

/**
 * Begins an access token that is good for reading only, although more was approved. The stored hash covers this beginning, so
 * nobody can add it or leave it out.
 */
const NARROWED = 'ro.';

/** True if a known access token is good for reading only, whatever was approved. */
export function isNarrowed(accessToken: string): boolean {
  return accessToken.startsWith(NARROWED);
}

/**
 * Creates a pair of tokens, which ends with its approval at the latest. A client that did not register the refresh grant gets
 * no refresh token.
 * @param scope of the access token: the approved one, or less (RFC 6749 6). The refresh token keeps the approved scope
 * @param generation see `StoredToken`
 */
export function issueTokens(
  { store, clock, random }: { store: Store; clock: Clock; random: Random },
  client: OAuthClient,
  grant: Grant,
  scope: string,
  generation: number,
): Issued {
  const now = clock.now();
  const grantEnd = grant.createdAt + GRANT_MS;
  const put = (kind: StoredToken['kind'], lifetimeMs: number): string => {
    const isLess = kind === 'access' && scope !== grant.scope;
    const token = `${isLess ? NARROWED : ''}${newSecret(random)}`;
    const expiresAt = Math.min(now + lifetimeMs, grantEnd);
    putToken(store, {
      hash: hashOf(token),
      grantId: grant.id,
      kind,
      issuedAt: now,
      expiresAt,
      rotatedAt: null,
      generation,
    });
    return token;
  };
  const access = put('access', ACCESS_TOKEN_SECONDS * 1000);
  const refresh = client.grantTypes.includes('refresh_token') ? put('refresh', REFRESH_TOKEN_MS) : null;
  touchGrant(store, grant.id, now);
  touchClient(store, client.clientId, now);
  return {
    response: {
      access_token: access,
      token_type: 'Bearer',
      expires_in: Math.min(ACCESS_TOKEN_SECONDS, Math.floor((grantEnd - now) / 1000)),
      ...(refresh === null ? {} : { refresh_token: refresh }),
      // The answer names what was granted (RFC 6749 3.3); the owner may raise it later.
      scope: grant.access === 'read' ? READ_SCOPE : scope,
    },
    undo() {
      deleteToken(store, hashOf(access));
      if (refresh !== null) deleteToken(store, hashOf(refresh));
    },
  };
}

/**
 * Returns a function that drops expired tokens and spent approvals, at most once in `SWEEP_MS`. Rotated refresh tokens stay until
 * they expire, since reuse can be noticed only while the token is known.
 */
export function createSweep({ store, clock }: { store: Store; clock: Clock }): () => void {
  let last = clock.now();
  return () => {
    const now = clock.now();
    if (now - last < SWEEP_MS) return;
    last = now;
    deleteExpiredTokens(store, now);
    deleteSpentGrants(store, now);
  };
}
