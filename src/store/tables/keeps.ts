/** Kept playlists, one row each. */
import * as z from 'zod';
import { lazy } from '../../base/memoised.ts';
import { KEEP_INTERVALS, KEEP_STATUSES } from '../../domain/keep.ts';
import { type KeepRule, READY_RULE_NAMES } from '../../domain/keepRules.ts';
import type { KeepPreview } from '../../domain/shapes.ts';
import { defineTable, integer, json, nullable, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';

export const KeepRuleShape = lazy<z.ZodType<KeepRule>>(() =>
  z.object({
    name: z.enum(READY_RULE_NAMES),
    value: z.int().nullable(),
    playlists: z.array(z.object({ id: z.string(), name: z.string() })),
  }),
);

const COLUMNS = {
  seq: integer,
  id: text(),
  /** Provider user ID of the account that the kept playlist was made for. */
  account: text(),
  /** ID of the playlist; null until it is created. */
  playlistId: nullable(text()),
  name: text(),
  /** The ready rule that it follows; null if it follows `query`. */
  rule: nullable(json<KeepRule>()),
  query: nullable(text()),
  every: text(KEEP_INTERVALS),
  status: text(KEEP_STATUSES),
  reason: nullable(text()),
  /**
   * What the run in review would do; null if no run is in review. After a person ran a paused playlist, `status` may be `paused`
   * with a preview. The playlist is then shown as in review, and does not run by itself.
   */
  preview: nullable(json<KeepPreview>()),
  /** Number of rows that a person allowed the next run to remove; null if nobody was asked. */
  accepted: nullable(integer),
  /** URIs of the rows after the last run; null before the first. */
  leftRows: nullable(json<readonly string[]>()),
  /** URIs in the result that Spotify refuses. */
  gone: json<readonly string[]>(),
  /** What the last run did, in words. */
  lastResult: nullable(text()),
  /** ID of the last change that a run made and whose rows are in `leftRows`. */
  lastChange: nullable(text()),
  failures: integer,
  /** Time of the last run, in Unix milliseconds, as all times here; null before the first. */
  lastRunAt: nullable(integer),
  /** When the next run is due by `every`. */
  dueAt: integer,
  /** When a failed run is tried again; null if it is not tried before `dueAt`. */
  retryAt: nullable(integer),
  createdAt: integer,
};
const KEEPS = defineTable('keeps', COLUMNS);

export type Keep = RowOf<typeof COLUMNS>;
export type KeepChange = Partial<Omit<Keep, 'seq' | 'id' | 'createdAt'>>;

type NewKeep = Pick<
  Keep,
  'id' | 'account' | 'playlistId' | 'name' | 'rule' | 'query' | 'every' | 'dueAt' | 'createdAt'
>;

/** A kept playlist that has not run yet, and is not stored. */
export function newKeep(facts: NewKeep): Keep {
  const nothing = { reason: null, preview: null, accepted: null, leftRows: null, retryAt: null };
  const noRun = { lastResult: null, lastChange: null, lastRunAt: null, failures: 0, gone: [] };
  return { seq: 0, status: 'active', ...nothing, ...noRun, ...facts };
}

export function insertKeep(store: Store, { seq: _, ...keep }: Keep): Keep {
  KEEPS.insert(store, keep);
  return getKeep(store, keep.id) as Keep;
}

export function getKeep(store: Store, id: string): Keep | null {
  return KEEPS.first(store, 'where id = ?', [id]);
}

export function listKeeps(store: Store): Keep[] {
  return KEEPS.all(store, 'order by seq');
}

/** When a kept playlist runs. The loop reads only these columns every minute, since `leftRows` may be long. */
export type KeepTimes = ReturnType<typeof KEEP_TIMES.toRow>;
const KEEP_TIMES = KEEPS.pick('id', 'playlistId', 'status', 'every', 'dueAt', 'retryAt');

export function listKeepTimes(store: Store): KeepTimes[] {
  return KEEP_TIMES.all(store, 'order by seq');
}

/**
 * Changes the row of a kept playlist; does nothing if the row was deleted. The row is named by its ID, since SQLite may give
 * the `seq` of a deleted row to the next one.
 */
export function setKeep(store: Store, id: string, change: KeepChange): void {
  KEEPS.update(store, change, 'where id = :id', { id });
}

export function dropKeep(store: Store, id: string): void {
  store.run('delete from keeps where id = ?', [id]);
}

/**
 * Counts the kept playlists in each status, as it is shown.
 * @param account the connected account, since a kept playlist of another account waits; null if none is connected
 */
export function countKeeps(store: Store, account: string | null): Partial<Record<Keep['status'], number>> {
  const rows = store.all<{ status: Keep['status']; count: number }>(
    `select case when preview is not null then 'review' when status = 'active' and account is not ? then 'waiting' else status end as status,
       count(*) as count from keeps group by 1`,
    [account],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}
