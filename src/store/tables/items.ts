/** The items of works: the entries of their lists, and what became of each. */
import {
  ITEM_STATUSES,
  type ItemStatus,
  type JobCandidate,
  RESOLVED_STATUSES,
  UNRESOLVED_STATUSES,
} from '../../domain/job.ts';
import type { Track } from '../../domain/shapes.ts';
import { defineTable, integer, json, nullable, quotedList, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';
import type { WorkError } from './works.ts';

const COLUMNS = {
  work: integer,
  /** 0-based place in the list. */
  position: integer,
  /** The entry as it was given: a line of text, or its parts. */
  input: json<unknown>(),
  /** Equal for items that need the same search; null for items that need none. */
  key: nullable(text()),
  uri: nullable(text()),
  status: text(ITEM_STATUSES),
  track: nullable(json<Track>()),
  candidates: nullable(json<JobCandidate[]>()),
  error: nullable(json<WorkError>()),
  attempts: integer,
  /** When to search again after a failed search, Unix milliseconds; null if the item waits for no further search. */
  runAfter: nullable(integer),
  /** 1 if found by a remembered match that was confirmed although its names differ. */
  confirmed: integer,
};
const ITEMS = defineTable('items', COLUMNS);
const LISTED = ITEMS.pick('position', 'input', 'uri', 'status', 'track', 'candidates', 'error', 'confirmed');
const PENDING = ITEMS.pick('position', 'input', 'key', 'attempts');
const OPEN = ITEMS.pick('position', 'input', 'key', 'status', 'candidates');

const UNRESOLVED = quotedList(UNRESOLVED_STATUSES);

type Item = RowOf<typeof COLUMNS>;
export type NewItem = Pick<Item, 'input' | 'key' | 'uri' | 'status'> &
  Partial<Pick<Item, 'track' | 'candidates'>>;
export type ListedItem = ReturnType<typeof LISTED.toRow>;
/** An item to search for, so its key is not null. */
export type PendingItem = ReturnType<typeof PENDING.toRow> & { key: string };

/** An item that a person may decide about. */
export type OpenItem = ReturnType<typeof OPEN.toRow>;

export interface ItemCounts {
  pending: number;
  /** Those that name a track for sure; `skipped` and `written` are among them. */
  resolved: number;
  ambiguous: number;
  unmatched: number;
  failed: number;
  /** Found but left out: the target holds them already, or the list repeats them. */
  skipped: number;
  /** Left out by a person. */
  passedOver: number;
  written: number;
}

export function countItems(store: Store, work: number): ItemCounts {
  const rows = store.all<{ status: ItemStatus; total: number }>(
    'select status, count(*) as total from items where work = ? group by status',
    [work],
  );
  const totals = new Map(rows.map(({ status, total }) => [status, total]));
  const of = (...states: readonly ItemStatus[]) =>
    states.reduce((sum, status) => sum + (totals.get(status) ?? 0), 0);
  return {
    pending: of('pending'),
    resolved: of(...RESOLVED_STATUSES),
    ambiguous: of('ambiguous'),
    unmatched: of('unmatched'),
    failed: of('failed'),
    skipped: of('skipped_existing'),
    passedOver: of('skipped'),
    written: of('written'),
  };
}

/** Values come in this order. The text is built once: for ten thousand rows, building it would take longer than running it. */
const INSERT = `insert into items (work, position, input, key, uri, status, track, candidates)
  values (?, ?, ?, ?, ?, ?, ?, ?)`;

/** Inserts items of a work from position `from` on, in order. */
export function insertItems(store: Store, work: number, from: number, items: readonly NewItem[]): void {
  const { input: given, track: found, candidates: near } = COLUMNS;
  store.transaction(() => {
    items.forEach(({ input, key, uri, status, track = null, candidates = null }, index) => {
      const values = [given.write(input), key, uri, status, found.write(track), near.write(candidates)];
      store.run(INSERT, [work, from + index, ...values]);
    });
  });
}

/** Deletes up to `limit` items of a work, the last ones first. Returns false if there was none to delete. */
export function dropItems(store: Store, work: number, limit: number): boolean {
  const { changes } = store.run(
    `delete from items where work = :work and position >= (
       select min(position) from (
         select position from items where work = :work order by position desc limit :limit))`,
    { work, limit },
  );
  return changes > 0;
}

/** Returns items from a position on. The position is part of the primary key, so a late page costs no more than the first. */
export function listItems(store: Store, work: number, offset: number, limit: number): ListedItem[] {
  return LISTED.all(store, 'where work = ? and position >= ? order by position limit ?', [
    work,
    offset,
    limit,
  ]);
}

/** Returns items that wait for a person's decision, from a position on. Decisions about earlier items shift no later page. */
export function listUnresolved(store: Store, work: number, offset: number, limit: number): ListedItem[] {
  return LISTED.all(
    store,
    `where work = ? and status in (${UNRESOLVED}) and position >= ? order by position limit ?`,
    [work, offset, limit],
  );
}

/** Returns items to search for now: first those never tried, in order, then failed ones, those due earliest first. */
export function pendingItems(store: Store, work: number, now: number, limit: number): PendingItem[] {
  const fresh = PENDING.all(
    store,
    "where work = ? and status = 'pending' and run_after is null order by position limit ?",
    [work, limit],
  );
  if (fresh.length === limit) return fresh as PendingItem[];
  const tried = PENDING.all(
    store,
    "where work = ? and status = 'pending' and run_after <= ? order by run_after, position limit ?",
    [work, now, limit - fresh.length],
  );
  return [...fresh, ...tried] as PendingItem[];
}

/**
 * Shortens waits of pending items that exceed `maxOf` (milliseconds, by the number of failed searches). A wait is too long if
 * the clock was set back since, or was ahead when the wait began.
 */
export function boundTries(
  store: Store,
  work: number,
  now: number,
  maxOf: (attempts: number) => number,
): void {
  const waiting = store.all<{ attempts: number; last: number }>(
    `select attempts, max(run_after) as last from items
     where work = ? and status = 'pending' and run_after > ? group by attempts`,
    [work, now],
  );
  for (const { attempts, last } of waiting) {
    const latest = now + maxOf(attempts);
    if (last <= latest) continue;
    store.run(
      "update items set run_after = ? where work = ? and status = 'pending' and attempts = ? and run_after > ?",
      [latest, work, attempts, latest],
    );
  }
}

/**
 * Returns when to try the next pending item (Unix milliseconds), and the code of its last error; null if none is pending. An
 * item that was never tried is due at 0, and its code is ''.
 */
export function nextTry(store: Store, work: number): { at: number; code: string } | null {
  const isFresh = store.get(
    "select 1 from items where work = ? and status = 'pending' and run_after is null limit 1",
    [work],
  );
  if (isFresh !== undefined) return { at: 0, code: '' };
  const row = store.get<{ at: number; error: string | null }>(
    `select run_after as at, error from items
     where work = ? and status = 'pending' and run_after is not null order by run_after limit 1`,
    [work],
  );
  return row ? { at: row.at, code: row.error === null ? '' : JSON.parse(row.error).code } : null;
}

export interface ItemResolution {
  status: 'matched' | 'ambiguous' | 'unmatched';
  track: Track | null;
  candidates: readonly JobCandidate[];
  confirmed?: true;
}

/**
 * Counts the items that were found although their names differ: by a remembered match that was confirmed, and by forgiving a
 * typo. A found item has a candidate only in the second case.
 */
export function countDiffering(store: Store, work: number): { confirmed: number; spelling: number } {
  return {
    confirmed: ITEMS.count(store, 'where work = ? and confirmed = 1', [work]),
    spelling: ITEMS.count(
      store,
      `where work = ? and candidates is not null and status in (${quotedList(RESOLVED_STATUSES)})`,
      [work],
    ),
  };
}

/** Stores the result of a search for every pending item with this key. */
export function resolveItems(
  store: Store,
  work: number,
  key: string,
  { status, track, candidates, confirmed }: ItemResolution,
): void {
  const answer = {
    status,
    uri: track?.uri ?? null,
    track,
    candidates: status === 'matched' && candidates.length === 0 ? null : [...candidates],
    error: null,
    runAfter: null,
    confirmed: confirmed ? 1 : 0,
  };
  ITEMS.update(store, answer, "where work = :work and key = :key and status = 'pending'", { work, key });
}

/**
 * Notes a failed search, for every pending item with the same key, and raises the work's count of failed tries to that of its
 * worst item. The search is tried again at `runAfter` (Unix milliseconds), or given up if that is null.
 */
export function failItem(
  store: Store,
  work: number,
  item: PendingItem,
  { error, runAfter }: { error: WorkError; runAfter: number | null },
): void {
  store.transaction(() => {
    store.run(
      `update items set status = ?, attempts = attempts + 1, run_after = ?, error = ?
       where work = ? and key = ? and status = 'pending'`,
      [runAfter === null ? 'failed' : 'pending', runAfter, JSON.stringify(error), work, item.key],
    );
    store.run('update works set attempts = max(attempts, ?) where seq = ?', [item.attempts + 1, work]);
  });
}

/**
 * Notes a search that failed for a reason outside the item, for every pending item with this key. These items are due at once,
 * but after items that were never tried.
 */
export function postponeItem(store: Store, work: number, key: string, error: WorkError, now: number): void {
  store.run("update items set run_after = ?, error = ? where work = ? and key = ? and status = 'pending'", [
    now,
    JSON.stringify(error),
    work,
    key,
  ]);
}

export function itemsAt(store: Store, work: number, positions: readonly number[]): OpenItem[] {
  return OPEN.all(
    store,
    'where work = ? and position in (select value from json_each(?)) order by position',
    [work, JSON.stringify(positions)],
  );
}

export function nearItems(store: Store, work: number, score: number): OpenItem[] {
  return OPEN.all(
    store,
    `where work = ? and status in (${UNRESOLVED}) and json_extract(candidates, '$[0].score') >= ?
     order by position`,
    [work, score],
  );
}

/** Returns, by key, the positions of the items that are pending or unresolved. Keys without such items are left out. */
export function openPositions(store: Store, work: number, keys: readonly string[]): Map<string, number[]> {
  const rows = store.all<{ key: string; positions: string }>(
    `select key, json_group_array(position) as positions from items
     where work = ? and status in ('pending', ${UNRESOLVED}) and key in (select value from json_each(?)) group by key`,
    [work, JSON.stringify(keys)],
  );
  return new Map(rows.map(({ key, positions }) => [key, JSON.parse(positions) as number[]]));
}

/**
 * Gives an item the track that a person chose; null leaves the item out. The item may be in any state but `written`.
 * @throws Error if the item is written or does not exist
 */
export function settleItem(store: Store, work: number, position: number, track: Track | null): void {
  const settled = {
    status: track === null ? ('skipped' as const) : ('matched' as const),
    uri: track?.uri ?? null,
    track,
    // A skipped item keeps its candidates, since a person may change their mind.
    ...(track === null ? {} : { candidates: null }),
    error: null,
    runAfter: null,
    confirmed: 0,
  };
  const where = "where work = :work and position = :position and status <> 'written'";
  if (ITEMS.update(store, settled, where, { work, position }) === 0)
    throw new Error(`Item ${position} cannot be settled.`);
}

/** Makes all unresolved items without a track pending again, with no attempts used. */
export function reopenItems(store: Store, work: number): void {
  store.run(
    `update items set status = 'pending', attempts = 0, run_after = null, candidates = null, error = null
     where work = ? and status in (${UNRESOLVED}) and uri is null`,
    [work],
  );
}

/** Makes pending items that wait for their next try due now, with no attempts used. */
export function retryItems(store: Store, work: number): void {
  store.run(
    "update items set attempts = 0, run_after = null where work = ? and status = 'pending' and attempts > 0",
    [work],
  );
}

export function urisToWrite(store: Store, work: number): string[] {
  // SQLite returns all URIs in one row: row by row, ten thousand of them would block other calls for too long.
  const row = store.get<{ uris: string }>(
    `select json_group_array(uri) as uris from (
       select uri from items where work = ? and status = 'matched' order by position)`,
    [work],
  );
  return JSON.parse(row?.uris ?? '[]') as string[];
}

export function markNextWritten(store: Store, work: number, entries: number): void {
  store.run(
    `update items set status = 'written' where work = :work and position in (
       select position from items where work = :work and status = 'matched' order by position limit :entries)`,
    { work, entries },
  );
}

/** Marks the next matched item as failed, since Spotify refuses it. */
export function rejectNext(store: Store, work: number, error: WorkError): void {
  store.run(
    `update items set status = 'failed', error = :error where work = :work and position = (
       select min(position) from items where work = :work and status = 'matched')`,
    { work, error: JSON.stringify(error) },
  );
}

/** Makes written and skipped items matched again, before a work writes from the start. */
export function unwriteItems(store: Store, work: number): void {
  const sql =
    "update items set status = 'matched' where work = ? and status in ('written', 'skipped_existing')";
  store.run(sql, [work]);
}

/**
 * Leaves out matched items as `skipped_existing`: those with a URI of `held` and, if `isOnce`, those that repeat an earlier item.
 */
export function skipItems(store: Store, work: number, held: readonly string[], isOnce: boolean): void {
  const repeats = `or position not in (
    select min(position) from items where work = :work and status = 'matched' group by uri)`;
  store.run(
    `update items set status = 'skipped_existing' where work = :work and status = 'matched' and (
       uri in (select value from json_each(:held)) ${isOnce ? repeats : ''})`,
    { work, held: JSON.stringify(held) },
  );
}
