/** The provider's blocks, one row per provider and endpoint family, so that a restart does not forget them. */
import type { Store } from '../types.ts';

export interface RateLimit {
  provider: string;
  /** Endpoint family. */
  scope: string;
  /** Unix milliseconds; in the past, or null, when nothing blocks. */
  blockedUntil: number | null;
  /** The provider's reason, where it named one. */
  reason: string | null;
  /** HTTP status of the answer that blocked last. */
  lastStatus: number | null;
  /** Unix milliseconds. */
  updatedAt: number;
}

export function listRateLimits(
  store: Store,
  filter: { provider?: string; scope?: string } = {},
): RateLimit[] {
  return store.all<RateLimit>(
    `select provider, scope, blocked_until as blockedUntil, reason, last_status as lastStatus, updated_at as updatedAt
     from rate_limits
     where (:provider is null or provider = :provider) and (:scope is null or scope = :scope)
     order by provider, scope`,
    { provider: filter.provider ?? null, scope: filter.scope ?? null },
  );
}

/** Remembers a block; a later one of the same scope takes its place. Saved within a second. */
export function blockScope(store: Store, block: Omit<RateLimit, 'updatedAt'>, now: number): void {
  store.run(
    `insert or replace into rate_limits (provider, scope, blocked_until, reason, last_status, updated_at)
     values (:provider, :scope, :blockedUntil, :reason, :lastStatus, :now)`,
    { ...block, now },
  );
  store.saveSoon();
}

/** Ends a block before its time; true when there was one. */
export function unblockScope(store: Store, provider: string, scope: string, now: number): boolean {
  const { changes } = store.run(
    `update rate_limits set blocked_until = null, updated_at = :now
     where provider = :provider and scope = :scope and blocked_until > :now`,
    { provider, scope, now },
  );
  if (changes > 0) store.saveSoon();
  return changes > 0;
}
