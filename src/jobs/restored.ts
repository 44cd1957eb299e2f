/**
 * Jobs of a state that was restored from a copy. The copy does not know what they wrote after it was made, so none may
 * continue writing by itself: it would write that again.
 */
import { isoOf } from '../base/clock.ts';
import { getIntent, getPlan, putIntent } from '../store/tables/jobIntents.ts';
import { type Job, type JobError, listJobs, moveJob } from '../store/tables/jobs.ts';
import type { Store } from '../store/types.ts';
import { KINDS } from './kinds/index.ts';

/** The intent of an empty write: it makes `resume_job` check that the playlist holds exactly what this state knows. */
const COMPARE = { kind: 'write', first: 0, last: -1 } as const;

/**
 * Stops every job that was writing, until `resume_job` or `cancel_job`; returns how many. A job that had begun to write to
 * a playlist first compares the playlist when it is resumed.
 * @param savedAt time of the copy, Unix milliseconds
 */
export function holdWriting(store: Store, savedAt: number): number {
  // For SQLite, a negative limit means no limit.
  const writing = listJobs(store, 0, -1).filter(
    ({ phase, status }) => phase === 'commit' && MAY_CONTINUE.has(status),
  );
  return store.transaction(() => writing.filter((job) => hold(store, job, savedAt)).length);
}

const MAY_CONTINUE: ReadonlySet<Job['status']> = new Set(['waiting', 'committing', 'failed']);

/** True if the job would have continued by itself. */
function hold(store: Store, job: Job, savedAt: number): boolean {
  const now = store.now();
  const compares = KINDS[job.type].target === 'playlist' && getPlan(store, job.seq) !== null;
  if (compares && getIntent(store, job.seq) === null) putIntent(store, job.seq, COMPARE, now);
  if (job.status === 'failed') return false;
  const error = held(savedAt, compares);
  const change = { error, runAfter: null, reason: null, completedAt: now };
  return moveJob(store, job.seq, { from: job.status, to: 'failed' }, change, now);
}

function held(savedAt: number, compares: boolean): JobError {
  return {
    code: 'CONFLICT',
    message: `The state was restored from a copy made at ${isoOf(savedAt)}, while this job was writing. It may have written more since.`,
    remedy: compares
      ? 'resume_job continues if the playlist holds exactly what the job had written by then; cancel_job leaves it as it is.'
      : 'Check in Spotify whether its tracks are there. If they are, call cancel_job; if not, call resume_job, which writes them.',
  };
}
