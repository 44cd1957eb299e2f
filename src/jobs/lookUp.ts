/**
 * The job behind a call that looks up a list while its caller waits. It is stored from the start, but kept out of the list of
 * jobs. It is dropped at the end of the call, unless it has to continue without its caller.
 */
import { withDeadline } from '../base/abort.ts';
import { asRelayError, RelayError } from '../domain/errors.ts';
import { failureClassOf } from '../domain/failureClass.ts';
import type { Item } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { getChange } from '../store/tables/changes.ts';
import { type JobItem, listItems } from '../store/tables/jobItems.ts';
import { getJobBySeq, type Job, type JobBegin } from '../store/tables/jobs.ts';
import { heldItems, markSkips } from './commit.ts';
import type { JobContext } from './context.ts';
import { beginStored, dropStored, type JobRequest, storeItems } from './newJob.ts';
import { waitAfter } from './outcome.ts';
import { searchForCaller } from './resolveStep.ts';

/** Limits within the 45 s of a call: how long it may search, and when after its start it stops reading the target. */
const SEARCH_MS = 35_000;
const READ_UNTIL_MS = 42_000;

/** A list that a call has looked up. */
export interface LookedUp {
  /** ID of the job, and also of its change. */
  readonly id: string;
  readonly seq: number;
  /** Start of the call, by the monotonic clock. */
  readonly startedAt: number;
  /** False if the time was up or Spotify asks to wait. The job is then listed, and continues. */
  readonly isComplete: boolean;
  /** How long Spotify asks to wait, in seconds; null if it does not. */
  readonly waitSeconds: number | null;
  /** The items as they are now, in order. */
  items(): JobItem[];
  /** Skips the found items that are among these rows, and no others. */
  skipHeld(held: readonly Item[]): Promise<void>;
}

/** Looks up a list, marks the items that its job would skip, and calls `then` for the answer. */
export type LookUp = <T>(request: JobRequest, call: Call, then: (list: LookedUp) => Promise<T>) => Promise<T>;

/** @param listed calls the function, which lists a job, and then wakes the lanes */
export function createLookUp(
  context: JobContext,
  listed: (list: () => Promise<Job>) => Promise<Job>,
): LookUp {
  const { store, clock } = context;
  return async (request, call, then) => {
    const startedAt = clock.monotonic();
    const job = await storeItems(context, request);
    const { id, seq, totalItems } = job;
    try {
      const stopped =
        (await stopOf(context, SEARCH_MS, call, (timed) => searchForCaller(context, job, timed))) ??
        (await stopOf(context, startedAt + READ_UNTIL_MS - clock.monotonic(), call, async ({ signal }) => {
          await markSkips(context, job, await heldItems(context, job, { signal, progress() {} }));
        }));
      const targetId = request.payload.playlist_id ?? null;
      if (stopped) await listed(() => beginStored(context, seq, { targetId, ...stopped }));
      return await then({
        id,
        seq,
        startedAt,
        isComplete: stopped === null,
        waitSeconds: stopped?.runAfter ? Math.ceil((stopped.runAfter - clock.now()) / 1_000) : null,
        items: () => listItems(store, seq, 0, totalItems),
        skipHeld: (held) => markSkips(context, job, held),
      });
    } finally {
      // The job of a change that is still under way stays: if the server stops meanwhile, the next start lists it.
      const change = getChange(store, id);
      const isOver = change === null || change.outcome !== null;
      if (isOver && getJobBySeq(store, seq)?.listed === false) await dropStored(context, seq);
    }
  };
}

/**
 * Runs a part of the call for at most `ms`. Returns null if the part has ended by itself. If the time was up or Spotify asks to
 * wait, returns how the job continues.
 * @throws RelayError any other failure of `part`
 */
async function stopOf(
  context: JobContext,
  ms: number,
  call: Call,
  part: (call: Call) => Promise<void>,
): Promise<Omit<JobBegin, 'targetId'> | null> {
  const late = new RelayError('DEADLINE_EXCEEDED', 'The time for one call is up.');
  const timed = { clock: context.clock, ms: Math.max(0, ms), signal: call.signal, late };
  try {
    await withDeadline(timed, (signal) => part({ ...call, signal }));
    return null;
  } catch (thrown) {
    const error = asRelayError(thrown);
    if (error.code === late.code) return { status: 'pending' };
    if (failureClassOf(error) !== 'limit') throw error;
    const { runAfter, reason } = waitAfter(context, { cause: error, failures: 1 });
    return { status: 'waiting', runAfter, reason };
  }
}
