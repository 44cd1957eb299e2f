/** The provider's blocks, one row per provider and endpoint family, so that a restart does not forget them. */
import { defineTable, integer, nullable, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../types.ts';

const COLUMNS = {
  provider: text(),
  /** Endpoint family. */
  scope: text(),
  /** Unix milliseconds; in the past, or null, when nothing blocks. */
  blockedUntil: nullable(integer),
  /** The provider's reason, where it named one. */
  reason: nullable(text()),
  /** HTTP status of the answer that blocked last. */
  lastStatus: nullable(integer),
  /** Unix milliseconds. */
  updatedAt: integer,
};
const RATE_LIMITS = defineTable('rate_limits', COLUMNS);

export type RateLimit = RowOf<typeof COLUMNS>;

export function listRateLimits(
  store: Store,
  filter: { provider?: string; scope?: string } = {},
): RateLimit[] {
  return RATE_LIMITS.all(
    store,
    `where (:provider is null or provider = :provider) and (:scope is null or scope = :scope)
     order by provider, scope`,
    { provider: filter.provider ?? null, scope: filter.scope ?? null },
  );
}

/** Remembers a block; a later one of the same scope takes its place. Saved within a second. */
export function blockScope(store: Store, block: Omit<RateLimit, 'updatedAt'>, now: number): void {
  RATE_LIMITS.insert(store, { ...block, updatedAt: now }, 'or replace');
  store.saveSoon();
}
