/**
 * What the parts of the job engine share, and the functions that move a job to another state. Undoing a move and restoring a
 * backup call `moveJob` directly.
 */
import type { Changes } from '../changes/changes.ts';
import type { ChangeContext } from '../changes/record.ts';
import type { JobStatus } from '../domain/job.ts';
import type { Resolver } from '../resolve/resolver.ts';
import type { Store } from '../store/file/open.ts';
import { getJobBySeq, type Job, type JobChange, moveJob } from '../store/tables/jobs.ts';
import { mayMove } from './states.ts';

export interface JobContext extends ChangeContext {
  changes: Changes;
  resolver: Pick<Resolver, 'resolve' | 'keep'>;
}

export interface MoveOptions {
  /** Makes further changes in the same transaction. */
  also?(): void;
  /** True to undo the move if it cannot be saved, for a caller who gets the error. */
  undone?: boolean;
}

type MoveContext = Pick<JobContext, 'store' | 'clock' | 'log'>;

/**
 * Moves a job in memory; false if the job has left the state `job.status` in the meantime, for example because it was
 * cancelled.
 */
export function moveNow(
  { store, clock, log }: MoveContext,
  job: Job,
  to: JobStatus,
  change: JobChange = {},
): boolean {
  const from = job.status;
  if (!mayMove(from, to)) throw new Error(`A job may not go from ${from} to ${to}.`);
  const moved = moveJob(store, job.seq, { from, to }, change, clock.now());
  if (moved) log.info({ job: job.id, from, to, reason: change.reason ?? undefined }, 'job changed state');
  return moved;
}

/**
 * Moves a job like `moveNow`, and waits until that is on disk.
 * @throws RelayError `STORE_ERROR`
 */
export function move(
  context: MoveContext,
  job: Job,
  to: JobStatus,
  change: JobChange = {},
  options: MoveOptions = {},
): Promise<boolean> {
  const { store, clock } = context;
  const forward = () => {
    const moved = moveNow(context, job, to, change);
    if (moved) options.also?.();
    return moved;
  };
  const back = () => moveJob(store, job.seq, { from: to, to: job.status }, previousOf(job), clock.now());
  return store.durable(forward, options.undone ? back : undefined);
}

/** What undoing a move brings back. */
export function previousOf(job: Job): JobChange {
  const { phase, attempts, stepAttempts, runAfter, reason, reviewRequired, error, result, completedAt } = job;
  return { phase, attempts, stepAttempts, runAfter, reason, reviewRequired, error, result, completedAt };
}

/** The current state of a job, which must exist. */
export function reread(store: Store, job: Job): Job {
  const found = getJobBySeq(store, job.seq);
  if (!found) throw new Error(`The job ${job.id} is gone.`);
  return found;
}
