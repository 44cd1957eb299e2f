/** Storing works with their items, listing them as jobs, and dropping them. */
import { createTurns } from '../base/turns.ts';
import { kindFacts, kindOfJob } from '../domain/change.ts';
import { asRelayError } from '../domain/errors.ts';
import type { BulkJobType, JobPayload } from '../domain/job.ts';
import { getAccount } from '../store/tables/account.ts';
import { dropItems, insertItems, markNextWritten, type NewItem } from '../store/tables/items.ts';
import {
  dropWork,
  getBody,
  hasBody,
  insertWork,
  jobsEndedBefore,
  listJobs,
  setWork,
  type Work,
  type WorkFacts,
} from '../store/tables/works.ts';
import { reread, type WorkContext } from './moves.ts';
import { entriesOf } from './write/states.ts';

type Context = Pick<WorkContext, 'store' | 'clock' | 'random'>;

/** A list of songs to look up, and what to do with them. */
export interface ListRequest {
  type: BulkJobType;
  payload: JobPayload;
  items: readonly NewItem[];
  maxAttempts: number;
  askedBy: string;
  /** Equal for the lists of one import, which one undo takes back. */
  batch?: string | undefined;
}

/** Number of rows to store in one transaction, which takes about a millisecond. */
const ROWS = 50;

/**
 * Stores a work and lists it as a job; resolves once that is on disk. A crash before that leaves no job.
 * @throws RelayError `STORE_ERROR`, and then there is no job
 */
export async function storeJob(context: Context, request: ListRequest): Promise<Work> {
  const work = await storeItems(context, request);
  try {
    return await listed(context, work, {});
  } catch (error) {
    await dropJob(context, work);
    throw error;
  }
}

/** Stores a work with its items, in batches, since ten thousand take a while. It is not listed yet. */
export async function storeItems(context: Context, request: ListRequest): Promise<Work> {
  const { store, clock, random } = context;
  const { items, type, payload, maxAttempts, askedBy, batch = null } = request;
  const target = {
    account: getAccount(store)?.providerUserId ?? null,
    playlistId: payload.playlist_id ?? null,
  };
  const asked = { kind: kindOfJob(type), payload, maxAttempts, askedBy, batch, totalItems: items.length };
  const begun = { status: 'pending', phase: 'resolve' } as const;
  const work = insertWork(store, { id: random.uuid(), ...target, ...asked, ...begun }, null, clock.now());
  const turn = createTurns();
  try {
    for (let from = 0; from < items.length; from += ROWS) {
      insertItems(store, work.seq, from, items.slice(from, from + ROWS));
      await turn();
    }
  } catch (error) {
    await dropJob(context, work);
    throw error;
  }
  return reread(store, work);
}

/**
 * Lists a work whose items are all stored as a job, and resolves once that is on disk.
 * @throws RelayError `STORE_ERROR`, and then it is not listed
 */
export async function listed({ store, clock }: Context, work: Work, facts: WorkFacts): Promise<Work> {
  return store.durable(
    () => setWork(store, work.seq, { ...facts, listed: true }, clock.now()),
    () => setWork(store, work.seq, { listed: false }, clock.now()),
  );
}

/**
 * Lists as a job a write that continues without its caller, and calls `also`, in one transaction. If the state cannot be saved,
 * the job is listed all the same and saved later, since a write that has begun must continue.
 */
export async function listWrite({ store, clock }: Context, work: Work, also: () => void): Promise<void> {
  const now = clock.now();
  store.transaction(() => {
    const { seq, totalItems, startedAt } = reread(store, work);
    const items = totalItems === 0 ? itemsOf(store, work) : [];
    const facts = { listed: true, startedAt: startedAt ?? now, totalItems: totalItems + items.length };
    setWork(store, seq, facts, now);
    insertItems(store, seq, 0, items);
    // The write may have written some of these items already.
    if (items.length > 0) markNextWritten(store, seq, work.written);
    also();
  });
  await store.saveNow().catch((error: unknown) => {
    if (asRelayError(error).code !== 'STORE_ERROR') throw error;
  });
}

/** What a write writes, as its items. */
function itemsOf(store: Context['store'], { seq, kind }: Work): NewItem[] {
  if (!kindFacts(kind).isListed) return [];
  const { former, ops } = getBody(store, seq);
  const uris = ops.flatMap((op) => entriesOf(op, former.rows ?? []) ?? []);
  return uris.map((uri) => ({ input: uri, key: null, uri, status: 'matched' }));
}

export async function dropEndedJobs({ store }: Pick<Context, 'store'>, before: number): Promise<void> {
  for (const work of jobsEndedBefore(store, before)) await dropJob({ store }, work);
}

/** Drops the jobs that are over; returns how many. What they wrote can still be undone. */
export async function clearJobs({ store }: Pick<Context, 'store'>): Promise<number> {
  // For SQLite, a negative limit means no limit. A cancelled job may still have to find out how its last request ended.
  const over = listJobs(store, 0, -1, 'over').filter(
    (work) => work.outcome !== null || !hasBody(store, work.seq),
  );
  for (const work of over) await dropJob({ store }, work);
  if (over.length > 0) store.saveSoon();
  return over.length;
}

/** Drops a job with its items. What it wrote can still be undone. */
export async function dropJob({ store }: Pick<Context, 'store'>, { seq, outcome }: Work): Promise<void> {
  const turn = createTurns();
  while (dropItems(store, seq, ROWS)) await turn();
  if (!hasBody(store, seq) || outcome === 'unchanged') dropWork(store, seq);
  else store.run('update works set listed = 0, total_items = 0 where seq = ?', [seq]);
}
