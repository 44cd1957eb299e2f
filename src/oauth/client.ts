/** An OAuth client, wherever it comes from, and how long a registration is kept. Pure. */
import type { ClientAuthMethod, ConfiguredClient } from '../config/oauthClients.ts';
import { UNAPPROVED_CLIENT_MS, UNUSED_CLIENT_MS } from './policy/limits.ts';

/** A client from any source. */
export interface OAuthClient {
  clientId: string;
  /** The name that the client gives itself, unchecked, or that the owner gave it. */
  name: string | null;
  /** SHA-256 of the secret in hex; null for a public client. */
  secretHash: string | null;
  /** How the client sends its secret; null if it may do so in either way. */
  authMethod: ClientAuthMethod | null;
  redirectUris: readonly string[];
  grantTypes: readonly string[];
  /** Source of the registration: `registered` is the client itself, the others are the owner. */
  source: 'environment' | 'file' | 'added' | 'registered';
  /** Time of the registration, in Unix milliseconds; null for a client of the settings. */
  createdAt: number | null;
  /**
   * Time of the owner's first approval, in Unix milliseconds, even if that approval has ended; null without an approval, and for
   * a client of the settings.
   */
  approvedAt: number | null;
  /**
   * Last time that one of its tokens was issued or used, in Unix milliseconds; null without a token, and for a client of the
   * settings.
   */
  lastUsedAt: number | null;
}

/** The grant types that clients may use. */
export const GRANT_TYPES = ['authorization_code', 'refresh_token'] as const;

/** The client that an entry of the settings defines. */
export function fromSettings(client: ConfiguredClient): OAuthClient {
  return { ...client, grantTypes: GRANT_TYPES, createdAt: null, approvedAt: null, lastUsedAt: null };
}

/**
 * True if the owner has set up this client or ever approved it. Any other client may have been registered by a stranger, to get
 * a link to this server that redirects to an address of theirs.
 */
export function isKnownToOwner({ source, approvedAt, lastUsedAt }: OAuthClient): boolean {
  // A client that was used has been approved, but an earlier version did not keep the time of the approval.
  return source !== 'registered' || approvedAt !== null || lastUsedAt !== null;
}

/**
 * True if a client registered itself and was not approved within a day, or has been unused for a year. It then counts as unknown,
 * and may be dropped.
 */
export function isLapsed(client: OAuthClient, now: number): boolean {
  const { source, createdAt, approvedAt, lastUsedAt } = client;
  if (source !== 'registered') return false;
  if (!isKnownToOwner(client)) return now - (createdAt ?? 0) > UNAPPROVED_CLIENT_MS;
  return now - Math.max(approvedAt ?? 0, lastUsedAt ?? 0) > UNUSED_CLIENT_MS;
}
