/** Why a job refuses a call, and what to do instead: tools for a model, commands for a person at a terminal. */

import { RelayError } from '../domain/errors.ts';
import { isDryRunOver, isPastSettling, type JobRecord, shortId, unresolvedOf } from '../domain/job.ts';
import type { Remedy } from '../domain/remedy.ts';
import { NEAR_SCORE } from '../domain/settling.ts';
import { mayMove } from './record.ts';
import { waysToDecide } from './write/review.ts';

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
export function requireSettleable(job: JobRecord): void {
  if (!isPastSettling(job)) return;
  const what = `The job is ${job.status}, and only a job that has not begun to write can be corrected.`;
  // A second job with the same list would write its songs twice.
  const mayWrite = job.phase === 'commit' && mayMove(job.status, 'cancelled');
  if (!mayWrite) throw stateError(job, what, 'Add what is missing with a new job.');
  const rest = 'with a new job, once this one has ended; or end it first';
  throw stateError(job, what, {
    text: `Add only what is missing ${rest} with cancel_job.`,
    terminal: {
      text: `Add only what is missing ${rest} with {1}.`,
      commands: [['jobs', 'cancel', shortId(job.job_id)]],
    },
  });
}

/**
 * @param unresolved positions of the first items that did not resolve, as examples
 * @throws RelayError `JOB_STATE`
 */
export function requireCommittable(
  job: JobRecord,
  skipUnresolved: boolean,
  unresolved: readonly number[],
): void {
  if (job.status !== 'ready') throw wrongState(job, 'Only a ready job can be committed.');
  if (job.payload.strict && !skipUnresolved && unresolvedOf(job) > 0) {
    throw stateError(
      job,
      `The job is strict and ${unresolvedOf(job)} of its ${job.total_items} items did not resolve (${job.ambiguous} ambiguous, ${job.unmatched} unmatched, ${job.failed} failed).`,
      waysOn(job, unresolved),
    );
  }
  if (job.resolved === 0) {
    throw stateError(
      job,
      'No item resolved, so there is nothing to write.',
      unresolvedOf(job) > 0 ? waysOn(job, unresolved) : 'Create a job with other items.',
    );
  }
}

/** The calls that settle what did not resolve, with their arguments. */
function waysOn({ job_id: id, resolved }: JobRecord, unresolved: readonly number[]): Remedy {
  const call = (tool: string, more: object) => `${tool} ${JSON.stringify({ job_id: id, ...more })}`;
  const fixes = unresolved.map((position, index) =>
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

const ENDED: Partial<Record<JobRecord['status'], string>> = {
  completed: 'This job is already finished.',
  cancelled: 'This job was cancelled.',
};

export function wrongState(job: JobRecord, why: string): RelayError {
  const { status, job_id: id } = job;
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

function detailsOf({ job_id: id }: JobRecord): Remedy {
  return {
    text: 'Call get_job_status for details.',
    terminal: { text: '{1} has the details.', commands: [['jobs', 'show', shortId(id)]] },
  };
}

function stateError(job: JobRecord, message: string, remedy: string | Remedy): RelayError {
  const { status, resolved, ambiguous, unmatched, failed, skipped, written } = job;
  const counts = { resolved, ambiguous, unmatched, failed, skipped, written, total_items: job.total_items };
  return new RelayError('JOB_STATE', message, { remedy, details: { job_id: job.job_id, status, ...counts } });
}

/** The error for resuming a job whose write has ended part-way, so that what is left to write is not known. */
export function cannotGoOn(job: JobRecord): RelayError {
  const { job_id: id } = job;
  return stateError(job, 'The write of this job has ended part-way, and cannot continue.', {
    text: `Read the playlist or library, and ask for what is missing in a new call. undo_change takes back ${id}.`,
    terminal: {
      text: 'Check in Spotify what is there, and add what is missing with a new job. {1} takes back what was written.',
      commands: [['undo', shortId(id)]],
    },
  });
}
