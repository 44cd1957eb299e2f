/** Why a job refuses a call, and what to do instead: tools for a model, commands for a person at a terminal. */
import { waysToDecide } from '../changes/review.ts';
import { RelayError } from '../domain/errors.ts';
import { isDryRunOver, isPastSettling, shortId } from '../domain/job.ts';
import type { Remedy } from '../domain/remedy.ts';
import { NEAR_SCORE } from '../domain/settling.ts';
import type { Store } from '../store/file/open.ts';
import { listUnresolved } from '../store/tables/jobItems.ts';
import type { Job } from '../store/tables/jobs.ts';
import { unresolvedOf } from './jobRecord.ts';
import { mayMove } from './states.ts';

export function noSuchJob(id: string): RelayError {
  return new RelayError('JOB_NOT_FOUND', `There is no job ${id.slice(0, 100)}.`, {
    remedy: {
      text: 'Call list_jobs to see all jobs. Ended jobs are kept for 90 days.',
      terminal: { text: '{1} lists all jobs. Ended jobs are kept for 90 days.', commands: [['jobs']] },
    },
  });
}

export function severalJobs(start: string): RelayError {
  return new RelayError('INVALID_ARGUMENT', `Several jobs have an ID that begins with "${start}".`, {
    remedy: {
      text: 'Pass the whole ID, which list_jobs shows.',
      terminal: { text: 'Give the whole ID: {1}', commands: [['jobs', '--json']] },
    },
  });
}

/** @throws RelayError `JOB_STATE` */
export function requireSettleable(job: Job): void {
  if (!isPastSettling(job)) return;
  throw stateError(
    job,
    `The job is ${job.status}, and only a job that has not begun to write can be corrected.`,
    mayStillWrite(job) ? beside(job) : insteadOf(job),
  );
}

/** True if the job has begun to write, and is neither over nor cancelled. */
function mayStillWrite({ phase, status }: Job): boolean {
  return phase === 'commit' && mayMove(status, 'cancelled');
}

/** What to do beside a job that may still write. A second job with the same list would write its songs twice. */
function beside({ id, status }: Job): Remedy {
  const rest = (begin: string, cancel: string) =>
    `${begin} what it has found. Add only what it leaves out, with a new job; or ${cancel} first.`;
  const short = shortId(id);
  const cancel = ['jobs', 'cancel', short];
  if (status !== 'failed') {
    return {
      text: rest('It writes', 'call cancel_job'),
      terminal: { text: rest('It writes', 'run {1}'), commands: [cancel] },
    };
  }
  return {
    text: rest('Once resume_job continues it, it writes', 'call cancel_job'),
    terminal: {
      text: rest('Once {1} continues it, it writes', 'run {2}'),
      commands: [['jobs', 'resume', short], cancel],
    },
  };
}

function insteadOf({ written }: Job): string {
  return written > 0
    ? `${written} of its items are written. Add what is missing with a new job.`
    : 'Create a new job.';
}

/** @throws RelayError `JOB_STATE` */
export function requireCommittable(store: Store, job: Job, skipUnresolved: boolean): void {
  if (job.status !== 'ready') throw wrongState(job, 'Only a ready job can be committed.');
  if (job.payload.strict && !skipUnresolved && unresolvedOf(job) > 0) {
    throw stateError(
      job,
      `The job is strict and ${unresolvedOf(job)} of its ${job.totalItems} items did not resolve (${job.ambiguous} ambiguous, ${job.unmatched} unmatched, ${job.failed} failed).`,
      waysOn(store, job),
    );
  }
  if (job.resolved === 0) {
    throw stateError(
      job,
      'No item resolved, so there is nothing to write.',
      unresolvedOf(job) > 0 ? waysOn(store, job) : 'Create a job with other items.',
    );
  }
}

/** The calls that settle what did not resolve, with their arguments. */
function waysOn(store: Store, { seq, id, resolved }: Job): Remedy {
  const call = (tool: string, more: object) => `${tool} ${JSON.stringify({ job_id: id, ...more })}`;
  const fixes = listUnresolved(store, seq, 0, 2).map(({ position }, index) =>
    index === 0 ? { position, track_id: '…' } : { position, skip: true },
  );
  const ways = [
    `${call('get_job_status', { only: 'unresolved' })} lists them with candidates.`,
    `${call('resume_job', { fixes })} settles them one by one; ${call('resume_job', { accept_near: NEAR_SCORE })} takes the first candidate wherever its score is at least ${NEAR_SCORE}.`,
    ...(resolved > 0
      ? [`${call('commit_job', { skip_unresolved: true })} writes the job without them.`]
      : []),
  ];
  const short = shortId(id);
  return {
    text: ways.join(' '),
    terminal: {
      text:
        resolved > 0 ? '{1} goes through them; {2} writes the job without them.' : '{1} goes through them.',
      commands: [
        ['jobs', 'fix', short],
        ['jobs', 'commit', short, '--skip-unresolved'],
      ],
    },
  };
}

const ENDED: Partial<Record<Job['status'], string>> = {
  completed: 'This job is already finished.',
  cancelled: 'This job was cancelled.',
};

export function wrongState(job: Job, why: string): RelayError {
  const { status, id } = job;
  const commit: Remedy = {
    text: 'Call commit_job to write it.',
    terminal: { text: '{1} writes it.', commands: [['jobs', 'commit', shortId(id)]] },
  };
  if (isDryRunOver(job)) return stateError(job, DRY_RUN, 'To write the songs, create a job without dry_run.');
  const isWritable = status === 'ready' && job.resolved > 0;
  return stateError(job, messageIn(job, why), isWritable ? commit : detailsOf(job));
}

const DRY_RUN = 'This job was a dry run: it has ended and writes nothing.';

/** The error for resuming a job in review without a decision. */
export function undecided(job: Job): RelayError {
  const words = 'A person has to decide what the playlist becomes.';
  return stateError(job, job.error ? `${job.error.message} ${words}` : words, waysToDecide(job.id));
}

/**
 * The error for answering a review that a job does not have. The caller may want nothing written, so the remedy names nothing
 * that writes.
 */
export function notInReview(job: Job): RelayError {
  return stateError(job, messageIn(job, 'It is not in review.'), detailsOf(job));
}

function messageIn({ status }: Job, why: string): string {
  return ENDED[status] ?? `The job ${status === 'failed' ? 'has failed' : `is ${status}`}. ${why}`;
}

function detailsOf({ id }: Job): Remedy {
  return {
    text: 'Call get_job_status for details.',
    terminal: { text: '{1} has the details.', commands: [['jobs', 'show', shortId(id)]] },
  };
}

function stateError(job: Job, message: string, remedy: string | Remedy): RelayError {
  const { status, resolved, ambiguous, unmatched, failed, passedOver: skipped, written } = job;
  const counts = { resolved, ambiguous, unmatched, failed, skipped, written, total_items: job.totalItems };
  return new RelayError('JOB_STATE', message, { remedy, details: { job_id: job.id, status, ...counts } });
}
