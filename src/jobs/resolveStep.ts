/**
 * One turn of searching for a job's items: in order, a few at a time, for a few seconds, so that other jobs get a turn.
 * Results are saved within a second; what a crash loses is searched for again.
 */
import { asRelayError, type RelayError } from '../domain/errors.ts';
import { failureClassOf } from '../domain/failureClass.ts';
import { growingDelay, pauseAfter } from '../domain/pause.ts';
import type { TrackQuery } from '../music/trackQuery.ts';
import { failItem, nextTry, type PendingItem, pendingItems, resolveItems } from '../store/tables/jobItems.ts';
import type { Job } from '../store/tables/jobs.ts';
import { errorFacts, type JobContext, move, reread } from './context.ts';

/** More would only hit the rate limit sooner. */
const PARALLEL_SEARCHES = 4;
const MAX_ITEMS = 200;
const TURN_MS = 3_000;
/** After this many failures in a row the provider is at fault, not the items: the others are not tried. */
const MAX_FAILURES = 4;

interface Turn {
  pause: Pause | null;
  /** The state could not be saved. */
  unsaved: RelayError | null;
  /** Since the last success. */
  failures: number;
}

interface Pause {
  /** Unix milliseconds; null: until the owner logs in. */
  until: number | null;
  reason: string;
}

export async function resolveStep(context: JobContext, job: Job, signal: AbortSignal): Promise<void> {
  if (!(await begin(context, job))) return;
  const resolving = reread(context.store, job);
  const items = pendingItems(context.store, job.seq, context.clock.now(), MAX_ITEMS);
  const wasDown = job.status === 'waiting' && job.attempts > 0;
  const pause = items.length === 0 ? null : await searchAll(context, resolving, items, wasDown, signal);
  signal.throwIfAborted();
  if (pause) await park(context, resolving, pause);
  else await endIfDone(context, resolving);
}

function begin(context: JobContext, job: Job): Promise<boolean> | true {
  if (job.status === 'resolving') return true;
  const startedAt = job.startedAt ?? context.clock.now();
  return move(context, job, 'resolving', { startedAt, runAfter: null, reason: null });
}

async function park(context: JobContext, job: Job, { until, reason }: Pause): Promise<void> {
  await move(context, job, 'waiting', { runAfter: until, reason });
}

/** Moves a job that has no due items to its next state. */
async function endIfDone(context: JobContext, job: Job): Promise<void> {
  const now = context.clock.now();
  const next = nextTry(context.store, job.seq);
  if (next && next.at <= now) return;
  if (next) return park(context, job, { until: next.at, reason: next.code });
  const { resolved, ambiguous, unmatched, failed } = reread(context.store, job);
  if (!job.payload.dry_run) {
    await move(context, job, 'ready');
    return;
  }
  const result = { dry_run: true, resolved, ambiguous, unmatched, failed };
  await move(context, job, 'completed', { result, completedAt: now });
}

/** @param wasDown the last turn ended with failures: a single search shows whether the provider is back */
async function searchAll(
  context: JobContext,
  job: Job,
  items: readonly PendingItem[],
  wasDown: boolean,
  signal: AbortSignal,
): Promise<Pause | null> {
  const queue = oneOfEachKey(items).values();
  const end = context.clock.now() + TURN_MS;
  const turn: Turn = { pause: null, unsaved: null, failures: wasDown ? MAX_FAILURES - 1 : 0 };
  const next = async () => {
    const { value: item } = queue.next();
    if (!item) return false;
    const error = await search(context, job, item, signal);
    if (signal.aborted) return false;
    turn.failures = error ? turn.failures + 1 : 0;
    if (error) recordFailure(context, job, item, error, turn);
    return !turn.pause && !turn.unsaved && context.clock.now() < end;
  };
  const lane = async () => {
    while (await next());
  };
  if (!wasDown || (await next())) await Promise.all(Array.from({ length: PARALLEL_SEARCHES }, lane));
  if (turn.unsaved) throw turn.unsaved;
  return turn.pause;
}

function oneOfEachKey(items: readonly PendingItem[]): PendingItem[] {
  return [...new Map(items.toReversed().map((item) => [item.key, item])).values()].reverse();
}

/** Searches for one item and records the result; returns the error if the search failed. */
async function search(
  { resolver, store, clock }: JobContext,
  job: Job,
  item: PendingItem,
  signal: AbortSignal,
): Promise<RelayError | null> {
  try {
    const { status, match, candidates } = await resolver.resolve(item.input as TrackQuery, {
      signal,
      progress() {},
    });
    resolveItems(store, job.seq, item.key, { status, track: match?.track ?? null, candidates }, clock.now());
    store.saveSoon();
    return null;
  } catch (error) {
    return asRelayError(error);
  }
}

/** Records the failure of an item, and whether the whole job has to pause. */
function recordFailure(
  context: JobContext,
  job: Job,
  item: PendingItem,
  error: RelayError,
  turn: Turn,
): void {
  const failureClass = failureClassOf(error);
  const now = context.clock.now();
  if (failureClass === 'store') {
    turn.unsaved = error;
  } else if (failureClass === 'limit' || failureClass === 'login' || failureClass === 'account') {
    turn.pause ??= pauseAfter(error, { failures: 1, now, fraction: context.random.fraction() });
  } else {
    const delay = useAttempt(context, job, item, error);
    if (turn.failures >= MAX_FAILURES) turn.pause ??= { until: now + delay, reason: error.code };
  }
}

/** Returns how many milliseconds to wait before the next attempt. */
function useAttempt(context: JobContext, job: Job, item: PendingItem, error: RelayError): number {
  const { store, clock, random, log } = context;
  if (error.code === 'INTERNAL') log.error({ job: job.id, err: error }, 'a search for a job failed');
  const attempts = item.attempts + 1;
  const delay = growingDelay(attempts, random.fraction());
  const runAfter = attempts >= job.maxAttempts ? null : clock.now() + delay;
  failItem(store, job.seq, item, { error: errorFacts(error), runAfter }, clock.now());
  store.saveSoon();
  return delay;
}
