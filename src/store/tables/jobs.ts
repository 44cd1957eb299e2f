/** Durable jobs, one row each. `jobs/` has the rules for which state may follow which. */
import * as z from 'zod';
import { lazy } from '../../base/memoised.ts';
import {
  JOB_PHASES,
  JOB_STATUSES,
  JOB_TYPES,
  type JobPayload,
  type JobPhase,
  type JobStatus,
  statusesIn,
} from '../../domain/job.ts';
import type { Remedy } from '../../domain/remedy.ts';
import { defineTable, flag, integer, json, nullable, quotedList, sqlNameOf, text } from '../sql/table.ts';
import type { Store } from '../types.ts';

export interface JobError {
  code: string;
  message: string;
  /** Plain text in rows of older versions, and if no command is named. */
  remedy?: string | Remedy;
}

/** The shape of errors of jobs, items and changes. */
export const JobErrorShape = lazy<z.ZodType<JobError>>(() => {
  const command = z.array(z.string());
  const terminal = z.object({ text: z.string(), commands: z.array(command) });
  const remedy = z.object({ text: z.string(), command: command.optional(), terminal: terminal.optional() });
  return z.object({
    code: z.string(),
    message: z.string(),
    remedy: z.union([z.string(), remedy]).optional(),
  });
});

const Payload = lazy<z.ZodType<JobPayload>>(() =>
  z.object({
    playlist_id: z.string().optional(),
    name: z.string().optional(),
    description: z.string().optional(),
    public: z.boolean().optional(),
    strict: z.boolean(),
    dry_run: z.boolean(),
    skip_existing: z.boolean(),
    skip_duplicates: z.boolean(),
  }),
);
const Result = lazy(() => z.record(z.string(), z.unknown()));

const WORKING = quotedList(statusesIn('working'));
const ENDED = quotedList(statusesIn('ended'));

export const JOBS = defineTable('jobs', {
  /** Grows with each job; the row's key. */
  seq: integer,
  /** Public ID. */
  id: text(),
  /** False if the job is not shown yet, since its items are still being stored or its caller waits for it. */
  listed: flag,
  type: text(JOB_TYPES),
  status: text(JOB_STATUSES),
  phase: text(JOB_PHASES),
  /** Provider user ID of the account that the job was made for; null if none was connected. */
  account: nullable(text()),
  payload: json(Payload),
  /** The playlist that the job writes to; null for the library, and until a new playlist is created. */
  targetId: nullable(text()),
  /** True once the items to skip have been marked. */
  skipsMarked: flag,
  totalItems: integer,
  /** Number of items that name a track for sure; the items in `skipped` and `written` are among them. */
  resolved: integer,
  ambiguous: integer,
  unmatched: integer,
  failed: integer,
  /** Number of items that were found but left out: the target holds them already, or the list repeats them. */
  skipped: integer,
  /** Number of items that a person decided to leave out. */
  passedOver: integer,
  written: integer,
  /** Number of failed tries of the item or the write that failed most often. */
  attempts: integer,
  /** Number of consecutive failures with the code in `reason`. During the search, failures caused by an item do not count. */
  stepAttempts: integer,
  maxAttempts: integer,
  /** When the job continues, in Unix milliseconds; null if it does not wait for a time. */
  runAfter: nullable(integer),
  /** Code of the last failure that made the job wait. */
  reason: nullable(text()),
  /** True if the job's change is in review: a person has to decide. */
  reviewRequired: flag,
  /** True if a person has decided to continue the change in review. */
  error: nullable(json(JobErrorShape)),
  result: nullable(json(Result)),
  createdAt: integer,
  updatedAt: integer,
  startedAt: nullable(integer),
  completedAt: nullable(integer),
});

export type Job = ReturnType<typeof JOBS.toRow>;

export type NewJob = Pick<
  Job,
  'id' | 'type' | 'status' | 'phase' | 'account' | 'payload' | 'skipsMarked' | 'maxAttempts'
>;

/** The values of a job that are known once it has its items. */
export type JobBegin = Pick<Job, 'status' | 'targetId'> &
  Partial<Pick<Job, 'runAfter' | 'reason' | 'phase' | 'skipsMarked' | 'totalItems'>>;

export type JobChange = Partial<
  Pick<
    Job,
    | 'phase'
    | 'account'
    | 'targetId'
    | 'skipsMarked'
    | 'attempts'
    | 'stepAttempts'
    | 'runAfter'
    | 'reason'
    | 'reviewRequired'
    | 'error'
    | 'result'
    | 'startedAt'
    | 'completedAt'
  >
>;

/** Selects jobs that are over. A failed job is not, since it can still be resumed or cancelled. */
const OVER = "status in ('completed', 'cancelled')";
/** Selects jobs without an open change. An open change needs its job to continue. */
const NO_OPEN_CHANGE = 'not exists (select 1 from changes where job = jobs.seq and outcome is null)';

const COUNTS = ['resolved', 'ambiguous', 'unmatched', 'failed', 'skipped', 'passedOver', 'written'] as const;
export type JobCount = (typeof COUNTS)[number];

/** Adds a job without items, unlisted until `listJob`, and returns its key. */
export function insertJob(store: Store, job: NewJob, totalItems: number, now: number): number {
  JOBS.insert(store, { ...job, listed: false, totalItems, createdAt: now, updatedAt: now });
  return store.get<{ seq: number }>('select seq from jobs where id = ?', [job.id])?.seq ?? 0;
}

/** Lists a job and sets the values in `begun`, once the job has all its items and its caller no longer waits for it. */
export function listJob(store: Store, seq: number, begun: JobBegin, now: number): void {
  const startedAt = begun.status === 'pending' ? null : now;
  JOBS.update(store, { startedAt, ...begun, listed: true, updatedAt: now }, 'where seq = :seq', { seq });
}

/** Undoes `listJob`. */
export function hideJob(store: Store, seq: number): void {
  store.run('update jobs set listed = 0 where seq = ?', [seq]);
}

export function unlistedJobs(store: Store): Job[] {
  return JOBS.all(store, 'where listed = 0 order by seq');
}

/** Returns the keys of jobs that ended before `before` (Unix milliseconds) and have no open change. */
export function jobsEndedBefore(store: Store, before: number): number[] {
  return store
    .all<{ seq: number }>(
      `select seq from jobs where status in (${ENDED}) and completed_at < ? and ${NO_OPEN_CHANGE}`,
      [before],
    )
    .map(({ seq }) => seq);
}

/** Deletes a job and its remaining items. Its change stays but is unlinked, since a later job may get the same key. */
export function dropJob(store: Store, seq: number): void {
  store.transaction(() => {
    store.run('update changes set job = null where job = ?', [seq]);
    store.run('delete from jobs where seq = ?', [seq]);
  });
}

export function getJob(store: Store, id: string): Job | null {
  return JOBS.first(store, 'where id = ? and listed = 1', [id]);
}

/** Returns up to `limit` listed jobs whose ID begins with `start`. */
export function jobsBeginning(store: Store, start: string, limit: number): Job[] {
  return JOBS.all(store, 'where listed = 1 and substr(id, 1, ?) = ? order by seq limit ?', [
    start.length,
    start,
    limit,
  ]);
}

export function getJobBySeq(store: Store, seq: number): Job | null {
  return JOBS.first(store, 'where seq = ?', [seq]);
}

/** Returns a page of all listed jobs, newest first. */
export function listJobs(store: Store, offset: number, limit: number): Job[] {
  return JOBS.all(store, 'where listed = 1 order by seq desc limit ? offset ?', [limit, offset]);
}

/** Returns jobs that are not over, newest first: those that work, wait or have failed. */
export function listOpenJobs(store: Store, limit: number): Job[] {
  return JOBS.all(store, `where not ${OVER} and listed = 1 order by seq desc limit ?`, [limit]);
}

/** Returns jobs that are over, newest first. */
export function listOverJobs(store: Store, limit: number): Job[] {
  return JOBS.all(store, `where ${OVER} and listed = 1 order by seq desc limit ?`, [limit]);
}

/** Returns the keys of jobs that are over, except cancelled ones whose last request may still take effect. */
export function jobsToClear(store: Store): number[] {
  return store
    .all<{ seq: number }>(
      `select seq from jobs where ${OVER} and ${NO_OPEN_CHANGE} and run_after is null and listed = 1`,
    )
    .map(({ seq }) => seq);
}

/** Counts the listed jobs by status. States without jobs are left out. */
export function countJobs(store: Store): Record<string, number> {
  const rows = store.all<{ status: string; total: number }>(
    'select status, count(*) as total from jobs where listed = 1 group by status order by status',
  );
  return Object.fromEntries(rows.map(({ status, total }) => [status, total]));
}

/** Counts the ready jobs that a commit would accept: an item is resolved and, if the job is strict, none is unresolved. */
export function countCommittable(store: Store): number {
  return JOBS.count(
    store,
    `where status = 'ready' and resolved > 0
       and (ambiguous + unmatched + failed = 0 or coalesce(json_extract(payload, '$.strict'), 1) = 0)`,
  );
}

/** Counts the items of all listed jobs. */
export function countJobItems(store: Store): number {
  const sql = 'select coalesce(sum(total_items), 0) as total from jobs where listed = 1';
  return store.get<{ total: number }>(sql)?.total ?? 0;
}

/** Counts the jobs that stopped because someone else had changed the playlist. */
export function countReviews(store: Store): number {
  return JOBS.count(store, "where review_required = 1 and status = 'failed'");
}

export function changeJob(store: Store, seq: number, change: JobChange, now: number): void {
  JOBS.update(store, { ...change, updatedAt: now }, 'where seq = :seq', { seq });
}

/** Moves a job from the state `from` to `to`. Returns false if the job is in another state, since another caller moved it. */
export function moveJob(
  store: Store,
  seq: number,
  move: { from: JobStatus; to: JobStatus },
  change: JobChange,
  now: number,
): boolean {
  const moved = { ...change, status: move.to, updatedAt: now };
  return JOBS.update(store, moved, 'where seq = :seq and status = :from', { seq, from: move.from }) === 1;
}

const NO_COUNTS = Object.fromEntries(COUNTS.map((name) => [name, 0]));
const SUMS = COUNTS.map((name) => `${sqlNameOf(name)} = ${sqlNameOf(name)} + :${name}`);
const ADD_COUNTS = `update jobs set ${SUMS.join(', ')}, updated_at = :now where seq = :seq`;

/** Adds to the counts; numbers may be negative. */
export function addCounts(
  store: Store,
  seq: number,
  counts: Partial<Record<JobCount, number>>,
  now: number,
): void {
  store.run(ADD_COUNTS, { ...NO_COUNTS, ...counts, seq, now });
}

/** Raises the job's count of failed tries to that of its worst item. */
export function raiseAttempts(store: Store, seq: number, attempts: number): void {
  store.run('update jobs set attempts = max(attempts, ?) where seq = ?', [attempts, seq]);
}

/** Selects jobs with an open change. For a cancelled job, the result of its last request is still being found out. */
const HAS_OPEN_CHANGE = 'seq in (select job from changes where job is not null and outcome is null)';

/**
 * Returns the next job of a phase that has something to do at `now`; null if there is none. A cancelled job has something to do
 * as long as the result of its last write is not known.
 * @param last key of the job that was worked on last; jobs after it come first, so that each job gets its turn
 * @param busy keys of jobs that are being worked on, which are passed over
 */
export function dueJob(
  store: Store,
  phase: JobPhase,
  now: number,
  last: number,
  busy: readonly number[],
): Job | null {
  // The phase and the limit are not parameters. SQLite's plan depends on their values, so SQLite would prepare the statement
  // again for every call.
  const [phaseText, most] = [quotedList([phase]), busy.length + 1];
  const due = store.all<{ seq: number }>(
    `select seq from jobs where listed = 1 and phase = ${phaseText} and (
       status in (${WORKING})
       or (status = 'waiting' and run_after <= :now)
       or (status = 'cancelled' and (run_after is null or run_after <= :now) and ${HAS_OPEN_CHANGE}))
     order by seq <= :last, seq limit ${most}`,
    { now, last },
  );
  const next = due.find(({ seq }) => !busy.includes(seq));
  return next ? getJobBySeq(store, next.seq) : null;
}

/**
 * Returns when the first waiting job of a phase is due, in Unix milliseconds; null if none waits for a time.
 * @param phase null for the waiting jobs of both phases; cancelled jobs then do not count
 * @param busy keys of jobs that are being worked on, which are passed over
 */
export function nextRunAfter(
  store: Store,
  phase: JobPhase | null = null,
  busy: readonly number[] = [],
): number | null {
  const row = store.get<{ at: number | null }>(
    `select min(run_after) as at from jobs
     where listed = 1 and (:phase is null or phase = :phase) and seq not in (${busy.map(Number).join(', ')}) and (
       status = 'waiting' or (:phase is not null and status = 'cancelled' and ${HAS_OPEN_CHANGE}))`,
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
    `update jobs set run_after = :now + max(0, min(run_after - updated_at, :max)), updated_at = :now
     where status in ('waiting', 'cancelled') and run_after - :now > max(0, min(run_after - updated_at, :max))`,
    { now, max: maxMs },
  ).changes;
}

/** Makes jobs that wait for one of `reasons` due at `by`, unless they are due earlier; returns how many. */
export function wakeJobs(store: Store, reasons: readonly string[], by: number, now: number): number {
  const places = reasons.map(() => '?').join(', ');
  return store.run(
    `update jobs set run_after = ?, updated_at = ?
     where status = 'waiting' and (run_after is null or run_after > ?) and reason in (${places})`,
    [by, now, by, ...reasons],
  ).changes;
}
