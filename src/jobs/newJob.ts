/** Storing jobs with their items, and dropping them. */
import { createTurns } from '../base/turns.ts';
import { asRelayError } from '../domain/errors.ts';
import type { JobPayload, JobPhase, JobType } from '../domain/job.ts';
import { getAccount } from '../store/tables/account.ts';
import { dropItems, insertItems, type NewJobItem } from '../store/tables/jobItems.ts';
import {
  arrivingJob,
  arrivingJobs,
  beginJob,
  dropJob,
  getJobBySeq,
  hideJob,
  insertJob,
  type Job,
  type JobBegin,
  jobsEndedBefore,
  jobsToClear,
} from '../store/tables/jobs.ts';
import type { JobContext } from './context.ts';

type Context = Pick<JobContext, 'store' | 'clock' | 'random'>;

export interface NewWork {
  type: JobType;
  payload: JobPayload;
  items: readonly NewJobItem[];
  maxAttempts: number;
  phase: JobPhase;
  begin: JobBegin;
}

/** Rows of one transaction: a millisecond. */
const ROWS = 50;

/**
 * Stores a job; it is on disk when this resolves. A crash before leaves nothing that continues.
 * @throws RelayError `STORE_ERROR`, and then there is no job
 */
export async function storeJob(context: Context, work: NewWork): Promise<Job> {
  const { seq } = await storeItems(context, work);
  try {
    return await beginStored(context, seq, work.begin);
  } catch (error) {
    await dropStored(context, seq);
    throw error;
  }
}

/** Stores a job with its items, in turns, since ten thousand take a while. Nobody sees it before `beginStored`. */
export async function storeItems(context: Context, work: Omit<NewWork, 'begin'>): Promise<Job> {
  const { store, clock } = context;
  const { items } = work;
  const at = clock.now();
  const seq = insertRow(context, work);
  const turn = createTurns();
  try {
    for (let from = 0; from < items.length; from += ROWS) {
      insertItems(store, seq, from, items.slice(from, from + ROWS), at);
      await turn();
    }
  } catch (error) {
    await dropStored(context, seq);
    throw error;
  }
  return stored(context, seq);
}

/**
 * A job that has its items is there from now on, and on disk when this resolves.
 * @throws RelayError `STORE_ERROR`, and then nobody sees it
 */
export async function beginStored(context: Context, seq: number, begin: JobBegin): Promise<Job> {
  const { store, clock } = context;
  await store.durable(
    () => beginJob(store, seq, begin, clock.now()),
    () => hideJob(store, seq),
  );
  return stored(context, seq);
}

/**
 * Lists a change that continues as the job of its ID, in one transaction with what else `also` changes: as the one that was
 * stored with the list of its caller, or as `work`. Where the state cannot be saved, the job is there all the same and saved
 * later: what has begun must not stand still. After a crash before that, the change is the one on disk, and what makes a job
 * of it then gives it the same `id`.
 */
export async function listChange(
  context: Context,
  id: string,
  begin: JobBegin,
  work: () => Omit<NewWork, 'begin' | 'phase'>,
  also: (seq: number) => void,
): Promise<Job> {
  const { store, clock } = context;
  const seq = store.transaction(() => {
    const known = arrivingJob(store, id);
    const listed = known ?? insertRow(context, { ...work(), phase: 'commit' }, id);
    if (known === null) insertItems(store, listed, 0, work().items, clock.now());
    beginJob(store, listed, { ...begin, phase: 'commit', skipsMarked: true }, clock.now());
    also(listed);
    return listed;
  });
  await store.saveNow().catch((error: unknown) => {
    if (asRelayError(error).code !== 'STORE_ERROR') throw error;
  });
  return stored(context, seq);
}

function insertRow(
  { store, clock, random }: Context,
  work: Omit<NewWork, 'begin'>,
  id = random.uuid(),
): number {
  const { items, phase, type, payload, maxAttempts } = work;
  const account = getAccount(store)?.providerUserId ?? null;
  const row = { id, type, phase, account, payload, maxAttempts };
  return insertJob(store, { ...row, skipsMarked: phase === 'commit' }, items.length, clock.now());
}

function stored({ store }: Context, seq: number): Job {
  const job = getJobBySeq(store, seq);
  if (!job) throw new Error('The job that was just stored is gone.');
  return job;
}

/** Drops jobs that ended before `before` (Unix milliseconds). */
export async function dropEndedJobs(context: Pick<Context, 'store'>, before: number): Promise<void> {
  const ended = jobsEndedBefore(context.store, before);
  for (const seq of ended) await dropStored(context, seq);
  if (ended.length > 0) context.store.saveSoon();
}

/** Drops every job that is over; returns how many. What they wrote can still be undone. */
export async function clearJobs(context: Pick<Context, 'store'>): Promise<number> {
  const over = jobsToClear(context.store);
  for (const seq of over) await dropStored(context, seq);
  if (over.length > 0) context.store.saveSoon();
  return over.length;
}

/** Drops jobs whose items were not all stored when the program ended. To be called before any job is made. */
export async function dropUnfinished(context: Pick<Context, 'store'>): Promise<void> {
  const unfinished = arrivingJobs(context.store);
  for (const seq of unfinished) await dropStored(context, seq);
  if (unfinished.length > 0) context.store.saveSoon();
}

/** Drops a job with its items. */
export async function dropStored({ store }: Pick<Context, 'store'>, seq: number): Promise<void> {
  const turn = createTurns();
  while (dropItems(store, seq, ROWS)) await turn();
  dropJob(store, seq);
}
