/**
 * Works that were writing when a copy of the state was made, once that copy is restored. The copy does not show what they wrote
 * later, so none of them may continue by itself.
 */
import { isoOf } from '../base/clock.ts';
import { shortId } from '../domain/job.ts';
import type { Store } from '../store/store.ts';
import {
  hasBody,
  listJobs,
  moveWork,
  openWrites,
  setWork,
  type Work,
  type WorkError,
} from '../store/tables/works.ts';

/**
 * Fails every job that was writing, so that it waits for `resume_job` or `cancel_job`. A resumed job that had begun to write
 * first finds out how far it got. Unfinished writes of calls are ended; what they wrote stays.
 * @param savedAt time of the copy, Unix milliseconds
 * @returns number of jobs that would have continued by themselves
 */
export function holdWriting(store: Store, savedAt: number): number {
  return store.transaction(() => {
    const now = store.now();
    for (const { seq, listed } of openWrites(store)) {
      // Any request may have been sent after the copy was made. With this mark, a resumed job looks first.
      if (listed) setWork(store, seq, { sending: true }, now);
      // An undo has to look for the effect, too.
      else setWork(store, seq, { ...CUT, completedAt: now }, now);
    }
    // For SQLite, a negative limit means no limit.
    const jobs = listJobs(store, 0, -1).filter(({ phase }) => phase === 'commit');
    return jobs.filter((work) => MAY_GO_ON.has(work.status) && hold(store, work, savedAt)).length;
  });
}

const CUT = { uncertain: true, sending: false, status: 'completed', outcome: 'partial' } as const;
const MAY_GO_ON: ReadonlySet<Work['status']> = new Set(['waiting', 'committing']);

function hold(store: Store, { id, seq, status }: Work, savedAt: number): boolean {
  const now = store.now();
  const error: WorkError = {
    code: 'CONFLICT',
    message: `The state was restored from a copy made at ${isoOf(savedAt)}. This job had not finished by then, and may have written since.`,
    remedy: { text: remedyFor(shortId(id), hasBody(store, seq)) },
  };
  const facts = { error, runAfter: null, reason: null, completedAt: now };
  return moveWork(store, seq, { from: status, to: 'failed' }, facts, now);
}

/** A job that had begun to write can be compared with the record; of any other, only the person knows. */
function remedyFor(id: string, hasBegun: boolean): string {
  const resume = `{resume_job|relay jobs resume ${id}}`;
  const cancel = `{cancel_job|relay jobs cancel ${id}}`;
  return hasBegun
    ? `${resume} finds out how far the job got and does the rest; ${cancel} leaves everything as it is.`
    : `Check in Spotify whether this job has done its work already. If it has, end it with ${cancel}; if not, ${resume} does all of it.`;
}
