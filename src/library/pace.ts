/**
 * Holds up the requests of the reading in the background: calls of people and models go first, and a budget limits the requests
 * in any 24 hours and per minute. While somebody waits for what is read, nothing is held up, and nothing counts.
 */
import type { Clock } from '../base/clock.ts';
import { createMutex } from '../base/mutex.ts';
import type { ProviderApi } from '../provider/api.ts';
import type { Sql } from '../store/sql/sql.ts';
import type { LibraryFile } from './files/files.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** How long a request waits at most for calls of people and models to end. */
const QUIET_MS = 10_000;

export interface Budget {
  perDay: number;
  perMinute: number;
}

/**
 * @param budget the limits; null for none, as in the demo
 * @param held called when `heldUntil` is set
 */
export function createPace(
  provider: ProviderApi,
  budget: Budget | null,
  file: LibraryFile,
  clock: Clock,
  held: () => void,
) {
  const turns = createMutex();
  /** Times at which the requests of the last minute were sent, on the monotonic clock. */
  let recent: number[] = [];
  let heldUntil: number | null = null;
  let [hurried, foreground] = [0, 0];
  /** Aborts when there may be a reason less to wait. */
  let wake = new AbortController();

  function wakeUp(): void {
    wake.abort();
    wake = new AbortController();
  }

  async function rest(ms: number, signal: AbortSignal): Promise<void> {
    await clock.sleep(ms, AbortSignal.any([signal, wake.signal])).catch(() => {});
    signal.throwIfAborted();
  }

  /** Waits until a request may be sent, and counts it. */
  async function turn(signal: AbortSignal): Promise<void> {
    const end = clock.monotonic() + QUIET_MS;
    while (foreground > 0 && hurried === 0 && clock.monotonic() < end)
      await rest(end - clock.monotonic(), signal);
    while (hurried === 0 && budget) {
      const ms = await file.use((sql) => waitMs(sql, budget));
      if (ms <= 0) {
        await file.use(count);
        break;
      }
      // A wait of a minute or less is not worth showing.
      if (ms > MINUTE_MS) {
        heldUntil = clock.now() + ms;
        held();
      }
      await rest(Math.min(ms, MINUTE_MS), signal);
    }
    heldUntil = null;
  }

  function waitMs(sql: Sql, { perDay, perMinute }: Budget): number {
    recent = recent.filter((at) => clock.monotonic() - at < MINUTE_MS);
    const oldest = recent.at(-perMinute);
    if (oldest !== undefined) return Math.max(1, oldest + MINUTE_MS - clock.monotonic());
    // Counts from before the clock was set back may lie in the future. They would hold up the reading for too long, so they are
    // left out.
    const counts = sql.all<{ minute: number; count: number }>(
      'select minute, count from requests where minute between ? and ? order by minute desc',
      [minute() - DAY_MINUTES, minute()],
    );
    let sum = 0;
    for (const { minute: at, count } of counts) {
      sum += count;
      if (sum >= perDay) return Math.max(1, (at + DAY_MINUTES + 1) * MINUTE_MS - clock.now());
    }
    return 0;
  }

  function count(sql: Sql): void {
    recent.push(clock.monotonic());
    sql.run('delete from requests where minute < ?', [minute() - DAY_MINUTES]);
    sql.run(
      'insert into requests (minute, count) values (?, 1) on conflict (minute) do update set count = count + 1',
      [minute()],
    );
  }

  function minute(): number {
    return Math.floor(clock.now() / MINUTE_MS);
  }

  const paced: ProviderApi = {
    ...provider,
    async send(request, call) {
      await turns.runExclusive('turn', () => turn(call.signal), call.signal);
      return provider.send(request, call);
    },
  };

  return {
    provider: paced,
    /** When the budget allows the next request, in Unix milliseconds; null if no request waits for it for more than a minute. */
    get heldUntil() {
      return heldUntil;
    },
    /** Called when somebody waits for what is read. @returns a function to call when nobody does any more */
    hurry(): () => void {
      hurried += 1;
      wakeUp();
      return () => {
        hurried -= 1;
      };
    },
    /** Called when a request of a person or a model begins. @returns a function to call when it has ended */
    began(): () => void {
      foreground += 1;
      return () => {
        foreground -= 1;
        if (foreground === 0) wakeUp();
      };
    },
  };
}
