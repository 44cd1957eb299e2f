/** Works as the rest of the program calls them: store a list, look it up, read it, resume, settle, commit, cancel. */
import { NEVER } from '../base/abort.ts';
import { codesOf, type FailureClass } from '../domain/failureClass.ts';
import { isWorking, type JobStatus } from '../domain/job.ts';
import { uriOf } from '../domain/rows.ts';
import type { Call } from '../provider/api.ts';
import { getAccount } from '../store/tables/account.ts';
import {
  countDiffering,
  listItems,
  listUnresolved,
  nextTry,
  reopenItems,
  retryItems,
} from '../store/tables/items.ts';
import { listRateLimits } from '../store/tables/rateLimits.ts';
import {
  countJobs,
  getBody,
  getJob,
  hasBody,
  jobsBeginning,
  leftOfCalls,
  listJobs,
  putBody,
  setWork,
  undoOf,
  type Work,
  type WorkFacts,
  wakeJobs,
} from '../store/tables/works.ts';
import { beginAgain } from './commit.ts';
import { closeCancelled, followNow, reached } from './follow.ts';
import { type ItemRecord, itemRecord, type JobRecord, jobRecord, unresolvedOf } from './jobRecord.ts';
import { createLoop } from './loop.ts';
import { mayMove, move, moveNow, reread, workingStatus } from './moves.ts';
import { clearJobs, dropEndedJobs, dropJob, type ListRequest, listWrite, storeJob } from './newWork.ts';
import {
  noSuchJob,
  notInReview,
  requireCommittable,
  requireSettleable,
  severalJobs,
  undecided,
  wrongState,
} from './refusals.ts';
import { estimateRequests } from './resolve/estimate.ts';
import { createLookUp } from './resolve/lookUp.ts';
import type { Resolver } from './resolve/resolver.ts';
import type { SearchContext } from './resolve/searchStep.ts';
import { readFixes, type Settled, type Settlement, settleItems, stillOpen } from './resolve/settle.ts';
import { undoRequest } from './write/history.ts';
import type { DriveEnd } from './write/progress.ts';
import type { Review } from './write/review.ts';
import type { Writes } from './write/writes.ts';

const RETENTION_MS = 90 * 24 * 60 * 60_000;
/** How long an answer to a review waits for the undo that it asks for. After that, the undo continues as a job. */
const DECIDED_MS = 38_000;

export type Works = ReturnType<typeof createWorks>;

/** The beginning of a job's ID: at least six characters. Commands show eight. */
const SHORT_ID = /^[0-9a-f]{6}[0-9a-f-]*$/;

export function createWorks(
  context: SearchContext & { writes: Writes; resolver: Pick<Resolver, 'resolve' | 'keep' | 'knows'> },
) {
  const { store, clock, writes, rows } = context;
  const loop = createLoop(context);
  // Read now: calls may come before `start`, and their works are unlisted too.
  const left = leftOfCalls(store);
  writes.listWith(list);

  /** The job with this ID. Commands and pages show short IDs, so its beginning is enough if no other ID begins so. */
  function need(id: string): Work {
    const work = getJob(store, id);
    if (work) return work;
    const [one, other] = SHORT_ID.test(id) ? jobsBeginning(store, id, 2) : [];
    if (one && !other) return one;
    throw one ? severalJobs(id) : noSuchJob(id);
  }

  const now = (work: Work): JobRecord => jobRecord(store, reread(store, work));
  const asJob = (work: Work): JobRecord => jobRecord(store, work);

  /** Makes jobs that wait because of such a failure due at `by`, unless they are due earlier. */
  function wakeWaiting(by: number, ...classes: readonly FailureClass[]): void {
    if (wakeJobs(store, codesOf(...classes), by, clock.now()) > 0) store.saveSoon();
  }

  /** Wakes the lanes for a new job, and drops jobs that ended long ago. */
  async function begun(): Promise<void> {
    loop.wake();
    await dropEndedJobs(context, clock.now() - RETENTION_MS);
  }

  /** Moves a job for a caller: a move that cannot be saved is undone, unless the options say otherwise. */
  async function moveFor(
    work: Work,
    to: JobStatus,
    facts: WorkFacts,
    { isUndone = true, also = () => {} } = {},
  ): Promise<void> {
    try {
      if (await move(context, work, to, facts, { isUndone, also })) return;
    } finally {
      // Wake even after a move that was undone: a lane may have skipped the job in the meantime.
      loop.wake();
    }
    throw wrongState(now(work), 'It has just changed.');
  }

  async function keepAsIs(work: Work): Promise<JobRecord> {
    const { seq, playlistId } = work;
    const present = playlistId === null ? null : (await rows.readFresh(playlistId, ALONE)).map(uriOf);
    const body = getBody(store, seq);
    const kept = { ...body, plan: { rows: present ?? [], ops: [] }, notes: { ...body.notes, mixed: true } };
    await store.durable(
      () => {
        // Somebody else may have decided while the playlist was read.
        const under = reread(store, work);
        if (!inReview(under)) throw wrongState(asJob(under), 'Its review is over.');
        if (present) putBody(store, seq, kept);
        // Nothing more is asked for than was written, so the history does not count what the person gave up. But a write that
        // asks for nothing empties the playlist.
        const requested = under.written || under.requested;
        const done = { outcome: 'done', requested, step: 0, goingBack: false } as const;
        moveNow(context, under, 'committing', { ...CLEARED, ...done });
        followNow(context, work, { kind: 'ended', cause: null });
      },
      () => {
        putBody(store, seq, body);
        setWork(store, seq, work, clock.now());
      },
    );
    return now(work);
  }

  async function undo(work: Work, call: Call): Promise<{ undone_by?: string }> {
    const request = undoRequest(context, [work], true, () => {});
    const undone = await writes.run({ ...request, askedBy: work.askedBy }, call, { ms: DECIDED_MS });
    if (undone.kind === 'nothing_to_do') return {};
    if (undone.kind === 'ended' && undone.end.kind === 'ended' && undone.end.cause) throw undone.end.cause;
    return { undone_by: undone.work.id };
  }

  /** The owner wants what was there before the job. Its write is undone, whatever others did, and the job is over. */
  async function takeBack(work: Work, call: Call): Promise<JobRecord> {
    // The undo may have ended in an earlier call whose answer nobody got, or may be under way.
    const earlier = undoOf(store, work);
    if (earlier?.outcome === null) throw wrongState(asJob(work), 'What it had written is being undone.');
    const undoneBy = earlier ? { undone_by: earlier.id } : await undo(work, call);
    await store.durable(() => {
      const present = reread(store, work);
      if (!inReview(present)) return;
      const result = { ...reached(context, present), ...undoneBy };
      moveNow(context, present, 'cancelled', { reviewRequired: false, error: null, result });
    });
    return now(work);
  }

  async function list(work: Work, end: DriveEnd | null, isStopped: boolean): Promise<void> {
    await listWrite(context, work, () => end && followNow(context, work, end));
    await begun();
    if (isStopped) await cancel(work.id, NEVER);
  }

  /** Cancels a job; returns once its last write has ended, or `signal` is aborted. @throws RelayError `JOB_STATE` */
  async function cancel(id: string, signal: AbortSignal): Promise<JobRecord> {
    const work = need(id);
    if (work.status === 'cancelled') return asJob(work);
    if (!mayMove(work.status, 'cancelled')) throw wrongState(asJob(work), 'It has ended.');
    const ended = { runAfter: null, reason: null, reviewRequired: false, completedAt: clock.now() };
    const moved = moveFor(work, 'cancelled', ended);
    if (!hasBody(store, work.seq)) {
      await moved;
      await loop.release(work.seq);
    }
    // It may have begun to write in the meantime.
    await writes.cancel(work.seq, signal, moved);
    await store.durable(() => closeCancelled(context, work));
    return now(work);
  }

  /** Lists the writes that the last process left to go on, and drops the lists that it was looking up for a call. */
  async function takeUpLeft(): Promise<void> {
    for (const work of left) {
      if (work.outcome === null && hasBody(store, work.seq)) await list(work, null, false);
      else await dropJob(context, work);
    }
    if (left.length > 0) store.saveSoon();
  }

  return {
    /** Stores a list as a job. Also returns the fewest requests that it takes. */
    async create(request: ListRequest) {
      const estimatedRequests = await estimateRequests(context.resolver, request);
      const work = await storeJob(context, request);
      await begun();
      return { job: asJob(work), estimatedRequests };
    },
    /** Looks up the list of a call. It is listed as a job only if it has to continue without its caller. */
    lookUp: createLookUp(context, loop.wake),
    /**
     * The job with an ID.
     * @throws RelayError `JOB_NOT_FOUND`, or `INVALID_ARGUMENT` if a short ID fits several jobs. So do all methods that take an ID
     */
    get(id: string): JobRecord {
      const work = need(id);
      const { confirmed, spelling } = countDiffering(store, work.seq);
      return {
        ...asJob(work),
        ...(confirmed > 0 ? { confirmed } : {}),
        ...(spelling > 0 ? { spelling } : {}),
      };
    },
    /**
     * One page of a job's items, in order: those from the position `offset` on. `unresolved` selects the items that wait for a
     * decision; `total` counts all selected items. `next` is the position of the first item after the page; null at the end.
     */
    items(
      id: string,
      offset: number,
      limit: number,
      only: 'all' | 'unresolved' = 'all',
    ): { items: ItemRecord[]; total: number; next: number | null } {
      const work = need(id);
      const [read, total] =
        only === 'all' ? [listItems, work.totalItems] : [listUnresolved, unresolvedOf(asJob(work))];
      const found = read(store, work.seq, offset, limit + 1);
      return { items: found.slice(0, limit).map(itemRecord), total, next: found.at(limit)?.position ?? null };
    },
    list(offset: number, limit: number): { items: JobRecord[]; total: number } {
      const total = Object.values(countJobs(store)).reduce((sum, count) => sum + count, 0);
      return { items: listJobs(store, offset, limit).map(asJob), total };
    },
    /** Jobs that are not over, failed ones included; newest first. */
    open: (limit: number): JobRecord[] => listJobs(store, 0, limit, 'open').map(asJob),
    over: (limit: number): JobRecord[] => listJobs(store, 0, limit, 'over').map(asJob),
    /** Drops the jobs that are over, except those whose last write may still take effect; returns how many. */
    clear: () => clearJobs(context),
    /**
     * Continues a job that waits or has failed, or searches again for the items that did not resolve.
     * @param review what a person decides about a playlist that someone else changed during the write
     * @throws RelayError `JOB_STATE`, also without `review` for a job that needs one; for `undo`, the errors of an undo too
     */
    async resume(id: string, review: Review | undefined, call: Call): Promise<JobRecord> {
      const work = need(id);
      if (review !== undefined && !inReview(work)) throw notInReview(asJob(work));
      if (review === undefined && inReview(work)) throw undecided(asJob(work));
      if (review === 'keep') return keepAsIs(work);
      if (review === 'undo') return takeBack(work, call);
      if (isWorking(work.status)) {
        loop.wake();
        return asJob(work);
      }
      const opened = work.status === 'ready' ? 'resolve' : work.phase;
      const to = workingStatus(opened);
      if (!mayMove(work.status, to) || (work.status === 'ready' && unresolvedOf(asJob(work)) === 0)) {
        throw wrongState(
          asJob(work),
          work.status === 'ready' ? 'No item is left to search for.' : 'It has ended.',
        );
      }
      const also = () => {
        retryItems(store, work.seq);
        if (opened === 'resolve' && work.status !== 'waiting') reopenItems(store, work.seq);
        beginAgain(context, work);
      };
      const facts = { ...CLEARED, phase: opened, replan: review === 'continue' };
      // A new search is not undone if it cannot be saved: its items are already pending, so a job moved back to `ready` could be
      // committed without them. Nor is a new beginning: what it had written is forgotten.
      const isUndone = opened === 'commit' && work.outcome === null;
      await moveFor(work, to, facts, { isUndone, also });
      return now(work);
    },
    /**
     * Gives items the track that a person chose, leaves them out, or accepts near candidates. Resolves once all decisions are on
     * disk. If saving fails, they stay in memory, and sending them again does no harm. `late` counts the fixes that `onlyOpen` left
     * out.
     * @throws RelayError `JOB_STATE` once the job writes or has ended; `INVALID_ARGUMENT` naming each fix that cannot be carried
     * out (nothing has changed then); `STORE_ERROR`. Also the provider's errors from looking up tracks
     */
    async settle(
      id: string,
      { fixes = [], acceptNear, onlyOpen = false }: Settlement,
      call: Call,
    ): Promise<{ job: JobRecord; late: number } & Settled> {
      const work = need(id);
      requireSettleable(asJob(work));
      const decisions = await readFixes(context, work, fixes, call);
      // The job may have moved on while tracks were looked up; an error thrown here undoes everything.
      const settled = await store.durable(() => {
        requireSettleable(now(work));
        const open = onlyOpen ? stillOpen(context, work, decisions) : decisions;
        const counts = settleItems(context, work, open, acceptNear, call.by ?? null);
        const present = setWork(store, work.seq, {}, clock.now());
        // Once no search is left, there is nothing to wait for.
        if (present.status === 'waiting' && nextTry(store, work.seq) === null)
          moveNow(context, present, 'resolving', CLEARED);
        return { ...counts, late: decisions.length - open.length };
      });
      loop.wake();
      return { job: now(work), ...settled };
    },
    /**
     * Lets a job write what it has found.
     * @param options.skipUnresolved true to write a strict job without the items that did not resolve
     * @throws RelayError `JOB_STATE`
     */
    async commit(id: string, { skipUnresolved = false } = {}): Promise<JobRecord> {
      const work = need(id);
      requireCommittable(asJob(work), skipUnresolved);
      await moveFor(work, 'committing', { phase: 'commit', failures: 0, attempts: 0 });
      return now(work);
    },
    cancel,
    addLane: loop.addLane,
    wake: loop.wake,
    /** Tells that an account was connected: jobs that a login helps, or may help, continue. */
    loggedIn(): void {
      wakeWaiting(clock.now(), 'login', 'account');
      // A login ends the block of the login service, and those of another Spotify app. A job does not say which block it waits
      // for, so it waits until the last of the blocks that are left.
      const ends = listRateLimits(store).map(({ blockedUntil }) => blockedUntil ?? 0);
      wakeWaiting(Math.max(clock.now(), ...ends), 'limit');
      loop.wake();
    },
    start(): void {
      // The login may have happened while no server was running.
      const account = getAccount(store);
      if (account && !account.reauthorizationRequired) wakeWaiting(clock.now(), 'login', 'account');
      takeUpLeft().catch((error) =>
        context.log.error({ err: error }, 'could not take up interrupted writes'),
      );
      loop.start();
    },
    async stop(): Promise<void> {
      await Promise.all([loop.stop(), writes.stop()]);
    },
  };
}

const ALONE: Call = { signal: NEVER, progress() {} };

const inReview = ({ reviewRequired, status }: Work) => reviewRequired && status === 'failed';

const CLEARED: WorkFacts = {
  runAfter: null,
  reason: null,
  error: null,
  result: null,
  reviewRequired: false,
  attempts: 0,
  failures: 0,
  completedAt: null,
};
