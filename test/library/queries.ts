/** Questions in SQL to the copy of the library. */
import { until } from '../support/until.ts';
import type { Relay, RelayOptions } from '../support/world.ts';

export type Cell = string | number | null;

export interface Answer {
  columns: string[];
  rows: Cell[][];
  row_count: number;
  truncated: boolean;
  as_of: string;
  coverage: { saved: string; playlists: { read: number; total: number; unreadable: number } };
  note?: string;
  error?: { code: string; message: string; remedy?: string };
}

export const WITH_SQL: RelayOptions = { env: { RELAY_ACCESS: 'everything' } };

/** Asks a question with the tool `query_library`. */
export async function ask(relay: Relay, sql: string, args: Record<string, unknown> = {}): Promise<Answer> {
  return (await relay.call('query_library', { sql, ...args })) as unknown as Answer;
}

/** Asks a question. Returns the answer and the number of requests that it took. */
export async function counted(
  relay: Relay,
  sql: string,
  maxAge = 0,
): Promise<{ answer: Answer; requests: number }> {
  relay.provider.clearRequests();
  const answer = await ask(relay, sql, { max_age_minutes: maxAge });
  return { answer, requests: relay.provider.requests.length };
}

/** Asks until the whole library has been read. */
export async function readAll(relay: Relay): Promise<Answer> {
  let answer = await ask(relay, 'select 1');
  await until(async () => {
    if (answer.error) throw new Error(`${answer.error.code}: ${answer.error.message}`);
    const { saved, playlists } = answer.coverage;
    if (saved === 'complete' && playlists.read + playlists.unreadable === playlists.total) return true;
    answer = await ask(relay, 'select 1');
    return false;
  }, 4 * 60_000);
  return answer;
}
