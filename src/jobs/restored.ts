/**
 * Jobs of a state that was brought back from a copy. What they wrote after the copy was made is not known to it, so none
 * may go on writing by itself: it would write that again.
 */
import { isoOf } from '../base/clock.ts';
import { getIntent, getPlan, putIntent } from '../store/tables/jobIntents.ts';
import { type Job, type JobError, listJobs, moveJob } from '../store/tables/jobs.ts';
import type { Store } from '../store/types.ts';
import { KINDS } from './kinds/index.ts';

/** About a write of nothing: it lets `resume_job` look whether the playlist holds exactly what this state knows. */
const COMPARE = { kind: 'write', first: 0, last: -1 } as const;

/**
 * Stops every job that was being written, until `resume_job` or `cancel_job`; returns how many. One that has begun to
 * write to a playlist compares it first when it is resumed.
 * @param savedAt time of the copy, Unix milliseconds
 */
export function holdWriting(store: Store, savedAt: number): number {
  // SQLite takes a negative limit as none.
  const writing = listJobs(store, 0, -1).filter(
    ({ phase, status }) => phase === 'commit' && MAY_GO_ON.has(status),
  );
  return store.transaction(() => writing.filter((job) => hold(store, job, savedAt)).length);
}

const MAY_GO_ON: ReadonlySet<Job['status']> = new Set(['waiting', 'committing', 'failed']);

/** True where the job would have gone on by itself. */
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
    message: `This job was being written when the copy of ${isoOf(savedAt)} was made, from which the state was restored. It may have gone on since.`,
    remedy: compares
      ? 'resume_job goes on if the playlist holds exactly what the job had written by then; cancel_job leaves it as it is.'
      : 'Look in Spotify whether its tracks are there: then call cancel_job. Only if they are not, call resume_job, which writes them.',
  };
}
