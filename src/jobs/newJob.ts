/** Storing jobs with their items, and dropping them. */
import { createTurns } from '../base/turns.ts';
import { entriesOf } from '../changes/rowOps.ts';
import { kindFacts } from '../domain/change.ts';
import { asRelayError } from '../domain/errors.ts';
import type { BulkJobType, JobPayload } from '../domain/job.ts';
import { getAccount } from '../store/tables/account.ts';
import { type Change, changeOfJob, getChangeBody } from '../store/tables/changes.ts';
import { dropItems, insertItems, markNextWritten, type NewJobItem } from '../store/tables/jobItems.ts';
import {
  dropJob,
  getJobBySeq,
  hideJob,
  insertJob,
  type Job,
  type JobBegin,
  jobsEndedBefore,
  jobsToClear,
  listJob,
} from '../store/tables/jobs.ts';
import type { JobContext } from './context.ts';

type Context = Pick<JobContext, 'store' | 'clock' | 'random'>;

/** A list of songs to look up, and what the job does with them. */
export interface JobRequest {
  type: BulkJobType;
  payload: JobPayload;
  items: readonly NewJobItem[];
  maxAttempts: number;
}

/** Number of rows to store in one transaction, which takes about a millisecond. */
const ROWS = 50;

/**
 * Stores a job, and resolves once it is on disk. A crash before that leaves no job.
 * @throws RelayError `STORE_ERROR`, and then there is no job
 */
export async function storeJob(context: Context, request: JobRequest): Promise<Job> {
  const { seq } = await storeItems(context, request);
  try {
    const targetId = request.payload.playlist_id ?? null;
    return await beginStored(context, seq, { status: 'pending', targetId });
  } catch (error) {
    await dropStored(context, seq);
    throw error;
  }
}

/** Stores a job with its items, in batches, since ten thousand take a while. The job is not listed yet. */
export async function storeItems(context: Context, request: JobRequest): Promise<Job> {
  const { store, clock, random } = context;
  const { items, type, payload, maxAttempts } = request;
  const at = clock.now();
  const account = getAccount(store)?.providerUserId ?? null;
  const row = { id: random.uuid(), type, account, payload, maxAttempts };
  const begin = { status: 'pending', phase: 'resolve', skipsMarked: false } as const;
  const seq = insertJob(store, { ...row, ...begin }, items.length, at);
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
 * Lists a job whose items are all stored, and resolves once that is on disk.
 * @throws RelayError `STORE_ERROR`, and then it is not listed
 */
export async function beginStored(context: Context, seq: number, begin: JobBegin): Promise<Job> {
  const { store, clock } = context;
  await store.durable(
    () => listJob(store, seq, begin, clock.now()),
    () => hideJob(store, seq),
  );
  return stored(context, seq);
}

/**
 * Lists the job of a change and calls `also`, in one transaction. If the state cannot be saved, the job is listed all the same
 * and saved later, since a change that has begun must continue.
 */
export async function listChange(context: Context, change: Change, also: (job: Job) => void): Promise<Job> {
  const { store, clock } = context;
  const now = clock.now();
  const seq = change.job ?? 0;
  store.transaction(() => {
    const { totalItems, written } = stored(context, seq);
    const items = totalItems === 0 ? itemsOf(context, change) : [];
    const begin = { status: 'committing', phase: 'commit', skipsMarked: true } as const;
    listJob(
      store,
      seq,
      { ...begin, targetId: change.playlistId, totalItems: totalItems + items.length },
      now,
    );
    insertItems(store, seq, 0, items, now);
    // The change may have written some of these items already.
    markNextWritten(store, seq, change.written - written, now);
    also(stored(context, seq));
  });
  await store.saveNow().catch((error: unknown) => {
    if (asRelayError(error).code !== 'STORE_ERROR') throw error;
  });
  return stored(context, seq);
}

/** What a change writes, as the items of its job. */
function itemsOf({ store }: Context, { seq, kind }: Change): NewJobItem[] {
  if (!kindFacts(kind).isListed) return [];
  const { former, ops } = getChangeBody(store, seq);
  const uris = ops.flatMap((op) => entriesOf(op, former.rows ?? []) ?? []);
  return uris.map((uri) => ({ input: uri, key: null, uri, status: 'matched' }));
}

function stored({ store }: Context, seq: number): Job {
  const job = getJobBySeq(store, seq);
  if (!job) throw new Error('The job that was just stored is gone.');
  return job;
}

/** Drops jobs that ended before `before` (Unix milliseconds). */
export async function dropEndedJobs(context: Pick<Context, 'store'>, before: number): Promise<void> {
  await dropAll(context, jobsEndedBefore(context.store, before));
}

/** Drops every job that is over; returns how many. What these jobs wrote can still be undone. */
export async function clearJobs(context: Pick<Context, 'store'>): Promise<number> {
  return dropAll(context, jobsToClear(context.store));
}

/**
 * Handles jobs that the last process left unlisted: `list` lists those whose change has not ended; the others are dropped.
 */
export async function takeUpUnlisted(
  context: Pick<Context, 'store'>,
  left: readonly Job[],
  list: (change: Change) => Promise<void>,
): Promise<void> {
  const unlisted = left.map(({ seq }) => ({ seq, change: changeOfJob(context.store, seq) }));
  await Promise.all(unlisted.flatMap(({ change }) => (change?.outcome === null ? [list(change)] : [])));
  const over = unlisted.flatMap(({ seq, change }) => (change?.outcome === null ? [] : [seq]));
  await dropAll(context, over);
}

async function dropAll(context: Pick<Context, 'store'>, jobs: readonly number[]): Promise<number> {
  for (const seq of jobs) await dropStored(context, seq);
  if (jobs.length > 0) context.store.saveSoon();
  return jobs.length;
}

/** Drops a job with its items. */
export async function dropStored({ store }: Pick<Context, 'store'>, seq: number): Promise<void> {
  const turn = createTurns();
  while (dropItems(store, seq, ROWS)) await turn();
  dropJob(store, seq);
}
