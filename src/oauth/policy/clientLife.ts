/** How long a registration is kept. Pure. */
import { isKnownToOwner, type OAuthClient } from '../client.ts';
import { UNAPPROVED_CLIENT_MS, UNUSED_CLIENT_MS } from './limits.ts';

/** A registration that was never approved, or not used, for so long that it counts as gone. Others stay. */
export function isLapsed(client: OAuthClient, now: number): boolean {
  const { source, createdAt, approvedAt, lastUsedAt } = client;
  if (source !== 'registered') return false;
  if (!isKnownToOwner(client)) return now - (createdAt ?? 0) > UNAPPROVED_CLIENT_MS;
  return now - Math.max(approvedAt ?? 0, lastUsedAt ?? 0) > UNUSED_CLIENT_MS;
}
