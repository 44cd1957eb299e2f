/** Limits how many requests the reading in the background sends in any 24 hours and per minute. */
import type { Clock } from '../../base/clock.ts';
import type { ProviderApi } from '../../provider/api.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { LibraryFile } from '../files/libraryFile.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

export interface Budget {
  perDay: number;
  perMinute: number;
}

export interface Pace {
  /** Sends requests, and counts those that are sent while `counted` runs. */
  provider: ProviderApi;
  /** Runs work in the background: each of its requests is counted before it is sent. */
  counted<T>(work: () => Promise<T>): Promise<T>;
  /** Returns how many milliseconds to wait before the next request; 0 if it may be sent now. */
  waitMs(): Promise<number>;
}

/** @param budget the limits; null for none, as in the demo */
export function createPace(
  budget: Budget | null,
  provider: ProviderApi,
  file: LibraryFile,
  clock: Clock,
): Pace {
  /** Times at which the requests of the last minute were sent, on the monotonic clock. */
  let recent: number[] = [];
  let isCounted = false;
  const minute = () => Math.floor(clock.now() / MINUTE_MS);

  function waitMs(sql: Sql): number {
    if (!budget) return 0;
    recent = recent.filter((at) => clock.monotonic() - at < MINUTE_MS);
    const oldest = recent.at(-budget.perMinute);
    if (oldest !== undefined) return Math.max(1, oldest + MINUTE_MS - clock.monotonic());
    // Counts from before the clock was set back may lie in the future. They would hold up the reading for too long, so they are
    // left out.
    const counts = sql.all<{ minute: number; count: number }>(
      'select minute, count from requests where minute >= ? and minute <= ? order by minute desc',
      [minute() - DAY_MINUTES, minute()],
    );
    let sum = 0;
    for (const { minute: at, count } of counts) {
      sum += count;
      if (sum >= budget.perDay) return Math.max(1, (at + DAY_MINUTES + 1) * MINUTE_MS - clock.now());
    }
    return 0;
  }

  function count(sql: Sql): void {
    if (!budget) return;
    recent.push(clock.monotonic());
    sql.run('delete from requests where minute < ?', [minute() - DAY_MINUTES]);
    sql.run(
      'insert into requests (minute, count) values (?, 1) on conflict (minute) do update set count = count + 1',
      [minute()],
    );
  }

  return {
    provider: {
      ...provider,
      async send(request, call) {
        if (isCounted) await file.use(count);
        return provider.send(request, call);
      },
    },
    async counted(work) {
      isCounted = true;
      try {
        return await work();
      } finally {
        isCounted = false;
      }
    },
    waitMs: () => file.use(waitMs),
  };
}
