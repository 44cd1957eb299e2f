/** Durable jobs, one row each. What a state may follow is the jobs' own rule; here a move only says from where to where. */
import type { JobPayload, JobPhase, JobStatus, JobType } from '../domain/jobs.ts';
import type { SqlValue, Store } from './types.ts';

export interface JobError {
  code: string;
  message: string;
  remedy?: string;
}

export interface Job {
  /** Grows with each job; the row's key. */
  seq: number;
  /** What the outside calls it. */
  id: string;
  type: JobType;
  status: JobStatus;
  phase: JobPhase;
  /** Provider user ID of the account that it was made for; null where none was connected. */
  account: string | null;
  payload: JobPayload;
  /** The playlist that it writes to; null for the library, and until a playlist to be made is made. */
  targetId: string | null;
  /** Items to leave out have been marked. */
  skipsMarked: boolean;
  totalItems: number;
  /** Items that name a track for sure; those skipped or written are among them. */
  resolved: number;
  ambiguous: number;
  unmatched: number;
  failed: number;
  skipped: number;
  written: number;
  /** Failed tries of the item or the write that failed most often. */
  attempts: number;
  /** Failed tries of the present write. */
  stepAttempts: number;
  maxAttempts: number;
  /** Unix milliseconds; null where the job does not wait for a time. */
  runAfter: number | null;
  /** Why it waits. */
  reason: string | null;
  reviewRequired: boolean;
  /** A write's answer was lost, so the end is checked by reading. */
  uncertain: boolean;
  error: JobError | null;
  result: Record<string, unknown> | null;
  createdAt: number;
  updatedAt: number;
  startedAt: number | null;
  completedAt: number | null;
}

export type NewJob = Pick<
  Job,
  'id' | 'type' | 'status' | 'phase' | 'account' | 'payload' | 'targetId' | 'skipsMarked' | 'maxAttempts'
> &
  Partial<Pick<Job, 'runAfter' | 'reason' | 'startedAt'>>;

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
    | 'uncertain'
    | 'error'
    | 'result'
    | 'startedAt'
    | 'completedAt'
  >
>;

export type JobCount = 'resolved' | 'ambiguous' | 'unmatched' | 'failed' | 'skipped' | 'written';

interface JobRow {
  seq: number;
  id: string;
  type: JobType;
  status: JobStatus;
  phase: JobPhase;
  account: string | null;
  payload: string;
  target_id: string | null;
  skips_marked: number;
  total_items: number;
  resolved: number;
  ambiguous: number;
  unmatched: number;
  failed: number;
  skipped: number;
  written: number;
  attempts: number;
  step_attempts: number;
  max_attempts: number;
  run_after: number | null;
  reason: string | null;
  review_required: number;
  uncertain: number;
  error: string | null;
  result: string | null;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  completed_at: number | null;
}

/** Adds a job without items and returns its key. */
export function insertJob(store: Store, job: NewJob, totalItems: number, now: number): number {
  store.run(
    `insert into jobs (id, type, status, phase, account, payload, target_id, skips_marked, total_items, max_attempts,
                       run_after, reason, started_at, created_at, updated_at)
     values (:id, :type, :status, :phase, :account, :payload, :targetId, :skipsMarked, :totalItems, :maxAttempts,
             :runAfter, :reason, :startedAt, :now, :now)`,
    {
      ...job,
      payload: JSON.stringify(job.payload),
      skipsMarked: job.skipsMarked ? 1 : 0,
      runAfter: job.runAfter ?? null,
      reason: job.reason ?? null,
      startedAt: job.startedAt ?? null,
      totalItems,
      now,
    },
  );
  return store.get<{ seq: number }>('select seq from jobs where id = ?', [job.id])?.seq ?? 0;
}

export function getJob(store: Store, id: string): Job | null {
  const row = store.get<JobRow>('select * from jobs where id = ?', [id]);
  return row ? toJob(row) : null;
}

export function getJobBySeq(store: Store, seq: number): Job | null {
  const row = store.get<JobRow>('select * from jobs where seq = ?', [seq]);
  return row ? toJob(row) : null;
}

/** Newest first. */
export function listJobs(store: Store, offset: number, limit: number): Job[] {
  return store
    .all<JobRow>('select * from jobs order by seq desc limit ? offset ?', [limit, offset])
    .map(toJob);
}

export function countJobs(store: Store): Record<string, number> {
  const rows = store.all<{ status: string; total: number }>(
    'select status, count(*) as total from jobs group by status order by status',
  );
  return Object.fromEntries(rows.map(({ status, total }) => [status, total]));
}

/** Items of all jobs. */
export function countJobItems(store: Store): number {
  return store.get<{ total: number }>('select coalesce(sum(total_items), 0) as total from jobs')?.total ?? 0;
}

/** Jobs that stopped because someone else had changed the playlist. */
export function countReviews(store: Store): number {
  return (
    store.get<{ total: number }>(
      "select count(*) as total from jobs where review_required = 1 and status = 'failed'",
    )?.total ?? 0
  );
}

const COLUMNS: Record<keyof JobChange, string> = {
  phase: 'phase',
  account: 'account',
  targetId: 'target_id',
  skipsMarked: 'skips_marked',
  attempts: 'attempts',
  stepAttempts: 'step_attempts',
  runAfter: 'run_after',
  reason: 'reason',
  reviewRequired: 'review_required',
  uncertain: 'uncertain',
  error: 'error',
  result: 'result',
  startedAt: 'started_at',
  completedAt: 'completed_at',
};

function assignments(change: JobChange): { sql: string; params: Record<string, SqlValue> } {
  const entries = Object.entries(change) as Array<[keyof JobChange, unknown]>;
  return {
    sql: entries.map(([name]) => `, ${COLUMNS[name]} = :${name}`).join(''),
    params: Object.fromEntries(entries.map(([name, value]) => [name, sqlValue(value)])),
  };
}

function sqlValue(value: unknown): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || typeof value === 'number' || typeof value === 'string') return value;
  return JSON.stringify(value);
}

export function changeJob(store: Store, seq: number, change: JobChange, now: number): void {
  const { sql, params } = assignments(change);
  store.run(`update jobs set updated_at = :now${sql} where seq = :seq`, { ...params, seq, now });
}

/** Moves a job that is still in the state `from`; false where somebody was faster. */
export function moveJob(
  store: Store,
  seq: number,
  move: { from: JobStatus; to: JobStatus },
  change: JobChange,
  now: number,
): boolean {
  const { sql, params } = assignments(change);
  const { changes } = store.run(
    `update jobs set status = :to, updated_at = :now${sql} where seq = :seq and status = :from`,
    { ...params, ...move, seq, now },
  );
  return changes === 1;
}

/** Adds to the counts; negative numbers take away. */
export function addCounts(
  store: Store,
  seq: number,
  counts: Partial<Record<JobCount, number>>,
  now: number,
): void {
  const { resolved = 0, ambiguous = 0, unmatched = 0, failed = 0, skipped = 0, written = 0 } = counts;
  store.run(
    `update jobs set resolved = resolved + :resolved, ambiguous = ambiguous + :ambiguous,
       unmatched = unmatched + :unmatched, failed = failed + :failed, skipped = skipped + :skipped,
       written = written + :written, updated_at = :now
     where seq = :seq`,
    { resolved, ambiguous, unmatched, failed, skipped, written, seq, now },
  );
}

/** Raises the job's count of failed tries to that of its worst item. */
export function raiseAttempts(store: Store, seq: number, attempts: number): void {
  store.run('update jobs set attempts = max(attempts, ?) where seq = ?', [attempts, seq]);
}

/**
 * The next job of a phase that has something to do at `now`, the one after `last` first, so that each gets its turn. A
 * cancelled job has something to do while it is not known how its last write ended.
 */
export function dueJob(store: Store, phase: JobPhase, now: number, last: number): Job | null {
  const row = store.get<JobRow>(
    `select * from jobs
     where phase = :phase and (
       status in ('pending', 'resolving', 'committing')
       or (status = 'waiting' and run_after <= :now)
       or (status = 'cancelled' and seq in (select job from job_intents)))
     order by seq <= :last, seq limit 1`,
    { phase, now, last },
  );
  return row ? toJob(row) : null;
}

/** When the first waiting job of a phase is due, Unix milliseconds; null where none waits for a time. */
export function nextRunAfter(store: Store, phase: JobPhase | null = null): number | null {
  const row = store.get<{ at: number | null }>(
    "select min(run_after) as at from jobs where status = 'waiting' and (:phase is null or phase = :phase)",
    { phase },
  );
  return row?.at ?? null;
}

/** Makes jobs that wait for one of `reasons` due now; returns how many. */
export function wakeJobs(store: Store, reasons: readonly string[], now: number): number {
  const places = reasons.map(() => '?').join(', ');
  return store.run(
    `update jobs set run_after = ?, updated_at = ? where status = 'waiting' and reason in (${places})`,
    [now, now, ...reasons],
  ).changes;
}

/** Deletes jobs that ended before `before` (Unix milliseconds), with their items; returns how many. */
export function dropEndedJobs(store: Store, before: number): number {
  return store.run(
    "delete from jobs where status in ('completed', 'failed', 'cancelled') and completed_at < ?",
    [before],
  ).changes;
}

function toJob(row: JobRow): Job {
  return {
    seq: row.seq,
    id: row.id,
    type: row.type,
    status: row.status,
    phase: row.phase,
    account: row.account,
    payload: JSON.parse(row.payload),
    targetId: row.target_id,
    skipsMarked: row.skips_marked === 1,
    totalItems: row.total_items,
    resolved: row.resolved,
    ambiguous: row.ambiguous,
    unmatched: row.unmatched,
    failed: row.failed,
    skipped: row.skipped,
    written: row.written,
    attempts: row.attempts,
    stepAttempts: row.step_attempts,
    maxAttempts: row.max_attempts,
    runAfter: row.run_after,
    reason: row.reason,
    reviewRequired: row.review_required === 1,
    uncertain: row.uncertain === 1,
    error: row.error === null ? null : JSON.parse(row.error),
    result: row.result === null ? null : JSON.parse(row.result),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
  };
}
