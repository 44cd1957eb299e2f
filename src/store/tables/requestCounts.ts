/** Requests to the provider per endpoint family over the last 24 hours, counted by the minute. */
import type { Store } from '../types.ts';

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 24 * 60;

/** Counts one request at `now` (Unix milliseconds) and drops what is older than a day. Saved within a second. */
export function countRequest(store: Store, scope: string, now: number): void {
  const minute = Math.floor(now / MINUTE_MS);
  store.transaction(() => {
    store.run(
      `insert into request_counts (minute, scope, count) values (?, ?, 1)
       on conflict (minute, scope) do update set count = count + 1`,
      [minute, scope],
    );
    store.run('delete from request_counts where minute <= ?', [minute - MINUTES_PER_DAY]);
  });
  store.saveSoon();
}

/** Requests by scope in the minute of `now` and the 1,439 before it; scopes without any are left out. */
export function requestTotals(store: Store, now: number): Record<string, number> {
  const minute = Math.floor(now / MINUTE_MS);
  const rows = store.all<{ scope: string; total: number }>(
    `select scope, sum(count) as total from request_counts
     where minute > ? and minute <= ? group by scope order by scope`,
    [minute - MINUTES_PER_DAY, minute],
  );
  return Object.fromEntries(rows.map(({ scope, total }) => [scope, total]));
}
