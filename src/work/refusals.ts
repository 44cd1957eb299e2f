/** Why a job refuses a call, and what to do instead: tools for a model, commands for a person at a terminal. */

import { RelayError } from '../domain/errors.ts';
import { isDryRunOver, isPastSettling, shortId } from '../domain/job.ts';
import type { Remedy } from '../domain/remedy.ts';
import { NEAR_SCORE } from '../domain/settling.ts';
import type { Store } from '../store/file/open.ts';
import { listUnresolved } from '../store/tables/items.ts';
import type { Work } from '../store/tables/works.ts';
import { unresolvedOf } from './jobRecord.ts';
import { mayMove } from './moves.ts';
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
export function requireSettleable(work: Work): void {
  if (!isPastSettling(work)) return;
  throw stateError(
    work,
    `The job is ${work.status}, and only a job that has not begun to write can be corrected.`,
    mayStillWrite(work) ? beside(work) : insteadOf(work),
  );
}

/** True if the job has begun to write, and is neither over nor cancelled. */
function mayStillWrite({ phase, status }: Work): boolean {
  return phase === 'commit' && mayMove(status, 'cancelled');
}

/** What to do beside a job that may still write. A second job with the same list would write its songs twice. */
function beside({ id, status }: Work): Remedy {
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

function insteadOf({ itemsWritten }: Work): string {
  return itemsWritten > 0
    ? `${itemsWritten} of its items are written. Add what is missing with a new job.`
    : 'Create a new job.';
}

/** @throws RelayError `JOB_STATE` */
export function requireCommittable(store: Store, work: Work, skipUnresolved: boolean): void {
  if (work.status !== 'ready') throw wrongState(work, 'Only a ready job can be committed.');
  if (work.payload.strict && !skipUnresolved && unresolvedOf(work) > 0) {
    throw stateError(
      work,
      `The job is strict and ${unresolvedOf(work)} of its ${work.totalItems} items did not resolve (${work.ambiguous} ambiguous, ${work.unmatched} unmatched, ${work.failed} failed).`,
      waysOn(store, work),
    );
  }
  if (work.resolved === 0) {
    throw stateError(
      work,
      'No item resolved, so there is nothing to write.',
      unresolvedOf(work) > 0 ? waysOn(store, work) : 'Create a job with other items.',
    );
  }
}

/** The calls that settle what did not resolve, with their arguments. */
function waysOn(store: Store, { seq, id, resolved }: Work): Remedy {
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

const ENDED: Partial<Record<Work['status'], string>> = {
  completed: 'This job is already finished.',
  cancelled: 'This job was cancelled.',
};

export function wrongState(work: Work, why: string): RelayError {
  const { status, id } = work;
  const commit: Remedy = {
    text: 'Call commit_job to write it.',
    terminal: { text: '{1} writes it.', commands: [['jobs', 'commit', shortId(id)]] },
  };
  if (isDryRunOver(work))
    return stateError(work, DRY_RUN, 'To write the songs, create a job without dry_run.');
  const isWritable = status === 'ready' && work.resolved > 0;
  return stateError(work, messageIn(work, why), isWritable ? commit : detailsOf(work));
}

const DRY_RUN = 'This job was a dry run: it has ended and writes nothing.';

/** The error for resuming a job in review without a decision. */
export function undecided(work: Work): RelayError {
  const words = 'A person has to decide what the playlist becomes.';
  return stateError(work, work.error ? `${work.error.message} ${words}` : words, waysToDecide(work.id));
}

/**
 * The error for answering a review that a job does not have. The caller may want nothing written, so the remedy names nothing
 * that writes.
 */
export function notInReview(work: Work): RelayError {
  return stateError(work, messageIn(work, 'It is not in review.'), detailsOf(work));
}

function messageIn({ status }: Work, why: string): string {
  return ENDED[status] ?? `The job ${status === 'failed' ? 'has failed' : `is ${status}`}. ${why}`;
}

function detailsOf({ id }: Work): Remedy {
  return {
    text: 'Call get_job_status for details.',
    terminal: { text: '{1} has the details.', commands: [['jobs', 'show', shortId(id)]] },
  };
}

function stateError(work: Work, message: string, remedy: string | Remedy): RelayError {
  const { status, resolved, ambiguous, unmatched, failed, passedOver: skipped, itemsWritten: written } = work;
  const counts = { resolved, ambiguous, unmatched, failed, skipped, written, total_items: work.totalItems };
  return new RelayError('JOB_STATE', message, { remedy, details: { job_id: work.id, status, ...counts } });
}

/** The error for resuming a job whose write has ended part-way, so that what is left to write is not known. */
export function cannotGoOn(work: Work): RelayError {
  const { id } = work;
  return stateError(work, 'The write of this job has ended part-way, and cannot continue.', {
    text: `Read the playlist or library, and ask for what is missing in a new call. undo_change takes back ${id}.`,
    terminal: {
      text: 'Check in Spotify what is there, and add what is missing with a new job. {1} takes back what was written.',
      commands: [['undo', shortId(id)]],
    },
  });
}
