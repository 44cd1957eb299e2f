/**
 * The provider's blocks, one row per provider and endpoint family, so that a restart does not forget them. Also the requests
 * of the last 24 hours per endpoint family, counted by the minute.
 */
import { defineTable, integer, nullable, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';

const COLUMNS = {
  provider: text(),
  scope: text(),
  /** End of the block, in Unix milliseconds; in the past, or null, when nothing blocks. */
  blockedUntil: nullable(integer),
  /** The provider's reason, if it named one. */
  reason: nullable(text()),
  /** HTTP status of the answer that blocked last. */
  lastStatus: nullable(integer),
  /** Time of the last change, in Unix milliseconds. */
  updatedAt: integer,
};
const RATE_LIMITS = defineTable('rate_limits', COLUMNS);

export type RateLimit = RowOf<typeof COLUMNS>;

/** Returns the limits. If the clock was set back after a block was stored, the block lasts its full length from now. */
export function listRateLimits(
  store: Store,
  filter: { provider?: string | undefined; scope?: string | undefined } = {},
): RateLimit[] {
  const rows = RATE_LIMITS.all(
    store,
    `where (:provider is null or provider = :provider) and (:scope is null or scope = :scope)
     order by provider, scope`,
    { provider: filter.provider ?? null, scope: filter.scope ?? null },
  );
  return rows.map((row) => inItsLength(row, store.now()));
}

function inItsLength(row: RateLimit, now: number): RateLimit {
  const { blockedUntil, updatedAt } = row;
  if (blockedUntil === null || updatedAt <= now) return row;
  return { ...row, blockedUntil: Math.min(blockedUntil, now + Math.max(0, blockedUntil - updatedAt)) };
}

/** Remembers a block, replacing an earlier one of the same scope. Saved soon. */
export function blockScope(store: Store, block: Omit<RateLimit, 'updatedAt'>, now: number): void {
  RATE_LIMITS.insert(store, { ...block, updatedAt: now }, 'or replace');
  store.saveSoon();
}

const APP = 'limited_app';

/** Notes whose limits the stored ones are, to be saved soon. @returns false if they were those of another app until now */
export function noteLimitedApp(store: Store, clientId: string): boolean {
  const before = store.get<{ value: string }>('select value from meta where name = ?', [APP])?.value;
  if (before === clientId) return true;
  store.run('insert or replace into meta (name, value) values (?, ?)', [APP, clientId]);
  store.saveSoon();
  return before === undefined;
}

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 24 * 60;

/** Counts one request at `now` (Unix milliseconds). The first of a minute drops counts older than a day. Saved soon. */
export function countRequest(store: Store, scope: string, now: number): void {
  const minute = Math.floor(now / MINUTE_MS);
  const counted = store.get<{ count: number }>(
    `insert into request_counts (minute, scope, count) values (?, ?, 1)
     on conflict (minute, scope) do update set count = count + 1 returning count`,
    [minute, scope],
  );
  if (counted?.count === 1) {
    store.run('delete from request_counts where minute <= ?', [minute - MINUTES_PER_DAY]);
  }
  store.saveSoon();
}

/** Counts the requests by scope in the minute of `now` and the 1,439 before it. Scopes without requests are left out. */
export function requestTotals(store: Store, now: number): Record<string, number> {
  const minute = Math.floor(now / MINUTE_MS);
  const rows = store.all<{ scope: string; total: number }>(
    `select scope, sum(count) as total from request_counts
     where minute > :minute - ${MINUTES_PER_DAY} and minute <= :minute group by scope order by scope`,
    { minute },
  );
  return Object.fromEntries(rows.map(({ scope, total }) => [scope, total]));
}
