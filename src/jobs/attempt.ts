/**
 * The job behind a call that works through many items while its caller waits. It is stored from the start, but kept out of the
 * list of jobs. It is dropped at the end of the call, unless it has to continue without its caller.
 */
import { withDeadline } from '../base/abort.ts';
import { asRelayError, RelayError } from '../domain/errors.ts';
import { failureClassOf } from '../domain/failureClass.ts';
import { pauseAfter } from '../domain/pause.ts';
import type { Call } from '../provider/api.ts';
import { getChange } from '../store/tables/changes.ts';
import { type JobItem, listItems, skipSome } from '../store/tables/jobItems.ts';
import { getJobBySeq, type Job, type JobBegin } from '../store/tables/jobs.ts';
import type { JobContext } from './context.ts';
import { beginStored, dropStored, type NewWork, storeItems } from './newJob.ts';
import { searchForCaller } from './resolveStep.ts';

export interface Attempt {
  /** ID of the job, and also of its change. */
  readonly id: string;
  readonly seq: number;
  /**
   * Runs a part of the call for at most `ms`. Returns null if time ran out or Spotify asks to wait: `list` then lets the job
   * continue later.
   * @throws RelayError any other failure of `work`
   */
  within<T>(ms: number, call: Call, work: (call: Call) => Promise<T>): Promise<T | null>;
  /** Searches for all items that are not found yet. @throws RelayError the first failure */
  search(call: Call): Promise<void>;
  items(): JobItem[];
  /** Skips the found items for which `isLeftOut` returns true. It is called for each found item in order. */
  leaveOut(isLeftOut: (uri: string) => boolean): void;
  /**
   * Lists the job, so that it continues to search without its caller.
   * @throws RelayError `STORE_ERROR`
   */
  list(): Promise<Job>;
}

/** Runs `work` with a job that is not listed, and drops the job afterwards, unless it was listed by then. */
export async function attempt<T>(
  context: JobContext,
  request: Omit<NewWork, 'begin'>,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { store, clock, random } = context;
  const job = await storeItems(context, request);
  const { id, seq, totalItems } = job;
  let begin: JobBegin = { status: 'pending', targetId: request.payload.playlist_id ?? null };
  try {
    return await work({
      id,
      seq,
      async within(ms, call, part) {
        const late = new RelayError('DEADLINE_EXCEEDED', 'The time for one call is up.');
        try {
          const timed = { clock, ms, signal: call.signal, late };
          return await withDeadline(timed, (signal) => part({ ...call, signal }));
        } catch (thrown) {
          const error = asRelayError(thrown);
          if (failureClassOf(error) === 'limit') {
            const facts = { failures: 1, now: clock.now(), fraction: random.fraction() };
            const { until: runAfter, reason } = pauseAfter(error, facts);
            begin = { ...begin, status: 'waiting', runAfter, reason };
          } else if (error.code !== late.code) throw error;
          return null;
        }
      },
      search: (call) => searchForCaller(context, job, call),
      items: () => listItems(store, seq, 0, totalItems),
      leaveOut: (isLeftOut) => {
        skipSome(store, seq, { from: 0, limit: totalItems }, isLeftOut, clock.now());
      },
      list: () => beginStored(context, seq, begin),
    });
  } finally {
    // If the change is still under way when the server stops, the next start lists the job.
    const change = getChange(store, id);
    const isOver = change === null || change.outcome !== null;
    if (isOver && getJobBySeq(store, seq)?.listed === false) await dropStored(context, seq);
  }
}
