/** The job of a change that no job asked for, and what a job records of each request of its change. */
import { type ChangeOp, type DetailValues, kindFacts } from '../domain/change.ts';
import type { RelayError } from '../domain/errors.ts';
import { JOB_ATTEMPTS } from '../domain/job.ts';
import type { Change } from '../store/tables/changes.ts';
import { firstMatched, markNextWritten, rejectItem } from '../store/tables/jobItems.ts';
import { changeJob, getJobBySeq, type NewJob } from '../store/tables/jobs.ts';
import { type ChangeContext, errorFacts } from './record.ts';

/**
 * The job for a change that no job asked for. The job is listed, and its items are stored, only if the change continues without
 * its caller.
 */
export function ownJob(
  { id, kind, playlistId, account }: Pick<Change, 'id' | 'kind' | 'playlistId' | 'account'>,
  ops: readonly ChangeOp[],
): NewJob {
  const details: DetailValues = ops.find((op) => op.op === 'create')?.details ?? {};
  return {
    id,
    type: kindFacts(kind).job,
    status: 'committing',
    phase: 'commit',
    account,
    skipsMarked: true,
    maxAttempts: JOB_ATTEMPTS,
    payload: {
      playlist_id: playlistId ?? undefined,
      name: details.name,
      description: details.description,
      public: details.public,
      strict: false,
      dry_run: false,
      skip_existing: false,
      skip_duplicates: false,
    },
  };
}

/**
 * Marks items of a change's job as written, as the requests take effect, or one item as left out. To be called in a transaction.
 * @param what number of items that were written, at most, or why the next one was left out
 */
export function markItems(
  { store, clock }: Pick<ChangeContext, 'store' | 'clock'>,
  change: Change,
  what: number | RelayError,
): void {
  const job = change.job === null ? null : getJobBySeq(store, change.job);
  if (!job) return;
  if (typeof what === 'number') {
    markNextWritten(store, job.seq, what, clock.now());
  } else {
    const next = firstMatched(store, job.seq);
    if (next !== null) rejectItem(store, job.seq, next, errorFacts(what), clock.now());
  }
  if (change.playlistId !== null && job.targetId === null) {
    changeJob(store, job.seq, { targetId: change.playlistId }, clock.now());
  }
}
