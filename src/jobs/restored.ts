/**
 * Jobs and changes that were writing when a copy of the state was made, once that copy is restored. The copy does not show what
 * they wrote later, so none of them may continue by itself.
 */
import { isoOf } from '../base/clock.ts';
import { shortId } from '../domain/job.ts';
import { endPartly, openChanges, setChange } from '../store/tables/changes.ts';
import { getJobBySeq, type Job, type JobError, listJobs, moveJob } from '../store/tables/jobs.ts';
import type { Store } from '../store/types.ts';
import { openedAgain } from './commit.ts';

/**
 * Fails every job that was writing, so that it waits for `resume_job` or `cancel_job`. A resumed job that had begun to write
 * first finds out how far it got. Unfinished changes that no listed job carries out are ended; what they wrote stays.
 * @param savedAt time of the copy, Unix milliseconds
 * @returns number of jobs that would have continued by themselves
 */
export function holdWriting(store: Store, savedAt: number): number {
  // For SQLite, a negative limit means no limit.
  const writing = listJobs(store, 0, -1).filter(
    ({ phase, status }) => phase === 'commit' && MAY_CONTINUE.has(status),
  );
  return store.transaction(() => {
    const now = store.now();
    for (const change of openChanges(store)) {
      const isListed = change.job !== null && getJobBySeq(store, change.job)?.listed === true;
      if (isListed) continue;
      // The change may have sent its next request after the copy was made, so an undo has to look for the effect.
      setChange(store, change.seq, { uncertain: true }, now);
      endPartly(store, change.seq, now);
    }
    return writing.filter((job) => hold(store, job, savedAt)).length;
  });
}

const MAY_CONTINUE: ReadonlySet<Job['status']> = new Set(['waiting', 'committing', 'failed']);

/** Stops one job; true if it would have continued by itself. */
function hold(store: Store, job: Job, savedAt: number): boolean {
  const now = store.now();
  const change = openedAgain(store, job);
  // Any request may have been sent after the copy was made. With this mark, a resumed job looks first.
  if (change?.outcome === null) setChange(store, change.seq, { inTransit: true }, now);
  if (job.status === 'failed') return false;
  const facts = {
    error: held(job, savedAt, change !== null),
    runAfter: null,
    reason: null,
    completedAt: now,
  };
  return moveJob(store, job.seq, { from: job.status, to: 'failed' }, facts, now);
}

/**
 * The error of a held job.
 * @param compares true if the job had begun to write, so that the playlist can be compared with the record
 */
function held({ id }: Job, savedAt: number, compares: boolean): JobError {
  const short = shortId(id);
  return {
    code: 'CONFLICT',
    message: `The state was restored from a copy made at ${isoOf(savedAt)}. This job had not finished by then, and may have written since.`,
    remedy: compares
      ? {
          text: 'resume_job finds out how far the job got and does the rest; cancel_job leaves everything as it is.',
          terminal: {
            text: '{1} finds out how far the job got and does the rest; {2} leaves everything as it is.',
            commands: [
              ['jobs', 'resume', short],
              ['jobs', 'cancel', short],
            ],
          },
        }
      : {
          text: 'Check in Spotify whether this job has done its work already. If it has, call cancel_job; if not, call resume_job, which does all of it.',
          terminal: {
            text: 'Check in Spotify whether this job has done its work already. If it has, run {1}; if not, run {2}, which does all of it.',
            commands: [
              ['jobs', 'cancel', short],
              ['jobs', 'resume', short],
            ],
          },
        },
  };
}
