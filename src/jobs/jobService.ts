/** Durable jobs as the rest of the program uses them: create, read, resume, commit, cancel, hand over. */
import { RelayError } from '../domain/errors.ts';
import { ENDED_BY_LOGIN } from '../domain/failureClass.ts';
import { isWorking, type JobPayload, type JobPhase, type JobStatus, type JobType } from '../domain/job.ts';
import { getAccount } from '../store/tables/account.ts';
import { getIntent } from '../store/tables/jobIntents.ts';
import {
  insertItems,
  listItems,
  type NewJobItem,
  reopenItems,
  retryItems,
} from '../store/tables/jobItems.ts';
import {
  countJobs,
  dropEndedJobs,
  getJob,
  insertJob,
  type Job,
  type JobChange,
  listJobs,
  wakeJobs,
} from '../store/tables/jobs.ts';
import { closeCancelled } from './commit.ts';
import { type JobContext, type MoveOptions, move, reread } from './context.ts';
import { estimateRequests } from './estimate.ts';
import { type ItemRecord, itemRecord, type JobRecord, jobRecord } from './jobRecord.ts';
import { createJobRunner } from './jobRunner.ts';
import { mayMove, workingState } from './states.ts';

const RETENTION_MS = 90 * 24 * 60 * 60_000;

/** @internal */
export interface JobRequest {
  type: JobType;
  payload: JobPayload;
  items: readonly NewJobItem[];
  maxAttempts: number;
}

/** Work that a tool has begun. */
interface HandOver extends JobRequest {
  /** `commit`: writing has begun, so it continues without `commit_job`. */
  phase: JobPhase;
  /** The playlist that a `create_playlist` job has already created. */
  targetId: string | null;
  /** Whether items to skip are already marked. */
  skipsMarked: boolean;
  /** Unix milliseconds; null: now. */
  runAfter: number | null;
  reason: string | null;
}

export interface Jobs {
  create(request: JobRequest): Promise<{ job: JobRecord; estimatedRequests: number }>;
  handOver(work: HandOver): Promise<JobRecord>;
  /** @throws RelayError `JOB_NOT_FOUND`, as all that take an ID */
  get(id: string): JobRecord;
  items(id: string, offset: number, limit: number): ItemRecord[];
  list(offset: number, limit: number): { items: JobRecord[]; total: number };
  /** @throws RelayError `JOB_STATE` */
  resume(id: string): Promise<JobRecord>;
  /** @throws RelayError `JOB_STATE` */
  commit(id: string): Promise<JobRecord>;
  /** Returns once the last write has ended. @throws RelayError `JOB_STATE` */
  cancel(id: string, signal: AbortSignal): Promise<JobRecord>;
  /** An account was connected: jobs that waited for it continue. */
  loggedIn(): void;
  start(): void;
  stop(): Promise<void>;
}

export function createJobs(context: JobContext): Jobs {
  const { store, clock, random } = context;
  const runner = createJobRunner(context);

  function need(id: string): Job {
    const job = getJob(store, id);
    if (job) return job;
    throw new RelayError('JOB_NOT_FOUND', `There is no job ${id.slice(0, 100)}.`, {
      remedy: 'Call list_jobs to see all jobs. Ended jobs are kept for 90 days.',
    });
  }

  function now(job: Job): JobRecord {
    return jobRecord(reread(store, job));
  }

  function wakeWaiting(): void {
    if (wakeJobs(store, ENDED_BY_LOGIN, clock.now()) > 0) store.saveSoon();
  }

  async function insert(work: HandOver, status: JobStatus): Promise<Job> {
    const id = random.uuid();
    const account = getAccount(store)?.providerUserId ?? null;
    const { items, type, payload, maxAttempts, phase, targetId, skipsMarked, runAfter, reason } = work;
    const at = clock.now();
    await store.durable(
      () => {
        dropEndedJobs(store, at - RETENTION_MS);
        const job = { id, type, payload, maxAttempts, phase, targetId, skipsMarked, account, status };
        const waits = status === 'waiting' ? { runAfter: runAfter ?? at, reason, startedAt: at } : {};
        insertItems(store, insertJob(store, { ...job, ...waits }, items.length, at), items, at);
      },
      () => store.run('delete from jobs where id = ?', [id]),
    );
    runner.wake();
    return need(id);
  }

  /** Moves a job for a caller: a move that cannot be saved is undone, unless the options say otherwise. */
  async function moveFor(job: Job, to: JobStatus, change: JobChange, options?: MoveOptions): Promise<void> {
    try {
      if (await move(context, job, to, change, { undone: true, ...options })) return;
    } finally {
      // Also after a move that was undone: a lane may have skipped the job in the meantime.
      runner.wake();
    }
    throw wrongState(reread(store, job), `It just changed to ${reread(store, job).status}.`);
  }

  return {
    async create(request) {
      const { items, type, payload } = request;
      const estimatedRequests = estimateRequests(store, type, items, payload.dry_run);
      const targetId = payload.playlist_id ?? null;
      const fresh = { phase: 'resolve', skipsMarked: false, runAfter: null, reason: null } as const;
      const job = await insert({ ...request, ...fresh, targetId }, 'pending');
      return { job: jobRecord(job), estimatedRequests };
    },
    handOver: async (work) =>
      jobRecord(
        await insert(work, work.runAfter === null && work.phase === 'resolve' ? 'pending' : 'waiting'),
      ),
    get: (id) => jobRecord(need(id)),
    items: (id, offset, limit) => listItems(store, need(id).seq, offset, limit).map(itemRecord),
    list(offset, limit) {
      const total = Object.values(countJobs(store)).reduce((sum, count) => sum + count, 0);
      return { items: listJobs(store, offset, limit).map(jobRecord), total };
    },
    async resume(id) {
      const job = need(id);
      if (isWorking(job.status)) {
        runner.wake();
        return jobRecord(job);
      }
      const opened = job.status === 'ready' ? 'resolve' : job.phase;
      const to = workingState(opened);
      if (!mayMove(job.status, to) || (job.status === 'ready' && unresolvedOf(job) === 0)) {
        throw wrongState(job, job.status === 'ready' ? 'Call commit_job to write it.' : 'It has ended.');
      }
      const also = () => {
        retryItems(store, job.seq);
        if (opened === 'resolve' && job.status !== 'waiting') reopenItems(store, job.seq, clock.now());
      };
      // Searching again is not undone: a ready job must have no pending items, or a commit would omit them.
      await moveFor(job, to, { ...CLEARED, phase: opened }, { also, undone: opened === 'commit' });
      return now(job);
    },
    async commit(id) {
      const job = need(id);
      requireCommittable(job);
      await moveFor(job, 'committing', { phase: 'commit', stepAttempts: 0, attempts: 0 });
      return now(job);
    },
    async cancel(id, signal) {
      const job = need(id);
      if (job.status === 'cancelled') return jobRecord(job);
      if (!mayMove(job.status, 'cancelled')) throw wrongState(job, 'It has ended.');
      await moveFor(job, 'cancelled', { runAfter: null, reason: null, completedAt: clock.now() });
      await runner.release(job.seq);
      await runner.settle(job.seq, signal);
      await store.durable(() => {
        if (getIntent(store, job.seq) === null) closeCancelled(context, job);
      });
      return now(job);
    },
    loggedIn() {
      wakeWaiting();
      runner.wake();
    },
    start() {
      // The login may have happened while no server was running.
      const account = getAccount(store);
      if (account && !account.reauthorizationRequired) wakeWaiting();
      runner.start();
    },
    stop: () => runner.stop(),
  };
}

/** What a resumed job clears. */
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

function unresolvedOf({ ambiguous, unmatched, failed }: Job): number {
  return ambiguous + unmatched + failed;
}

/** @throws RelayError `JOB_STATE` */
function requireCommittable(job: Job): void {
  if (job.status !== 'ready') throw wrongState(job, 'Only a ready job can be committed.');
  if (job.payload.strict && unresolvedOf(job) > 0) {
    throw stateError(
      job,
      `The job is strict and ${unresolvedOf(job)} of its ${job.totalItems} items did not resolve (${job.ambiguous} ambiguous, ${job.unmatched} unmatched, ${job.failed} failed).`,
      'get_job_status shows them with candidates. Choose tracks with remember_track and call resume_job, which searches again; or create the job with payload.strict false.',
    );
  }
  if (job.resolved === 0) {
    throw stateError(
      job,
      'No item resolved, so there is nothing to write.',
      'Create a job with other items.',
    );
  }
}

function wrongState(job: Job, why: string): RelayError {
  return stateError(job, `The job is ${job.status}. ${why}`, 'Call get_job_status for details.');
}

function stateError(job: Job, message: string, remedy: string): RelayError {
  const { status, resolved, ambiguous, unmatched, failed, written } = job;
  const counts = { resolved, ambiguous, unmatched, failed, written, total_items: job.totalItems };
  return new RelayError('JOB_STATE', message, { remedy, details: { job_id: job.id, status, ...counts } });
}
