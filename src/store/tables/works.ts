/**
 * Works, one row each: every write to a playlist or to the library, and every list that is looked up before it is written. The
 * row is the job, the change and its undo record at once. `work/` has the rules for which state may follow which.
 */
import { deflateRawSync } from 'node:zlib';
import { CHANGE_KINDS, CHANGE_OUTCOMES, type ChangeOp, type Former, kindFacts } from '../../domain/change.ts';
import {
  JOB_PHASES,
  JOB_STATUSES,
  type JobPayload,
  type JobPhase,
  type JobStatus,
  RESOLVED_STATUSES,
  statusesIn,
  UNRESOLVED_STATUSES,
} from '../../domain/job.ts';
import type { Remedy } from '../../domain/remedy.ts';
import {
  blob,
  defineTable,
  flag,
  integer,
  json,
  nullable,
  quotedList,
  text,
  unpacked,
} from '../sql/table.ts';
import type { Store } from '../store.ts';

export interface WorkError {
  code: string;
  message: string;
  /** Plain text if no command is named. */
  remedy?: string | Remedy;
}

/** The requests to send, and the rows before them. A row that was not read is ''. */
export interface Plan {
  rows: readonly string[];
  ops: readonly ChangeOp[];
}

/** The long parts of a write, stored compressed. */
export interface Body {
  former: Former;
  ops: readonly ChangeOp[];
  /** What is carried out instead of `ops` on `former`: the rollback, and why. */
  plan?: Plan & { cause?: WorkError };
  /** Entries that Spotify refuses, and that were left out. */
  refused?: readonly string[];
  notes?: Notes;
}

/** What later steps of a write need to know. */
export interface Notes {
  /** By URI as it was asked for: the URI that the list shows instead. */
  shownAs?: Readonly<Record<string, string>>;
  /** A person has answered the review with `continue`, so requests no longer count entries. */
  isReplanned?: boolean;
  /** Others have written too, so the list shows no state of the write as a whole. */
  mixed?: boolean;
  /** Spotify refused a detail that may fail. */
  passedOver?: boolean;
  /** Number of requests that had taken effect before a rollback. */
  completed?: number;
}

const COLUMNS = {
  /** Grows with each work; the row's key. */
  seq: integer,
  /** Public ID: the job's, and the change's. */
  id: text(),
  kind: text(CHANGE_KINDS),
  /** Provider user ID of the account that the work is for; null if none was connected. */
  account: nullable(text()),
  /** The playlist to write to; null for the library, and until a new playlist is made. */
  playlistId: nullable(text()),
  /** Who asked, as `relay history` shows it. */
  askedBy: text(),
  /** `seq` of the work that this one undoes; null if it undoes none. */
  undoes: nullable(integer),
  /** ID of the first work of an import of several playlists, in its other works, and in an undo of them all; otherwise null. */
  batch: nullable(text()),
  status: text(JOB_STATUSES),
  phase: text(JOB_PHASES),
  /** False if it is not shown as a job: its items are still being stored, its caller waits, or it never outlasted its call. */
  listed: flag,
  payload: json<JobPayload>(),
  maxAttempts: integer,
  totalItems: integer,
  /** Number of failed tries of the item or the write that failed most often. */
  attempts: integer,
  /** Number of consecutive failures with the code in `reason`. During the search, failures caused by an item do not count. */
  failures: integer,
  /** When the work continues, in Unix milliseconds; null if it does not wait for a time. */
  runAfter: nullable(integer),
  /** Code of the last failure that made the work wait. */
  reason: nullable(text()),
  /** True if a person has to decide. */
  reviewRequired: flag,
  /** Why the work has failed, or did not end as it should. */
  error: nullable(json<WorkError>()),
  result: nullable(json<Record<string, unknown>>()),
  /** How the write ended; null while it is open, and before it has begun. */
  outcome: nullable(text(CHANGE_OUTCOMES)),
  /** Number of requests that certainly had their effect. */
  step: integer,
  /** True if a request may have been sent whose result is not recorded. */
  sending: flag,
  /** True if the requests are those of a rollback. */
  goingBack: flag,
  /** True if an answer was lost, so that the result is checked by reading. */
  uncertain: flag,
  /** True if a person wants what was asked for, whatever the list shows: the rest is planned anew from it. */
  replan: flag,
  requested: integer,
  /** Number of those entries that have been written. */
  written: integer,
  snapshotId: nullable(text()),
  createdAt: integer,
  updatedAt: integer,
  startedAt: nullable(integer),
  completedAt: nullable(integer),
};

const TABLE = defineTable('works', COLUMNS);
const WORKS = defineTable('works', { ...COLUMNS, body: nullable(blob) });
const BODIES = WORKS.pick('body');

export type Work = ReturnType<typeof TABLE.toRow>;
type Required = 'id' | 'kind' | 'account' | 'playlistId' | 'askedBy' | 'status' | 'phase' | 'payload';
export type NewWork = Pick<Work, Required | 'maxAttempts'> & Partial<Omit<Work, 'seq' | Required>>;
export type WorkFacts = Partial<Omit<Work, 'seq' | 'id' | 'createdAt' | 'updatedAt'>>;

const WORKING = quotedList(statusesIn('working'));
/** Selects jobs that are over. A failed job is not, since it can still be resumed or cancelled. */
const OVER = "status in ('completed', 'cancelled')";
/** Selects writes that were recorded and have not ended. */
const OPEN = 'body is not null and outcome is null';

/** Adds a work, unlisted unless it says otherwise. @param body null before the write begins */
export function insertWork(store: Store, work: NewWork, body: Body | null, now: number): Work {
  const packed = body && packBody(body);
  WORKS.insert(store, { listed: false, ...work, body: packed, createdAt: now, updatedAt: now });
  return getWork(store, work.id) as Work;
}

export function getWork(store: Store, id: string): Work | null {
  return TABLE.first(store, 'where id = ?', [id]);
}

export function getWorkBySeq(store: Store, seq: number): Work | null {
  return TABLE.first(store, 'where seq = ?', [seq]);
}

/** Sets facts of a work without saving the state, and returns it. @throws Error if the work is gone */
export function setWork(store: Store, seq: number, facts: WorkFacts, now: number): Work {
  TABLE.update(store, { ...facts, updatedAt: now }, 'where seq = :seq', { seq });
  const work = getWorkBySeq(store, seq);
  if (!work) throw new Error(`There is no work ${seq}.`);
  return work;
}

/** Moves a work from the state `from` to `to`. Returns false if it is in another state, since another caller moved it. */
export function moveWork(
  store: Store,
  seq: number,
  move: { from: JobStatus; to: JobStatus },
  facts: WorkFacts,
  now: number,
): boolean {
  const moved = { ...facts, status: move.to, updatedAt: now };
  return TABLE.update(store, moved, 'where seq = :seq and status = :from', { seq, from: move.from }) === 1;
}

export function dropWork(store: Store, seq: number): void {
  store.run('delete from works where seq = ?', [seq]);
}

// Bodies.

/** Returns the long parts of a write. @throws Error if it has not begun or is no longer kept, which is a bug */
export function getBody(store: Store, seq: number): Body {
  const body = BODIES.first(store, 'where seq = ?', [seq])?.body;
  if (!body) throw new Error(`The work ${seq} has no body.`);
  return JSON.parse(unpacked(body)) as Body;
}

/** True if the work has begun to write, and what it wrote is still kept. */
export function hasBody(store: Store, seq: number): boolean {
  return TABLE.count(store, 'where seq = ? and body is not null', [seq]) > 0;
}

export function putBody(store: Store, seq: number, body: Body | null): void {
  store.run('update works set body = ? where seq = ?', [body && packBody(body), seq]);
}

/** Level 1 already reduces a body to a tenth. Ten thousand rows take ten milliseconds. */
function packBody(body: Body): Uint8Array {
  return deflateRawSync(JSON.stringify(body), { level: 1 });
}

// Works as jobs.

export function getJob(store: Store, id: string): Work | null {
  return TABLE.first(store, 'where id = ? and listed = 1', [id]);
}

export function jobsBeginning(store: Store, start: string, limit: number): Work[] {
  const where = 'where listed = 1 and substr(id, 1, ?) = ? order by seq limit ?';
  return TABLE.all(store, where, [start.length, start, limit]);
}

/** Returns a page of all jobs, newest first; only those that are over or not over if `only` says so. */
export function listJobs(store: Store, offset: number, limit: number, only?: 'over' | 'open'): Work[] {
  const which = only === undefined ? '' : `and ${only === 'over' ? OVER : `not ${OVER}`}`;
  return TABLE.all(store, `where listed = 1 ${which} order by seq desc limit ? offset ?`, [limit, offset]);
}

/** Returns what an earlier process left of calls: writes that have not ended, and lists. */
export function leftOfCalls(store: Store): Work[] {
  return TABLE.all(store, `where listed = 0 and (total_items > 0 or not ${OVER}) order by seq`);
}

/** Returns the jobs that are over or have failed, and ended before `before` (Unix milliseconds). */
export function jobsEndedBefore(store: Store, before: number): Work[] {
  const ended = quotedList(statusesIn('ended'));
  return TABLE.all(
    store,
    `where listed = 1 and status in (${ended}) and completed_at < ? and not (${OPEN})`,
    [before],
  );
}

/** Counts the jobs by status. States without jobs are left out. */
export function countJobs(store: Store): Record<string, number> {
  const rows = store.all<{ status: string; total: number }>(
    'select status, count(*) as total from works where listed = 1 group by status order by status',
  );
  return Object.fromEntries(rows.map(({ status, total }) => [status, total]));
}

/** Counts the ready jobs that a commit would accept: an item is resolved and, if the job is strict, none is unresolved. */
export function countCommittable(store: Store): number {
  const has = (statuses: readonly string[]) =>
    `exists (select 1 from items where work = seq and status in (${quotedList(statuses)}))`;
  return TABLE.count(
    store,
    `where status = 'ready' and ${has(RESOLVED_STATUSES)}
       and (json_extract(payload, '$.strict') = 0 or not ${has(UNRESOLVED_STATUSES)})`,
  );
}

export function countJobItems(store: Store): number {
  const sql = 'select coalesce(sum(total_items), 0) as total from works where listed = 1';
  return store.get<{ total: number }>(sql)?.total ?? 0;
}

/** Counts the jobs that stopped because someone else had changed the playlist. */
export function countReviews(store: Store): number {
  return TABLE.count(store, "where review_required = 1 and status = 'failed'");
}

// What the loop takes up.

/**
 * Returns the next job of a phase that has something to do at `now`; null if there is none. A cancelled job has something to do
 * if its write has not ended: relay was killed meanwhile.
 * @param last key of the job that was worked on last; jobs after it come first, so that each job gets its turn
 * @param busy keys of jobs that are being worked on, which are passed over
 */
export function dueWork(
  store: Store,
  phase: JobPhase,
  now: number,
  last: number,
  busy: readonly number[],
): Work | null {
  // The phase and the limit are not parameters. SQLite's plan depends on their values, so SQLite would prepare the statement
  // again for every call.
  const [phaseText, most] = [quotedList([phase]), busy.length + 1];
  const due = store.all<{ seq: number }>(
    `select seq from works where listed = 1 and phase = ${phaseText} and (
       status in (${WORKING}) or (status = 'waiting' and run_after <= :now) or (status = 'cancelled' and ${OPEN}))
     order by seq <= :last, seq limit ${most}`,
    { now, last },
  );
  const next = due.find(({ seq }) => !busy.includes(seq));
  return next ? getWorkBySeq(store, next.seq) : null;
}

/**
 * Returns when the first waiting job is due, in Unix milliseconds; null if none waits for a time.
 * @param phase null for the jobs of both phases
 * @param busy keys of jobs that are being worked on, which are passed over
 */
export function nextRunAfter(
  store: Store,
  phase: JobPhase | null = null,
  busy: readonly number[] = [],
): number | null {
  const row = store.get<{ at: number | null }>(
    `select min(run_after) as at from works where listed = 1 and status = 'waiting'
       and (:phase is null or phase = :phase) and seq not in (${busy.map(Number).join(', ')})`,
    { phase },
  );
  return row?.at ?? null;
}

/**
 * Shortens waits that would now last longer than `maxMs`, or longer than planned when they began. That happens if the clock
 * was ahead then, or was set back since. A waiting job was last updated when its wait began. Returns how many were shortened.
 */
export function boundWaits(store: Store, now: number, maxMs: number): number {
  return store.run(
    `update works set run_after = :now + max(0, min(run_after - updated_at, :max)), updated_at = :now
     where status = 'waiting' and run_after - :now > max(0, min(run_after - updated_at, :max))`,
    { now, max: maxMs },
  ).changes;
}

/** Makes jobs that wait for one of `reasons` due at `by`, unless they are due earlier; returns how many. */
export function wakeJobs(store: Store, reasons: readonly string[], by: number, now: number): number {
  const places = reasons.map(() => '?').join(', ');
  return store.run(
    `update works set run_after = ?, updated_at = ?
     where status = 'waiting' and (run_after is null or run_after > ?) and reason in (${places})`,
    [by, now, by, ...reasons],
  ).changes;
}

// Works as changes: what was written, and what can be undone.

/** Selects the works that a history shows: those that wrote something or still may. */
const CHANGES = "body is not null and outcome is not 'unchanged'";

/** Returns a page of the changes, newest first, and their total number. @param by see `ASKED_BY` */
export function listChanges(
  store: Store,
  offset: number,
  limit: number,
  by = '',
): { items: Work[]; total: number } {
  const where = `where ${CHANGES} and ${ASKED_BY}`;
  const items = TABLE.all(store, `${where} order by seq desc limit ? offset ?`, [by, limit, offset]);
  return { items, total: TABLE.count(store, where, [by]) };
}

/** Those that somebody asked for whose name begins with the parameter, in upper or lower case; '' for all. */
const ASKED_BY = 'instr(lower(asked_by), lower(?)) = 1';

export function changesBeginning(store: Store, start: string, limit: number): Work[] {
  const where = `where ${CHANGES} and substr(id, 1, ?) = ? order by seq desc limit ?`;
  return TABLE.all(store, where, [start.length, start, limit]);
}

/** Returns the writes that have not ended, oldest first; only those to one playlist if it is given. */
export function openWrites(store: Store, playlistId?: string): Work[] {
  return playlistId === undefined
    ? TABLE.all(store, `where ${OPEN} order by seq`)
    : TABLE.all(store, `where playlist_id = ? and ${OPEN} order by seq`, [playlistId]);
}

/** Returns the last write with this `askedBy`; null if there is none. */
export function lastWriteAskedBy(store: Store, askedBy: string): Work | null {
  return TABLE.first(store, 'where asked_by = ? and body is not null order by seq desc limit 1', [askedBy]);
}

/** Selects undos that succeeded, or may still succeed. */
const UNDOES = "kind = 'undo' and coalesce(outcome, 'done') = 'done'";

/**
 * Returns the undo of a work, unless the undo failed or was itself undone; null if there is none. An undo that was undone counts
 * again if that second undo was undone as well, and so on.
 */
export function undoOf(store: Store, work: Pick<Work, 'seq' | 'id' | 'kind' | 'batch'>): Work | null {
  // The index finds these few rows. Reading all undos would take a second for a page of 100 changes.
  const own = TABLE.all(store, `where undoes = ? and ${UNDOES}`, [work.seq]);
  const isMade = work.kind === 'create';
  const ofBatch = isMade ? TABLE.all(store, `where batch = ? and ${UNDOES}`, [work.batch ?? work.id]) : [];
  const undos = [...own, ...ofBatch].sort((one, other) => other.seq - one.seq);
  return undos.find((undo) => undoOf(store, undo) === null) ?? null;
}

/** Returns the undos of `seq` that stopped part-way and are not undone themselves, the last one first. */
export function partialUndos(store: Store, seq: number): Work[] {
  const undos = TABLE.all(store, "where undoes = ? and outcome = 'partial' order by seq desc", [seq]);
  return undos.filter((undo) => undoOf(store, undo) === null);
}

/** Forgets which work the undos of `seq` have undone: it writes again from the start. */
export function forgetUndos(store: Store, seq: number): void {
  store.run('update works set undoes = null where undoes = ?', [seq]);
}

/**
 * Returns the last change that has written something or still may, is not an undo, and is not undone; null if there is none. A
 * change whose undo is still being written is not undone yet.
 */
export function latestNotUndone(store: Store, by = ''): Work | null {
  const changes = store.all<{ seq: number }>(
    `select seq from works where body is not null and kind <> 'undo'
       and coalesce(outcome, 'done') in ('done', 'partial') and ${ASKED_BY} order by seq desc`,
    [by],
  );
  for (const { seq } of changes) {
    const work = getWorkBySeq(store, seq);
    if (work && (undoOf(store, work)?.outcome ?? null) === null) return work;
  }
  return null;
}

/** Returns the playlists that were made together with that of `work`, the last one first; those that are undone are left out. */
export function madeTogether(store: Store, work: Work): Work[] {
  if (work.kind !== 'create') return [];
  const batch = work.batch ?? work.id;
  const made = TABLE.all(
    store,
    `where (batch = ? or id = ?) and kind = 'create' and ${CHANGES} order by seq desc`,
    [batch, batch],
  );
  return made.filter((one) => one.playlistId !== null && undoOf(store, one) === null);
}

/**
 * Returns the write of the same account that wrote to the same playlist last, after `work` or while that waited; null if there
 * is none. Writes that are undone do not count, and neither do undos of such writes. A write that began and ended while `work`
 * waited does not count either: `work` has written after it.
 * @param isMeant a write counts only if this is true of one of its requests
 */
export function writtenSince(store: Store, work: Work, isMeant: (op: ChangeOp) => boolean): Work | null {
  const { seq: own, createdAt, completedAt, updatedAt } = work;
  const end = completedAt ?? updatedAt;
  const later = TABLE.all(
    store,
    `where playlist_id = ? and account is ? and seq <> ? and body is not null
       and coalesce(outcome, 'done') in ('done', 'partial') and (seq > ? or completed_at > ?)
     order by coalesce(completed_at, updated_at) desc, seq desc`,
    [work.playlistId, work.account, own, own, end],
  );
  const seqs = new Set(later.map(({ seq }) => seq));
  const isBack = (one: Work) => undoOf(store, one) !== null || (one.undoes !== null && seqs.has(one.undoes));
  const isBetween = (one: Work) =>
    one.createdAt >= createdAt && one.completedAt !== null && one.completedAt < end;
  return (
    later.find((one) => !isBetween(one) && !isBack(one) && getBody(store, one.seq).ops.some(isMeant)) ?? null
  );
}

/** The kinds of works that write to the library, or may have. */
const OF_LIBRARY = CHANGE_KINDS.filter((kind) => kind === 'undo' || kindFacts(kind).isOfLibrary)
  .map((kind) => `'${kind}'`)
  .join();

/** Returns the writes to a playlist, or to the library (null), that may have written something since `since`, newest first. */
export function writesSince(store: Store, playlistId: string | null, since: number): Work[] {
  const recent = `${CHANGES} and updated_at >= ? order by seq desc`;
  return playlistId === null
    ? TABLE.all(store, `where playlist_id is null and kind in (${OF_LIBRARY}) and ${recent}`, [since])
    : TABLE.all(store, `where playlist_id = ? and ${recent}`, [playlistId, since]);
}

export function isMadeByOther(store: Store, playlistId: string, seq: number): boolean {
  const where = "where playlist_id = ? and kind = 'create' and seq <> ? and body is not null";
  return TABLE.first(store, where, [playlistId, seq]) !== null;
}

/**
 * Deletes the bodies of ended writes, except the newest `count` since `since` (Unix milliseconds) that take at most `bytes` in
 * all. A row without a body stays as long as it is listed as a job. The undos of a job that may still be resumed stay: without
 * them, it would not know what it has written.
 */
export function pruneBodies(store: Store, keep: { count: number; bytes: number; since: number }): void {
  store.run(
    `update works set body = null where outcome is not null and body is not null
       and coalesce(undoes, 0) not in (select seq from works where status = 'failed') and (
       completed_at < :since or seq in (
       select seq from (
         select seq, row_number() over (order by seq desc) as place,
           sum(length(body)) over (order by seq desc) as size
         from works where outcome is not null and body is not null)
       where place > :count or size > :bytes))`,
    keep,
  );
  store.run('delete from works where listed = 0 and outcome is not null and body is null');
}

/** Maximum number of works of a playlist to search for a name. */
const MAX_NAMING = 5;

/** Returns names that relay itself has given a playlist, and when (Unix milliseconds), newest first. */
export function namesGiven(store: Store, playlistId: string): Array<{ name: string; at: number }> {
  return TABLE.all(
    store,
    `where playlist_id = ? and kind in ('create', 'details', 'undo') and outcome = 'done' and body is not null
     order by seq desc limit ?`,
    [playlistId, MAX_NAMING],
  ).flatMap(({ seq, kind, createdAt, completedAt }) => {
    // A change reads the former name first, so only its end is later than what it read. A new playlist has no former name, and
    // its songs may be added much later.
    const at = kind === 'create' ? createdAt : (completedAt ?? createdAt);
    const names = getBody(store, seq).ops.flatMap((op) => {
      if (op.op === 'create') return [op.details.name];
      return op.op === 'details' && op.set.name !== undefined ? [op.set.name] : [];
    });
    return names.slice(-1).map((name) => ({ name, at }));
  });
}
