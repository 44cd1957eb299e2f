/** Why a job refuses a call, and what to do instead: tools for a model, commands for a person at a terminal. */

import { RelayError } from '../domain/errors.ts';
import { isDryRunOver, isPastSettling, type JobRecord, shortId, unresolvedOf } from '../domain/job.ts';
import { NEAR_SCORE } from '../domain/settling.ts';
import { mayMove } from './moves.ts';
import { waysToDecide } from './write/review.ts';

export function noSuchJob(id: string): RelayError {
  return new RelayError('JOB_NOT_FOUND', `There is no job ${id.slice(0, 100)}.`, {
    remedy: '{list_jobs|relay jobs} lists all jobs. Ended jobs are kept for 90 days.',
  });
}

export function severalJobs(start: string): RelayError {
  return new RelayError('INVALID_ARGUMENT', `Several jobs have an ID that begins with "${start}".`, {
    remedy: 'Give the whole ID, which {list_jobs|relay jobs --json} shows.',
  });
}

export function requireSettleable(job: JobRecord): void {
  if (!isPastSettling(job)) return;
  const what = `The job is ${job.status}, and only a job that has not begun to write can be corrected.`;
  // A second job with the same list would write its songs twice.
  const mayWrite = job.phase === 'commit' && mayMove(job.status, 'cancelled');
  if (!mayWrite) throw stateError(job, what, 'Add what is missing with a new job.');
  const cancel = `{cancel_job|relay jobs cancel ${shortId(job.job_id)}}`;
  const remedy = `Add only what is missing with a new job, once this one has ended; or end it first with ${cancel}.`;
  throw stateError(job, what, remedy);
}

export function requireCommittable(job: JobRecord, skipUnresolved: boolean): void {
  if (job.status !== 'ready') throw wrongState(job, 'Only a ready job can be committed.');
  if (job.payload.strict && !skipUnresolved && unresolvedOf(job) > 0) {
    throw stateError(
      job,
      `The job is strict and ${unresolvedOf(job)} of its ${job.total_items} items did not resolve (${job.ambiguous} ambiguous, ${job.unmatched} unmatched, ${job.failed} failed).`,
      waysOn(job),
    );
  }
  if (job.resolved === 0) {
    throw stateError(
      job,
      'No item resolved, so there is nothing to write.',
      unresolvedOf(job) > 0 ? waysOn(job) : 'Create a job with other items.',
    );
  }
}

/** The ways to settle what did not resolve. */
function waysOn({ job_id: id, resolved }: JobRecord): string {
  const short = shortId(id);
  const list = '{get_job_status with only: "unresolved" lists them with candidates. |}Settle them with';
  const fixes = `resume_job: fixes by position, or accept_near: ${NEAR_SCORE} for first candidates that score as much`;
  const fix = `${list} {${fixes}|relay jobs fix ${short}}.`;
  if (resolved === 0) return fix;
  const commit = `{commit_job with skip_unresolved: true|relay jobs commit ${short} --skip-unresolved}`;
  return `${fix} ${commit} writes the job without them.`;
}

const ENDED: Partial<Record<JobRecord['status'], string>> = {
  completed: 'This job is already finished.',
  cancelled: 'This job was cancelled.',
};

export function wrongState(job: JobRecord, why: string): RelayError {
  const { status, job_id: id } = job;
  const commit = `{commit_job|relay jobs commit ${shortId(id)}} writes it.`;
  if (isDryRunOver(job)) return stateError(job, DRY_RUN, 'To write the songs, create a job without dry_run.');
  const isWritable = status === 'ready' && job.resolved > 0;
  return stateError(job, messageIn(job, why), isWritable ? commit : detailsOf(job));
}

const DRY_RUN = 'This job was a dry run: it has ended and writes nothing.';

export function undecided(job: JobRecord): RelayError {
  const words = 'A person has to decide what the playlist becomes.';
  return stateError(job, job.error ? `${job.error.message} ${words}` : words, waysToDecide(job.job_id));
}

/**
 * The error for answering a review that a job does not have. The caller may want nothing written, so the remedy names nothing
 * that writes.
 */
export function notInReview(job: JobRecord): RelayError {
  return stateError(job, messageIn(job, 'It is not in review.'), detailsOf(job));
}

function messageIn({ status }: JobRecord, why: string): string {
  return ENDED[status] ?? `The job ${status === 'failed' ? 'has failed' : `is ${status}`}. ${why}`;
}

function detailsOf({ job_id: id }: JobRecord): string {
  return `{get_job_status|relay jobs show ${shortId(id)}} has the details.`;
}

function stateError(job: JobRecord, message: string, remedy: string): RelayError {
  const { status, resolved, ambiguous, unmatched, failed, skipped, written } = job;
  const counts = { resolved, ambiguous, unmatched, failed, skipped, written, total_items: job.total_items };
  return new RelayError('JOB_STATE', message, { remedy, details: { job_id: job.job_id, status, ...counts } });
}

/** The error for resuming a job whose write has ended part-way, so that what is left to write is not known. */
export function cannotGoOn(job: JobRecord): RelayError {
  const undo = `{undo_change|relay undo ${shortId(job.job_id)}} takes back what was written.`;
  const remedy = `Check what is there, and add what is missing with a new job. ${undo}`;
  return stateError(job, 'The write of this job has ended part-way, and cannot continue.', remedy);
}
