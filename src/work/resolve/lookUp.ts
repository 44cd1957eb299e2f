/**
 * The list of a call, looked up while its caller waits. It is stored as a work from the start, but listed as a job only if it has
 * to continue without its caller.
 */
import { withDeadline } from '../../base/abort.ts';
import { asRelayError, RelayError } from '../../domain/errors.ts';
import { failureClassOf } from '../../domain/failureClass.ts';
import type { Item } from '../../domain/shapes.ts';
import type { Call } from '../../provider/api.ts';
import { type ListedItem, listItems } from '../../store/tables/items.ts';
import { getWorkBySeq, hasBody, type WorkFacts } from '../../store/tables/works.ts';
import { heldItems, markSkips } from '../commit.ts';
import { waitAfter } from '../follow.ts';
import { dropJob, type ListRequest, listed, storeItems } from '../newWork.ts';
import { type SearchContext, searchForCaller } from './searchStep.ts';

/** Limits within the 45 s of a call: how long it may search, and when after its start it stops reading the target. */
const SEARCH_MS = 35_000;
const READ_UNTIL_MS = 42_000;

export interface LookedUp {
  readonly id: string;
  readonly seq: number;
  /** Start of the call, by the monotonic clock. */
  readonly startedAt: number;
  /** False if the time was up or Spotify asks to wait. The work is then listed as a job, and continues. */
  readonly isComplete: boolean;
  /** How long Spotify asks to wait, in seconds; null if it does not. */
  readonly waitSeconds: number | null;
  items(): ListedItem[];
  /** Lists the work as a job that waits for `commit_job`, so that nobody has to send the list again. @throws RelayError `STORE_ERROR` */
  keep(): Promise<void>;
  /** Skips the found items that are among these rows, and no others. */
  skipHeld(held: readonly Item[]): void;
}

/** Looks up a list, marks the items that its write would skip, and calls `then` for the answer. */
export type LookUp = <T>(
  request: ListRequest,
  call: Call,
  then: (list: LookedUp) => Promise<T>,
) => Promise<T>;

/** @param isListed called once a job was listed */
export function createLookUp(context: SearchContext, isListed: () => void): LookUp {
  const { store, clock } = context;
  return async (request, call, then) => {
    const startedAt = clock.monotonic();
    const work = await storeItems(context, request);
    const { id, seq, totalItems } = work;
    try {
      const stopped =
        (await stopOf(context, SEARCH_MS, call, (timed) => searchForCaller(context, work, timed))) ??
        (await stopOf(context, startedAt + READ_UNTIL_MS - clock.monotonic(), call, async ({ signal }) => {
          markSkips(context, work, await heldItems(context, work, { signal, progress() {} }));
        }));
      if (stopped) {
        await listed(context, work, stopped);
        isListed();
      }
      return await then({
        id,
        seq,
        startedAt,
        isComplete: stopped === null,
        waitSeconds: stopped?.runAfter ? Math.ceil((stopped.runAfter - clock.now()) / 1_000) : null,
        items: () => listItems(store, seq, 0, totalItems),
        async keep() {
          await listed(context, work, { status: 'ready' });
          isListed();
        },
        skipHeld: (held) => markSkips(context, work, held),
      });
    } finally {
      // A write that is still under way stays: if the server stops meanwhile, the next start lists it.
      const last = getWorkBySeq(store, seq);
      const isOver = last && !last.listed && (last.outcome !== null || !hasBody(store, seq));
      if (isOver) await dropJob(context, last);
    }
  };
}

/**
 * Runs a part of the call for at most `ms`. Returns null if the part has ended by itself. If the time was up or Spotify asks to
 * wait, returns how the work continues.
 * @throws RelayError any other failure of `part`
 */
async function stopOf(
  context: SearchContext,
  ms: number,
  call: Call,
  part: (call: Call) => Promise<void>,
): Promise<Pick<WorkFacts, 'status' | 'runAfter' | 'reason'> | null> {
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
