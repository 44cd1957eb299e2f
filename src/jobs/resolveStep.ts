/**
 * One turn of searching for a job's items: a few at a time, for a few seconds, so that other jobs get a turn. Results are
 * saved within a second; results that a crash loses are searched for again.
 *
 * A failed search is the item's fault only if another search works at that time. So failures are held until a search has
 * worked: that of another item, or the trial search below. If the trial search fails too, the job waits and no item has spent
 * an attempt.
 */
import { createTurns } from '../base/turns.ts';
import { errorFacts } from '../changes/record.ts';
import { asRelayError, isErrorCode, type RelayError } from '../domain/errors.ts';
import { type FailureClass, failureClassOf } from '../domain/failureClass.ts';
import { isBySpelling } from '../domain/job.ts';
import { growingDelay, maxDelay } from '../domain/pause.ts';
import type { TrackQuery } from '../music/trackQuery.ts';
import type { Call, ProviderApi } from '../provider/api.ts';
import { searchTracks } from '../provider/resources/catalog.ts';
import type { Resolution } from '../resolve/resolver.ts';
import {
  boundTries,
  failItem,
  nextTry,
  type PendingItem,
  pendingItems,
  postponeItem,
  resolveItems,
} from '../store/tables/jobItems.ts';
import { changeJob, type Job } from '../store/tables/jobs.ts';
import { type JobContext, move, reread } from './context.ts';
import { type JobWait, waitAfter } from './outcome.ts';

/**
 * Maximum number of searches at a time. More would only reach the rate limit sooner. A waiting caller gets as many as relay
 * reads pages of a list at a time.
 */
const PARALLEL_SEARCHES = { job: 4, caller: 8 };
const MAX_ITEMS = 200;
const TURN_MS = 3_000;

interface Turn {
  context: JobContext;
  job: Job;
  signal: AbortSignal;
  /** The successive failures just before this turn that no item caused: their number, and the class of their error. */
  before: { failures: number; failureClass: FailureClass | null };
  /** How long the job waits and why; null if it does not have to wait. */
  pause: JobWait | null;
  /** Why the turn ends: the state could not be saved, or something failed while a caller waits. */
  error: RelayError | null;
  /** The caller who waits for the whole search; null for a lane, which lets other jobs have their turn. */
  caller: Call | null;
  /** Failures that the items may or may not have caused. */
  held: Failure[];
  /** Number of different songs that this turn is to find. */
  listed: number;
}

interface Failure {
  item: PendingItem;
  error: RelayError;
}

export async function resolveStep(context: JobContext, job: Job, signal: AbortSignal): Promise<void> {
  if (!(await begin(context, job))) return;
  const now = context.clock.now();
  boundTries(context.store, job.seq, now, maxDelay);
  const items = pendingItems(context.store, job.seq, now, MAX_ITEMS);
  const turn = turnOf(context, job, signal);
  if (items.length > 0) await searchAll(turn, items);
  signal.throwIfAborted();
  if (turn.error) throw turn.error;
  if (turn.pause) await move(context, turn.job, 'waiting', turn.pause);
  else await endIfDone(turn);
}

/**
 * Searches for all items of a job while a caller waits for them.
 * @throws RelayError the first failure, whatever its cause
 */
export async function searchForCaller(context: JobContext, job: Job, call: Call): Promise<void> {
  const items = pendingItems(context.store, job.seq, context.clock.now(), job.totalItems);
  const turn = { ...turnOf(context, job, call.signal), caller: call };
  await searchAll(turn, items);
  call.signal.throwIfAborted();
  if (turn.error) throw turn.error;
}

function begin(context: JobContext, job: Job): Promise<boolean> | true {
  if (job.status === 'resolving') return true;
  const startedAt = job.startedAt ?? context.clock.now();
  return move(context, job, 'resolving', { startedAt, runAfter: null, reason: null });
}

function turnOf(context: JobContext, job: Job, signal: AbortSignal): Turn {
  const { status, stepAttempts: failures, reason } = job;
  const waited = status === 'waiting' && failures > 0 && isErrorCode(reason);
  const before = waited ? { failures, failureClass: failureClassOf({ code: reason }) } : NONE_BEFORE;
  const ends = { pause: null, error: null, caller: null, listed: 0 };
  return { context, job: reread(context.store, job), signal, before, held: [], ...ends };
}

/** Moves a job that has no due items to its next state. */
async function endIfDone(turn: Turn): Promise<void> {
  const { context, job } = turn;
  const now = context.clock.now();
  const next = nextTry(context.store, job.seq);
  if (next && next.at <= now) return;
  if (next) {
    await move(context, job, 'waiting', { runAfter: next.at, reason: next.code, stepAttempts: 0 });
    return;
  }
  const { resolved, ambiguous, unmatched, failed } = reread(context.store, job);
  if (!job.payload.dry_run) {
    await move(context, job, 'ready');
    return;
  }
  const result = { dry_run: true, resolved, ambiguous, unmatched, failed };
  await move(context, job, 'completed', { result, completedAt: now });
}

/** Searches until the time is up, no item is left, or the job has to wait. Errors that end the turn are in `turn.error`. */
async function searchAll(turn: Turn, items: readonly PendingItem[]): Promise<void> {
  const { caller, context } = turn;
  const { clock } = context;
  const queue = oneOfEachKey(items);
  const total = queue.length;
  turn.listed = total;
  let found = 0;
  const end = caller ? Number.POSITIVE_INFINITY : clock.now() + TURN_MS;
  const goesOn = () =>
    queue.length > 0 && !turn.pause && !turn.error && !turn.signal.aborted && clock.now() < end;
  // Songs with an alias need no request: without pauses for other work, hundreds would be looked up at once.
  const others = createTurns();
  /** Searches for one item after another until a search fails. So each searcher fails at most once before the trial search. */
  const searcher = async () => {
    while (goesOn()) {
      const item = queue.shift();
      if (!item || !(await searchOne(turn, item))) return;
      found += 1;
      if (total > 1) caller?.progress(found, total);
      await others();
    }
  };
  if (turn.before.failureClass === 'connectivity') await judge(turn);
  while (goesOn()) {
    await Promise.all(Array.from({ length: PARALLEL_SEARCHES[caller ? 'caller' : 'job'] }, searcher));
    if (turn.signal.aborted || turn.error) return;
    if (turn.pause) postponeHeld(turn);
    else if (turn.held.length > 0) await judge(turn);
  }
}

/** The first item of each key, in order: items with one key need the same search. */
function oneOfEachKey(items: readonly PendingItem[]): PendingItem[] {
  return [...new Map(items.toReversed().map((item) => [item.key, item])).values()].reverse();
}

/** Searches for one item and records what follows; true if the search worked. */
async function searchOne(turn: Turn, item: PendingItem): Promise<boolean> {
  const earlier = new Set(turn.held);
  const outcome = await search(turn, item);
  if (turn.signal.aborted) return false;
  // An alias says nothing about searching. A search says something only about failures from before it was sent.
  if (outcome === 'alias') return true;
  if (outcome === 'search') {
    blameHeld(turn, earlier);
    return true;
  }
  return failed(turn, item, outcome);
}

/** Records that a search failed. While a caller waits, the first failure ends the turn, whatever its cause. */
function failed(turn: Turn, item: PendingItem, error: RelayError): false {
  switch (turn.caller ? 'store' : failureClassOf(error)) {
    case 'store':
      turn.error ??= error;
      return false;
    case 'limit':
    case 'login':
    case 'account':
      waitFor(turn, error);
      return false;
    case 'connectivity':
    case 'request':
    case 'item':
      turn.held.push({ item, error });
      return false;
  }
}

/** Searches for one item and records the result; returns where the result came from, or the error. */
async function search(
  { context, job, signal, listed }: Turn,
  item: PendingItem,
): Promise<Resolution['source'] | RelayError> {
  const { resolver, store, clock, log } = context;
  try {
    const call = { signal, progress() {} };
    const { status, match, candidates, source, confirmed } = await resolver.resolve(
      item.input as TrackQuery,
      call,
      listed,
    );
    // Of a match only the reason counts, and only if it forgives a typo.
    const told = match ? candidates.slice(0, 1).filter(isBySpelling) : candidates;
    const found = {
      status,
      track: match?.track ?? null,
      candidates: told,
      ...(confirmed ? { confirmed } : {}),
    };
    resolveItems(store, job.seq, item.key, found, clock.now());
    store.saveSoon();
    return source;
  } catch (thrown) {
    const error = asRelayError(thrown);
    if (error.code === 'INTERNAL' && !signal.aborted)
      log.error({ job: job.id, err: thrown }, 'a search for a job failed');
    return error;
  }
}

/** Finds out with a single search whether the items caused the held failures. */
async function judge(turn: Turn): Promise<void> {
  const error = await trySearch(turn.context.provider, turn.signal);
  if (turn.signal.aborted) return;
  if (!error) return blameHeld(turn, new Set(turn.held));
  waitFor(turn, error);
  postponeHeld(turn);
}

/** No item caused the held failures, so none spends an attempt. */
function postponeHeld({ context, job, held }: Turn): void {
  const { store, clock } = context;
  for (const { item, error } of held.splice(0))
    postponeItem(store, job.seq, item.key, errorFacts(error), clock.now());
  store.saveSoon();
}

/** Blames the items for the held failures in `earlier`, which are from before a search that worked. */
function blameHeld(turn: Turn, earlier: ReadonlySet<Failure>): void {
  const { context, job, before, held } = turn;
  if (before.failures > 0) changeJob(context.store, job.seq, { stepAttempts: 0 }, context.clock.now());
  turn.before = NONE_BEFORE;
  turn.held = held.filter((failure) => !earlier.has(failure));
  for (const failure of held) if (earlier.has(failure)) blame(turn, failure);
}

const NONE_BEFORE = { failures: 0, failureClass: null };

function waitFor(turn: Turn, error: RelayError): void {
  const { context, before } = turn;
  const failures = before.failureClass === failureClassOf(error) ? before.failures + 1 : 1;
  const wait = waitAfter(context, { cause: error, failures });
  turn.pause ??= wait;
}

/** Spends an attempt of the item. */
function blame({ context, job }: Turn, { item, error }: Failure): void {
  const { store, clock, random } = context;
  const attempts = item.attempts + 1;
  const delay = growingDelay(attempts, random.fraction());
  const runAfter = attempts >= job.maxAttempts ? null : clock.now() + delay;
  failItem(store, job.seq, item, { error: errorFacts(error), runAfter }, clock.now());
  store.saveSoon();
}

/** A query that has nothing to do with the songs of a job: if it fails, search is down. */
const PLAIN_WORDS = 'love';

/** The error of the search, or null if it was answered. */
async function trySearch(provider: ProviderApi, signal: AbortSignal): Promise<RelayError | null> {
  try {
    await searchTracks(provider, PLAIN_WORDS, 1, { signal, progress() {} });
    return null;
  } catch (error) {
    return asRelayError(error);
  }
}
