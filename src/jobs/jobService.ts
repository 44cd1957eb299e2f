/** Durable jobs as the rest of the program uses them: create, look up, read, resume, commit, cancel. */
import { NEVER } from '../base/abort.ts';
import { undoRequest } from '../changes/history.ts';
import type { Review } from '../changes/review.ts';
import type { DriveEnd } from '../changes/run.ts';
import { codesOf, type FailureClass } from '../domain/failureClass.ts';
import { isWorking, type JobStatus } from '../domain/job.ts';
import type { Call } from '../provider/api.ts';
import { getAccount } from '../store/tables/account.ts';
import { type Change, changeOfJob, getChangeBySeq, setChange, undoOf } from '../store/tables/changes.ts';
import {
  countDiffering,
  listItems,
  listUnresolved,
  nextTry,
  reopenItems,
  retryItems,
} from '../store/tables/jobItems.ts';
import {
  countJobs,
  getJob,
  type Job,
  type JobChange,
  jobsBeginning,
  listJobs,
  listOpenJobs,
  listOverJobs,
  moveJob,
  unlistedJobs,
  wakeJobs,
} from '../store/tables/jobs.ts';
import { listRateLimits } from '../store/tables/rateLimits.ts';
import { openedAgain, requireNotUndone } from './commit.ts';
import { type JobContext, type MoveOptions, move, moveNow, previousOf, reread } from './context.ts';
import { estimateRequests } from './estimate.ts';
import { type ItemRecord, itemRecord, type JobRecord, jobRecord, unresolvedOf } from './jobRecord.ts';
import { createJobRunner } from './jobRunner.ts';
import { createLookUp, type LookUp } from './lookUp.ts';
import { clearJobs, dropEndedJobs, type JobRequest, listChange, storeJob, takeUpUnlisted } from './newJob.ts';
import { closeCancelled, followNow, reached } from './outcome.ts';
import {
  noSuchJob,
  notInReview,
  requireCommittable,
  requireSettleable,
  severalJobs,
  undecided,
  wrongState,
} from './refusals.ts';
import { readFixes, type Settled, type Settlement, settleItems, stillOpen } from './settle.ts';
import { mayMove, workingState } from './states.ts';

const RETENTION_MS = 90 * 24 * 60 * 60_000;
/** How long an answer to a review waits for the undo that it asks for. After that, the undo continues as a job. */
const DECIDED_MS = 38_000;

type ItemFilter = 'all' | 'unresolved';

export interface Jobs {
  /**
   * Creates a job. Also returns the fewest and the most requests that it takes. `mostRequests` is null if it depends on the
   * length of the target.
   */
  create(
    request: JobRequest,
  ): Promise<{ job: JobRecord; estimatedRequests: number; mostRequests: number | null }>;
  /** Looks up the list of a call. Its job is listed only if it has to continue without its caller. */
  lookUp: LookUp;
  /**
   * The job with an ID.
   * @throws RelayError `JOB_NOT_FOUND`, or `INVALID_ARGUMENT` if a short ID fits several jobs. So do all methods that take an ID
   */
  get(id: string): JobRecord;
  /**
   * One page of a job's items, in order: those from the position `offset` on. `unresolved` selects the items that wait for a
   * decision; `total` counts all selected items. `next` is the position of the first item after the page; null at the end.
   */
  items(
    id: string,
    offset: number,
    limit: number,
    only?: ItemFilter,
  ): { items: ItemRecord[]; total: number; next: number | null };
  list(offset: number, limit: number): { items: JobRecord[]; total: number };
  /** Jobs that are not over, failed ones included; newest first. */
  open(limit: number): JobRecord[];
  /** Jobs that are over, newest first. */
  over(limit: number): JobRecord[];
  /** Drops the jobs that are over, except those whose last write may still take effect; returns how many. */
  clear(): Promise<number>;
  /**
   * Continues a job that waits or has failed, or searches again for the items that did not resolve.
   * @param review what a person decides about a playlist that someone else changed during the write
   * @throws RelayError `JOB_STATE`, also without `review` for a job that needs one; for `undo`, the errors of an undo too
   */
  resume(id: string, review: Review | undefined, call: Call): Promise<JobRecord>;
  /**
   * Gives items the track that a person chose, leaves them out, or accepts near candidates. Resolves once all decisions are on
   * disk. If saving fails, they stay in memory, and sending them again does no harm. `late` counts the fixes that `onlyOpen` left
   * out.
   * @throws RelayError `JOB_STATE` once the job writes or has ended; `INVALID_ARGUMENT` naming each fix that cannot be carried
   * out (nothing has changed then); `STORE_ERROR`. Also the provider's errors from looking up tracks
   */
  settle(id: string, settlement: Settlement, call: Call): Promise<{ job: JobRecord; late: number } & Settled>;
  /**
   * Lets a job write what it has found.
   * @param options.skipUnresolved true to write a strict job without the items that did not resolve
   * @throws RelayError `JOB_STATE`
   */
  commit(id: string, options?: { skipUnresolved?: boolean }): Promise<JobRecord>;
  /** Cancels a job; returns once its last write has ended, or `signal` is aborted. @throws RelayError `JOB_STATE` */
  cancel(id: string, signal: AbortSignal): Promise<JobRecord>;
  /** Tells the service that an account was connected: jobs that a login helps, or may help, continue. */
  loggedIn(): void;
  start(): void;
  stop(): Promise<void>;
}

/** The beginning of a job's ID: at least six characters. Commands show eight. */
const SHORT_ID = /^[0-9a-f]{6}[0-9a-f-]*$/;

export function createJobs(context: JobContext): Jobs {
  const { store, clock, changes } = context;
  changes.listWith(list);
  const runner = createJobRunner(context);
  // Read now: calls may come before `start`, and their jobs are unlisted too.
  const left = unlistedJobs(store);

  /** The job with this ID. Commands and pages show short IDs, so its beginning is enough if no other ID begins so. */
  function need(id: string): Job {
    const job = getJob(store, id);
    if (job) return job;
    const [one, other] = SHORT_ID.test(id) ? jobsBeginning(store, id, 2) : [];
    if (one && !other) return one;
    throw one ? severalJobs(id) : noSuchJob(id);
  }

  function now(job: Job): JobRecord {
    return jobRecord(reread(store, job));
  }

  /** Makes jobs that wait because of such a failure due at `by`, unless they are due earlier. */
  function wakeWaiting(by: number, ...classes: readonly FailureClass[]): void {
    if (wakeJobs(store, codesOf(...classes), by, clock.now()) > 0) store.saveSoon();
  }

  /** Stores a job, wakes the lanes, and drops jobs that ended long ago. */
  async function begun(stored: () => Promise<Job>): Promise<Job> {
    const job = await stored();
    runner.wake();
    await dropEndedJobs(context, clock.now() - RETENTION_MS);
    return job;
  }

  /** Moves a job for a caller: a move that cannot be saved is undone, unless the options say otherwise. */
  async function moveFor(job: Job, to: JobStatus, change: JobChange, options?: MoveOptions): Promise<void> {
    try {
      if (await move(context, job, to, change, { undone: true, ...options })) return;
    } finally {
      // Wake even after a move that was undone: a lane may have skipped the job in the meantime.
      runner.wake();
    }
    throw wrongState(reread(store, job), 'It has just changed.');
  }

  /** The owner keeps the playlist as it is, so the job is over. */
  async function keepAsIs(job: Job): Promise<JobRecord> {
    const change = openedAgain(store, job);
    if (change) requireNotUndone(store, job, change);
    const accepted = change?.outcome === null ? await changes.accept(change.seq) : null;
    await store.durable(
      () => {
        // Somebody else may have decided while the playlist was read.
        const present = reread(store, job);
        if (!inReview(present)) throw wrongState(present, 'Its review is over.');
        if (change) requireNotUndone(store, job, change);
        accepted?.end();
        moveNow(context, present, 'committing', CLEARED);
        const done = change && getChangeBySeq(store, change.seq);
        followNow(context, job, done, { kind: 'ended', cause: null });
      },
      () => {
        const back = { from: 'completed', to: job.status } as const;
        if (moveJob(store, job.seq, back, previousOf(job), clock.now())) accepted?.reopen();
      },
    );
    return now(job);
  }

  async function undo(job: Job, change: Change, call: Call): Promise<{ undone_by?: string }> {
    const request = undoRequest(context, change, true, () => {});
    const undone = await changes.run({ ...request, askedBy: `job ${job.id}` }, call, { ms: DECIDED_MS });
    if (undone.kind === 'nothing_to_do') return {};
    if (undone.kind === 'ended' && undone.end.kind === 'ended' && undone.end.cause) throw undone.end.cause;
    return { undone_by: undone.change.id };
  }

  /** The owner wants what was there before the job. Its change is undone, whatever others did, and the job is over. */
  async function takeBack(job: Job, call: Call): Promise<JobRecord> {
    const change = changeOfJob(store, job.seq);
    if (!change) throw notInReview(job);
    // The undo may have ended in an earlier call whose answer nobody got, or may be under way.
    const earlier = undoOf(store, change.seq);
    if (earlier?.outcome === null) requireNotUndone(store, job, change);
    const undoneBy = earlier ? { undone_by: earlier.id } : await undo(job, change, call);
    await store.durable(() => {
      const present = reread(store, job);
      if (!inReview(present)) return;
      const result = { ...reached(context, present, changeOfJob(store, job.seq)), ...undoneBy };
      moveNow(context, present, 'cancelled', { reviewRequired: false, error: null, result });
    });
    return now(job);
  }

  /** Lists the job of a change that continues without its caller. */
  async function list(change: Change, end: DriveEnd | null, isStopped: boolean): Promise<void> {
    await begun(() => listChange(context, change, (job) => end && followNow(context, job, change, end)));
    if (isStopped) await cancel(change.id, NEVER);
  }

  async function cancel(id: string, signal: AbortSignal): Promise<JobRecord> {
    const job = need(id);
    if (job.status === 'cancelled') return jobRecord(job);
    if (!mayMove(job.status, 'cancelled')) throw wrongState(job, 'It has ended.');
    const change = job.phase === 'commit' ? changeOfJob(store, job.seq) : null;
    // What the remedy of an earlier error names is refused from now on.
    const error = job.error && { code: job.error.code, message: job.error.message };
    const ended = { runAfter: null, reason: null, reviewRequired: false, error, completedAt: clock.now() };
    const moved = moveFor(job, 'cancelled', ended);
    if (change) await changes.cancel(change.seq, signal, moved);
    else {
      await moved;
      await runner.release(job.seq);
    }
    // The job may have begun to write in the meantime.
    const begun = change ? null : changeOfJob(store, job.seq);
    if (begun) await changes.cancel(begun.seq, signal, moved);
    await store.durable(() => closeCancelled(context, job));
    return now(job);
  }

  return {
    async create(request) {
      const { least, most } = await estimateRequests(store, request);
      const job = await begun(() => storeJob(context, request));
      return { job: jobRecord(job), estimatedRequests: least, mostRequests: most };
    },
    lookUp: createLookUp(context, begun),
    get(id) {
      const job = need(id);
      const { confirmed, spelling } = countDiffering(store, job.seq);
      return {
        ...jobRecord(job),
        ...(confirmed > 0 ? { confirmed } : {}),
        ...(spelling > 0 ? { spelling } : {}),
      };
    },
    items(id, offset, limit, only = 'all') {
      const job = need(id);
      const [list, total] =
        only === 'all' ? [listItems, job.totalItems] : [listUnresolved, unresolvedOf(job)];
      const found = list(store, job.seq, offset, limit + 1);
      return { items: found.slice(0, limit).map(itemRecord), total, next: found.at(limit)?.position ?? null };
    },
    list(offset, limit) {
      const total = Object.values(countJobs(store)).reduce((sum, count) => sum + count, 0);
      return { items: listJobs(store, offset, limit).map(jobRecord), total };
    },
    open: (limit) => listOpenJobs(store, limit).map(jobRecord),
    over: (limit) => listOverJobs(store, limit).map(jobRecord),
    clear: () => clearJobs(context),
    async resume(id, review, call) {
      const job = need(id);
      if (review !== undefined && !inReview(job)) throw notInReview(job);
      if (review === undefined && inReview(job)) throw undecided(job);
      if (review === 'keep') return keepAsIs(job);
      if (review === 'undo') return takeBack(job, call);
      if (isWorking(job.status)) {
        runner.wake();
        return jobRecord(job);
      }
      const opened = job.status === 'ready' ? 'resolve' : job.phase;
      const to = workingState(opened);
      if (!mayMove(job.status, to) || (job.status === 'ready' && unresolvedOf(job) === 0)) {
        throw wrongState(job, job.status === 'ready' ? 'No item is left to search for.' : 'It has ended.');
      }
      const also = () => {
        retryItems(store, job.seq);
        if (opened === 'resolve' && job.status !== 'waiting') reopenItems(store, job.seq, clock.now());
        const change = review === 'continue' ? openedAgain(store, job) : null;
        if (change?.outcome === null) setChange(store, change.seq, { replan: true }, clock.now());
      };
      // A new search is not undone if it cannot be saved. Its items are already pending, so a job moved back to `ready` could be
      // committed without them.
      await moveFor(job, to, { ...CLEARED, phase: opened }, { also, undone: opened === 'commit' });
      return now(job);
    },
    async settle(id, { fixes = [], acceptNear, onlyOpen = false }, call) {
      const job = need(id);
      requireSettleable(job);
      const decisions = await readFixes(context, job, fixes, call);
      // The job may have moved on while tracks were looked up; an error thrown here undoes everything.
      const settled = await store.durable(() => {
        requireSettleable(reread(store, job));
        const open = onlyOpen ? stillOpen(context, job, decisions) : decisions;
        const settled = settleItems(context, job, open, acceptNear, call.by ?? null);
        const present = reread(store, job);
        // Once no search is left, there is nothing to wait for.
        if (present.status === 'waiting' && nextTry(store, job.seq) === null)
          moveNow(context, present, 'resolving', CLEARED);
        return { ...settled, late: decisions.length - open.length };
      });
      runner.wake();
      return { job: now(job), ...settled };
    },
    async commit(id, { skipUnresolved = false } = {}) {
      const job = need(id);
      requireCommittable(store, job, skipUnresolved);
      await moveFor(job, 'committing', { phase: 'commit', stepAttempts: 0, attempts: 0 });
      return now(job);
    },
    cancel,
    loggedIn() {
      wakeWaiting(clock.now(), 'login', 'account');
      // A login ends the block of the login service, and those of another Spotify app. A job does not say which block it waits
      // for, so it waits until the last of the blocks that are left.
      const ends = listRateLimits(store).map(({ blockedUntil }) => blockedUntil ?? 0);
      wakeWaiting(Math.max(clock.now(), ...ends), 'limit');
      runner.wake();
    },
    start() {
      // The login may have happened while no server was running.
      const account = getAccount(store);
      if (account && !account.reauthorizationRequired) wakeWaiting(clock.now(), 'login', 'account');
      // Continues tool writes that were interrupted by a crash or a stop.
      takeUpUnlisted(context, left, (change) => list(change, null, false)).catch((error) =>
        context.log.error({ err: error }, 'could not list the job of an interrupted write'),
      );
      runner.start();
    },
    async stop() {
      await Promise.all([runner.stop(), changes.stop()]);
    },
  };
}

/** True if a person has to decide about a playlist that someone else changed during a write. */
const inReview = ({ reviewRequired, status }: Job) => reviewRequired && status === 'failed';

/** The fields of a job that are cleared when it is resumed. */
const CLEARED: JobChange = {
  runAfter: null,
  reason: null,
  error: null,
  result: null,
  reviewRequired: false,
  attempts: 0,
  stepAttempts: 0,
  completedAt: null,
};
