/** Changes, one row each: what was there, what is to be written, how far the change got, and how it ended. */
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync } from 'node:zlib';
import { tooDeepAt } from '../../base/boundedJson.ts';
import { isObject } from '../../base/parsing.ts';
import { CHANGE_KINDS, CHANGE_OUTCOMES, type ChangeOp, type Former } from '../../domain/change.ts';
import { unpacked } from '../sql/packed.ts';
import { blob, defineTable, flag, integer, json, nullable, text } from '../sql/table.ts';
import type { Store } from '../types.ts';
import { JobErrorShape } from './jobs.ts';

/** The operations to carry out, and the rows before them. A row that was not read is ''. */
export interface Plan {
  rows: readonly string[];
  ops: readonly ChangeOp[];
}

/** The long parts of a change, stored compressed. */
export interface ChangeBody {
  former: Former;
  ops: readonly ChangeOp[];
  /** What is carried out instead of `ops` on `former`: the rollback. */
  plan?: Plan;
  /** Entries that Spotify refuses, and that were left out. */
  refused?: readonly string[];
  /** Values that a later step of the change needs, such as the playlist that it created. */
  notes?: Readonly<Record<string, unknown>>;
}

const COLUMNS = {
  seq: integer,
  /** Public ID. */
  id: text(),
  kind: text(CHANGE_KINDS),
  /** How the change ended; null while it is open. */
  outcome: nullable(text(CHANGE_OUTCOMES)),
  /** Provider user ID of the account that the change writes to. */
  account: nullable(text()),
  /** ID of the playlist; null for the library, and for a playlist that is not created yet. */
  playlistId: nullable(text()),
  /** Who asked for the change: `tool NAME`, `job ID`, `keep ID`, `relay undo` or `owner page`. */
  askedBy: text(),
  /** Key of its job; null once it has ended and the job is deleted. */
  job: nullable(integer),
  /** `seq` of the change that this one undoes; null if it undoes none. */
  undoes: nullable(integer),
  /** True if the change is being rolled back, or was rolled back. */
  goingBack: flag,
  /** 0-based index of the operation to carry out next; the operations before it are done. */
  op: integer,
  /** True if a request may have been sent whose result is not recorded. */
  inTransit: flag,
  /** True if an answer was lost, so that the result is checked by reading. */
  uncertain: flag,
  /** True if a person wants what was asked for, whatever the list shows: the rest is planned anew from it. */
  replan: flag,
  /** Number of entries that the caller asked for. */
  requested: integer,
  /** Number of those entries that have been written. */
  written: integer,
  snapshotId: nullable(text()),
  /**
   * When the change began, by the provider's clock, in Unix milliseconds; null if that is not known. Taken from the last answer
   * before the change, then from the answer to its first request.
   */
  serverTime: nullable(integer),
  /** Why the change is being rolled back, or did not succeed. */
  error: nullable(json(JobErrorShape)),
  createdAt: integer,
  updatedAt: integer,
  endedAt: nullable(integer),
};
const CHANGES = defineTable('changes', COLUMNS);
/** With the bodies. */
export const WHOLE_CHANGES = defineTable('changes', { ...COLUMNS, body: { ...blob, check: requireBody } });
const BODIES = WHOLE_CHANGES.pick('body');

export type Change = ReturnType<typeof CHANGES.toRow>;
export type NewChange = Pick<Change, 'id' | 'kind' | 'account' | 'playlistId' | 'askedBy' | 'requested'> &
  Partial<Pick<Change, 'job' | 'undoes' | 'inTransit' | 'serverTime'>>;
export type ChangeUpdate = Partial<
  Omit<Change, 'seq' | 'id' | 'kind' | 'account' | 'askedBy' | 'createdAt' | 'updatedAt'>
>;

/** @param body from `packBody` */
export function insertChange(store: Store, change: NewChange, body: Uint8Array, now: number): Change {
  WHOLE_CHANGES.insert(store, { ...change, body, createdAt: now, updatedAt: now });
  return getChange(store, change.id) as Change;
}

export function getChange(store: Store, id: string): Change | null {
  return CHANGES.first(store, 'where id = ?', [id]);
}

/** Returns up to `limit` changes whose ID begins with `start`, newest first. Leaves out those that ended without effect. */
export function changesBeginning(store: Store, start: string, limit: number): Change[] {
  return CHANGES.all(
    store,
    "where substr(id, 1, ?) = ? and outcome is not 'unchanged' order by seq desc limit ?",
    [start.length, start, limit],
  );
}

export function getChangeBySeq(store: Store, seq: number): Change | null {
  return CHANGES.first(store, 'where seq = ?', [seq]);
}

/** Returns the long parts of a change. @throws Error if there is no such change, which is a bug */
export function getChangeBody(store: Store, seq: number): ChangeBody {
  const row = BODIES.first(store, 'where seq = ?', [seq]);
  if (!row) throw new Error(`There is no change ${seq}.`);
  return JSON.parse(unpacked(row.body)) as ChangeBody;
}

/** Checks that bytes are the body of a change. @throws Error */
function requireBody(bytes: Uint8Array): void {
  const content = unpacked(bytes);
  if (tooDeepAt(content) !== null) throw new Error('it is nested too deeply');
  const body: unknown = JSON.parse(content);
  if (!isObject(body) || !isObject(body.former) || !Array.isArray(body.ops) || !body.ops.every(isObject))
    throw new Error('it is not the body of a change');
}

export function putChangeBody(store: Store, seq: number, body: ChangeBody): void {
  const packed = deflateRawSync(JSON.stringify(body), PACKING);
  store.run('update changes set body = ? where seq = ?', [packed, seq]);
}

/** Level 1 already reduces a body to a tenth. */
const PACKING = { level: 1 };
/** Bodies of this many characters or more are packed in another thread. Ten thousand rows take ten milliseconds. */
const LONG = 65_536;

/** Packs a body for `insertChange`; returns a promise for a long body. */
export function packBody(body: ChangeBody): Promise<Uint8Array> | Uint8Array {
  const text = JSON.stringify(body);
  return text.length < LONG ? deflateRawSync(text, PACKING) : promisify(deflateRaw)(text, PACKING);
}

/**
 * Updates the row of an open change without saving the state, and returns the change.
 * @throws Error if the change has ended or is gone, which is a bug
 */
export function setChange(store: Store, seq: number, change: ChangeUpdate, now: number): Change {
  const where = 'where seq = :seq and outcome is null';
  const changed = CHANGES.update(store, { ...change, updatedAt: now }, where, { seq });
  if (changed === 0) throw new Error(`The change ${seq} is not open.`);
  return getChangeBySeq(store, seq) as Change;
}

/** Puts a change back to the state before its end, which could not be saved. @param before the change in that state */
export function reopenChange(store: Store, before: Change): void {
  CHANGES.update(store, before, 'where seq = :seq', { seq: before.seq });
}

/** Returns a page of the changes, newest first, and their total number. Leaves out those that ended without effect. */
export function listChanges(store: Store, offset: number, limit: number): { items: Change[]; total: number } {
  const shown = "outcome is not 'unchanged'";
  const items = CHANGES.all(store, `where ${shown} order by seq desc limit ? offset ?`, [limit, offset]);
  return { items, total: CHANGES.count(store, `where ${shown}`) };
}

/** Returns the changes that have not ended, oldest first. */
export function openChanges(store: Store): Change[] {
  return CHANGES.all(store, 'where outcome is null order by seq');
}

/** Returns the changes of a playlist that have not ended. */
export function openChangesOf(store: Store, playlistId: string): Change[] {
  return CHANGES.all(store, 'where playlist_id = ? and outcome is null', [playlistId]);
}

/** Returns the last change with this `askedBy`; null if there is none. */
export function lastChangeAskedBy(store: Store, askedBy: string): Change | null {
  return CHANGES.first(store, 'where asked_by = ? order by seq desc limit 1', [askedBy]);
}

/** Returns the last change of a job; null if the job has not begun to write. */
export function changeOfJob(store: Store, job: number): Change | null {
  return CHANGES.first(store, 'where job = ? order by seq desc limit 1', [job]);
}

/** Selects undos that succeeded, or may still succeed. */
const UNDOES = "undoes is not null and coalesce(outcome, 'done') = 'done'";

/**
 * Returns the change that undid `seq`, unless the undo failed or was itself undone; null if there is none. An undo that was
 * undone counts again if that second undo was undone as well, and so on.
 */
export function undoOf(store: Store, seq: number): Change | null {
  // The index finds these few rows. Reading all undos would take a second for a page of 100 changes.
  const undos = CHANGES.all(store, `where undoes = ? and ${UNDOES} order by seq desc`, [seq]);
  return undos.find((undo) => undoOf(store, undo.seq) === null) ?? null;
}

/** True if an undo of `seq` stopped part-way. */
export function hasPartialUndo(store: Store, seq: number): boolean {
  return CHANGES.first(store, "where undoes = ? and outcome = 'partial'", [seq]) !== null;
}

/** Returns the undos of `seq` that stopped part-way and are not undone themselves, the last one first. */
export function partialUndos(store: Store, seq: number): Change[] {
  const undos = CHANGES.all(store, "where undoes = ? and outcome = 'partial' order by seq desc", [seq]);
  return undos.filter((undo) => undoOf(store, undo.seq) === null);
}

/**
 * Returns the last change that has written something or still may, is not an undo, and is not undone; null if there is none. A
 * change whose undo is still being written is not undone yet.
 */
export function latestNotUndone(store: Store): Change | null {
  const changes = store.all<{ seq: number }>(
    "select seq from changes where undoes is null and coalesce(outcome, 'done') in ('done', 'partial') order by seq desc",
  );
  const found = changes.find(({ seq }) => (undoOf(store, seq)?.outcome ?? null) === null);
  return found ? getChangeBySeq(store, found.seq) : null;
}

/**
 * Returns the change of the same account that wrote to the same playlist last, after `change` or while that waited; null if there
 * is none. Changes that are undone do not count, and neither do undos of such changes. A change that began and ended while
 * `change` waited does not count either: `change` has written after it.
 * @param isMeant a change counts only if this is true of one of its operations
 */
export function writtenSince(
  store: Store,
  change: Change,
  isMeant: (op: ChangeOp) => boolean,
): Change | null {
  const { seq: own, createdAt, endedAt, updatedAt } = change;
  const end = endedAt ?? updatedAt;
  const later = CHANGES.all(
    store,
    `where playlist_id = ? and account is ? and seq <> ? and coalesce(outcome, 'done') in ('done', 'partial')
       and (seq > ? or ended_at > ?) order by coalesce(ended_at, updated_at) desc, seq desc`,
    [change.playlistId, change.account, own, own, end],
  );
  const seqs = new Set(later.map(({ seq }) => seq));
  const isBack = ({ seq, undoes }: Change) =>
    undoOf(store, seq) !== null || (undoes !== null && seqs.has(undoes));
  const isBetween = (one: Change) => one.createdAt >= createdAt && one.endedAt !== null && one.endedAt < end;
  return (
    later.find((one) => !isBetween(one) && !isBack(one) && getChangeBody(store, one.seq).ops.some(isMeant)) ??
    null
  );
}

/** A period up to now, by the computer's clock and by the provider's; Unix milliseconds. */
export interface Period {
  /** Start by the computer's clock, which may have been set during the period. */
  updatedSince: number;
  /** Start by the provider's clock; null if that is not known. */
  begunSince: number | null;
}

/** Selects changes of a period. Those that ended without effect do not count. */
const IN_PERIOD = "(updated_at >= ? or server_time >= ?) and outcome is not 'unchanged'";

/** Returns the changes of one playlist that may have written something in the period, newest first. */
export function changesSince(
  store: Store,
  playlistId: string,
  { updatedSince, begunSince }: Period,
): Change[] {
  return CHANGES.all(store, `where playlist_id = ? and ${IN_PERIOD} order by seq desc`, [
    playlistId,
    updatedSince,
    begunSince,
  ]);
}

/** True if a change other than `seq` made the playlist. */
export function isMadeByOther(store: Store, playlistId: string, seq: number): boolean {
  return (
    CHANGES.first(store, "where playlist_id = ? and kind = 'create' and seq <> ?", [playlistId, seq]) !== null
  );
}

/** Returns the library changes that may have written something in the period, oldest first. */
export function libraryChangesSince(store: Store, { updatedSince, begunSince }: Period): Change[] {
  return CHANGES.all(store, `${OF_LIBRARY} and ${IN_PERIOD} order by seq`, [updatedSince, begunSince]);
}

const OF_LIBRARY = "where playlist_id is null and kind in ('save', 'unsave', 'undo')";

/** Ends a change part-way: what it has written stays. */
export function endPartly(store: Store, seq: number, now: number): void {
  setChange(store, seq, { outcome: 'partial', endedAt: now }, now);
}

/** Deletes a change that had no effect. */
export function dropChange(store: Store, seq: number): void {
  store.run('delete from changes where seq = ?', [seq]);
}

/**
 * Deletes ended changes, except the newest `count` within the period `kept` that take at most `bytes` in all. The computer's
 * clock may be wrong by months. So a change with a time by the provider's clock is too old only if that clock says so too. The
 * last change of a job that may still be resumed stays, and so do its undos: without them, the job would not know what it has
 * written.
 */
export function pruneChanges(
  store: Store,
  { count, bytes, kept: { updatedSince, begunSince } }: { count: number; bytes: number; kept: Period },
): void {
  store.run(
    `with recursive needed(seq) as (
       select max(seq) from changes where job in (select seq from jobs where status not in ('completed', 'cancelled'))
       group by job
       union select changes.seq from changes join needed on changes.undoes = needed.seq)
     delete from changes where outcome is not null and seq not in (select seq from needed) and (
       (ended_at < :updatedSince and (server_time is null or server_time < :begunSince)) or seq in (
       select seq from (
         select seq, row_number() over (order by seq desc) as place,
           sum(length(body)) over (order by seq desc) as size
         from changes where outcome is not null)
       where place > :count or size > :bytes))`,
    { count, bytes, updatedSince, begunSince },
  );
}

/** Maximum number of changes of a playlist to search for a name. */
const MAX_NAMING = 5;

/** Returns names that relay itself has given a playlist, and when (Unix milliseconds), newest first. */
export function namesGiven(store: Store, playlistId: string): Array<{ name: string; at: number }> {
  return CHANGES.all(
    store,
    "where playlist_id = ? and kind in ('create', 'details', 'undo') and outcome = 'done' order by seq desc limit ?",
    [playlistId, MAX_NAMING],
  ).flatMap(({ seq, kind, createdAt, endedAt }) => {
    // A change reads the former name first, so only its end is later than what it read. A new playlist has no former name, and
    // its songs may be added much later.
    const at = kind === 'create' ? createdAt : (endedAt ?? createdAt);
    const names = getChangeBody(store, seq).ops.flatMap((op) => {
      if (op.op === 'create') return [op.details.name];
      return op.op === 'details' && op.set.name !== undefined ? [op.set.name] : [];
    });
    return names.slice(-1).map((name) => ({ name, at }));
  });
}

/**
 * Finds the last change since `since` (Unix milliseconds) that made a playlist with this name and exactly these rows, and that
 * was not undone. Looks only at the last twenty playlists that were made.
 */
export function madeLately(
  store: Store,
  name: string,
  uris: readonly string[],
  since: number,
): Change | null {
  const made = CHANGES.all(
    store,
    "where kind = 'create' and outcome = 'done' and created_at >= ? order by seq desc limit ?",
    [since, MAX_NAMING * 4],
  );
  const isSame = ({ seq }: Change) => {
    const { ops, refused = [] } = getChangeBody(store, seq);
    const rows = ops.flatMap((op) => ('uris' in op ? op.uris : []));
    const isNamed = ops.some((op) => op.op === 'create' && op.details.name === name);
    const asked = uris.filter((uri) => !refused.includes(uri));
    return isNamed && rows.length === asked.length && rows.every((uri, at) => uri === asked[at]);
  };
  return made.find((change) => undoOf(store, change.seq) === null && isSame(change)) ?? null;
}
