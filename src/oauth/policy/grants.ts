/** Whether a code or a refresh token may be exchanged now. Pure: rows and time in, a decision out. */
import type { Grant, StoredToken } from '../../store/tables/oauth.ts';
import type { Reason } from '../refusal.ts';
import { GRANT_MS, READ_SCOPE, ROTATION_GRACE_MS } from './limits.ts';
import { askedScope, isSameResource, isVerifierOf } from './parameters.ts';

/** Whether an exchange gives tokens. */
export type ExchangeDecision =
  | { issue: true; grant: Grant; scope: string }
  /** No tokens are issued. `revoked` is the approval that ends now, with all its tokens; null if none does. */
  | { issue: false; reason: Reason; revoked: Grant | null };

/** Parameters of every exchange request; null stands for a parameter that was not sent. */
export interface ExchangeRequest {
  clientId: string;
  resource: string | null;
  scope: string | null;
}

export interface CodeExchangeRequest extends ExchangeRequest {
  /** OAuth 2.1 10.2 does not require it, but a value that is sent must be checked. */
  redirectUri: string | null;
  verifier: string;
}

/**
 * A code works once, for its client. A second use means that two parties have it, so the tokens from the first use end as well
 * (RFC 6749 4.1.2). A code that comes late, or with a wrong redirect URI or verifier, ends its approval. Another client can
 * neither use a code up nor end anything with it.
 */
export function judgeCode(grant: Grant | null, request: CodeExchangeRequest, now: number): ExchangeDecision {
  if (grant === null) return refuse('code_unknown');
  if (grant.clientId !== request.clientId) return refuse('code_of_other_client');
  if (grant.codeUsedAt !== null) return refuse('code_replayed', grant);
  if (grant.codeExpiresAt <= now) return refuse('code_expired', grant);
  if ((request.redirectUri ?? grant.redirectUri) !== grant.redirectUri)
    return refuse('code_redirect_uri_wrong', grant);
  if (!isVerifierOf(request.verifier, grant.codeChallenge)) return refuse('verifier_wrong', grant);
  return judgeTarget(grant, request);
}

/**
 * Rotation (OAuth 2.1 4.3.1, RFC 9700 4.14.2): a refresh token that is used again was copied, so all tokens of its approval
 * end. Within the grace, the second use counts as another process of the same client, which read the token from the same place.
 * The grace ends early once one of the new refresh tokens is exchanged. Using a new access token does not end the grace, since
 * each process uses its own at once. When one of several new refresh tokens is exchanged, the others end. Using one of the
 * others is reuse too. So a stolen token and the real one never both work for longer than one generation.
 */
export function judgeRefresh(
  token: StoredToken | null,
  grant: Grant | null,
  request: ExchangeRequest,
  now: number,
): ExchangeDecision {
  if (token === null || grant === null || token.kind !== 'refresh') return refuse('refresh_unknown');
  if (grant.clientId !== request.clientId) return refuse('refresh_of_other_client');
  if (token.expiresAt <= now) return refuse('refresh_expired');
  if (grant.createdAt + GRANT_MS <= now) return refuse('grant_ended', grant);
  if (isReused(token, grant, now)) return refuse('refresh_reused', grant);
  return judgeTarget(grant, request);
}

function isReused({ generation, rotatedAt }: StoredToken, { refreshed }: Grant, now: number): boolean {
  if (generation > refreshed) return false;
  if (generation < refreshed || rotatedAt === null) return true;
  // The absolute value, since a clock that was set back must not keep the grace open.
  return Math.abs(now - rotatedAt) > ROTATION_GRACE_MS;
}

/**
 * Refuses an exchange for a resource other than the approved one (RFC 8707 2.2). A client
 * may ask for less than was approved. One that asks for more gets what was approved, and is told so. Clients repeat the scope
 * that they first asked for, even if the owner approved reading only.
 */
function judgeTarget(grant: Grant, { resource, scope }: ExchangeRequest): ExchangeDecision {
  if (!isSameResource(resource ?? grant.resource, grant.resource)) return refuse('resource_foreign');
  return { issue: true, grant, scope: grant.scope === READ_SCOPE ? READ_SCOPE : askedScope(scope) };
}

function refuse(reason: Reason, revoked: Grant | null = null): ExchangeDecision {
  return { issue: false, reason, revoked };
}
