/**
 * One turn of searching for the items of a list: a few at a time, for a few seconds, so that other jobs get a turn. Results are
 * saved within a second; results that a crash loses are searched for again.
 *
 * A failed search is the item's fault only if another search works in the same turn. Otherwise the whole job waits, and no item
 * has spent an attempt.
 */
import { createTurns } from '../../base/turns.ts';
import { asRelayError, isErrorCode, type RelayError } from '../../domain/errors.ts';
import { type FailureClass, failureClassOf } from '../../domain/failureClass.ts';
import { isBySpelling } from '../../domain/job.ts';
import { growingDelay, maxDelay } from '../../domain/pause.ts';
import type { TrackQuery } from '../../music/trackQuery.ts';
import type { Call } from '../../provider/api.ts';
import { searchTracks } from '../../provider/resources/catalog.ts';
import {
  boundTries,
  countItems,
  failItem,
  nextTry,
  type PendingItem,
  pendingItems,
  postponeItem,
  resolveItems,
} from '../../store/tables/items.ts';
import { setWork, type Work } from '../../store/tables/works.ts';
import { waitAfter } from '../follow.ts';
import { errorFacts, move, reread, type WorkContext } from '../moves.ts';
import type { Resolver } from './resolver.ts';

export type SearchContext = WorkContext & { resolver: Pick<Resolver, 'resolve'> };

/**
 * Maximum number of searches at a time. More would only reach the rate limit sooner. A waiting caller gets as many as relay
 * reads pages of a list at a time; a job whose last turn found Spotify or the network down begins with one.
 */
const PARALLEL = { job: 4, caller: 8, probe: 1 };
const MAX_ITEMS = 200;
const TURN_MS = 3_000;

interface Turn {
  context: SearchContext;
  work: Work;
  signal: AbortSignal;
  /** True once a search was answered. An alias says nothing about searching. */
  works: boolean;
  failures: Failure[];
}

interface Failure {
  item: PendingItem;
  error: RelayError;
}

/** Carries out one turn, and moves the work to what follows. @throws RelayError `STORE_ERROR` */
export async function searchStep(context: SearchContext, work: Work, signal: AbortSignal): Promise<void> {
  const { store, clock } = context;
  const startedAt = work.startedAt ?? clock.now();
  const begun = { startedAt, runAfter: null, reason: null };
  if (work.status !== 'resolving' && !(await move(context, work, 'resolving', begun))) return;
  boundTries(store, work.seq, clock.now(), maxDelay);
  const items = pendingItems(store, work.seq, clock.now(), MAX_ITEMS);
  const turn: Turn = { context, work: reread(store, work), signal, works: false, failures: [] };
  const before = work.status === 'waiting' ? waitedFor(work) : null;
  const parallel = before === 'connectivity' ? PARALLEL.probe : PARALLEL.job;
  const end = clock.now() + TURN_MS;
  await searchAll(turn, items, parallel, () => clock.now() < end);
  signal.throwIfAborted();
  if (items.length > 0) setWork(store, work.seq, {}, clock.now());
  const cause = await causeOf(turn);
  signal.throwIfAborted();
  for (const failure of turn.failures) (cause ? postpone : blame)(turn, failure);
  if (turn.failures.length > 0) store.saveSoon();
  if (cause === null) return endIfDone(turn);
  const failures = before === failureClassOf(cause) ? work.failures + 1 : 1;
  await move(context, turn.work, 'waiting', waitAfter(context, { cause, failures }));
}

/** The class of the failure that made the work wait, if no item was the cause. */
function waitedFor({ failures, reason }: Work): FailureClass | null {
  return failures > 0 && isErrorCode(reason) ? failureClassOf({ code: reason }) : null;
}

/**
 * Searches for all items of a list while a caller waits for them.
 * @throws RelayError the first failure, whatever its cause
 */
export async function searchForCaller(context: SearchContext, work: Work, call: Call): Promise<void> {
  const items = pendingItems(context.store, work.seq, context.clock.now(), work.totalItems);
  const turn: Turn = { context, work, signal: call.signal, works: false, failures: [] };
  await searchAll(turn, items, PARALLEL.caller, () => turn.failures.length === 0, call);
  call.signal.throwIfAborted();
  const [failure] = turn.failures;
  if (failure) throw failure.error;
}

async function endIfDone({ context, work }: Turn): Promise<void> {
  const now = context.clock.now();
  const next = nextTry(context.store, work.seq);
  if (next && next.at <= now) return;
  if (next) {
    await move(context, work, 'waiting', { runAfter: next.at, reason: next.code, failures: 0 });
    return;
  }
  const { resolved, ambiguous, unmatched, failed } = countItems(context.store, work.seq);
  if (!work.payload.dry_run) {
    await move(context, work, 'ready', { failures: 0 });
    return;
  }
  const result = { dry_run: true, resolved, ambiguous, unmatched, failed };
  await move(context, work, 'completed', { result, completedAt: now });
}

/** Searches until no item is left, each search has failed once, or `goesOn` says no. Failures are left in the turn. */
async function searchAll(
  turn: Turn,
  items: readonly PendingItem[],
  parallel: number,
  goesOn: () => boolean,
  caller?: Call,
): Promise<void> {
  const queue = oneOfEachKey(items);
  const total = queue.length;
  let found = 0;
  // Songs with an alias need no request: without pauses for other work, hundreds would be looked up at once.
  const others = createTurns();
  const searcher = async () => {
    while (!turn.signal.aborted && goesOn()) {
      const item = queue.shift();
      if (!item || !(await search(turn, item, total))) return;
      found += 1;
      if (total > 1) caller?.progress(found, total);
      await others();
    }
  };
  await Promise.all(Array.from({ length: parallel }, searcher));
}

/** The first item of each key, in order: items with one key need the same search. */
function oneOfEachKey(items: readonly PendingItem[]): PendingItem[] {
  return [...new Map(items.toReversed().map((item) => [item.key, item])).values()].reverse();
}

/** Searches for one item and records the result; false if that failed. @param listed number of songs of the list to find */
async function search(turn: Turn, item: PendingItem, listed: number): Promise<boolean> {
  const { context, work, signal } = turn;
  const { resolver, store, log } = context;
  try {
    const call = { signal, progress() {} };
    const query = item.input as TrackQuery;
    const { status, match, candidates, source, confirmed } = await resolver.resolve(query, call, listed);
    // Of a match only the reason counts, and only if it forgives a typo.
    const told = match ? candidates.slice(0, 1).filter(isBySpelling) : candidates;
    const track = match?.track ?? null;
    const found = { status, track, candidates: told, ...(confirmed ? { confirmed } : {}) };
    resolveItems(store, work.seq, item.key, found);
    store.saveSoon();
    if (source === 'search') turn.works = true;
    return true;
  } catch (thrown) {
    if (signal.aborted) return false;
    const error = asRelayError(thrown);
    if (error.code === 'INTERNAL') log.error({ work: work.id, err: thrown }, 'a search failed');
    turn.failures.push({ item, error });
    return false;
  }
}

const NOT_AN_ITEMS: ReadonlySet<FailureClass> = new Set(['limit', 'login', 'account']);
/** A query that has nothing to do with the songs of a list: if it fails, search is down. */
const PLAIN_WORDS = 'love';

/** Why the whole work has to wait; null if the items have caused the failures. @throws RelayError `STORE_ERROR` */
async function causeOf({ context, signal, failures, works }: Turn): Promise<RelayError | null> {
  const errors = failures.map(({ error }) => error);
  const store = errors.find((error) => failureClassOf(error) === 'store');
  if (store) throw store;
  const outer = errors.find((error) => NOT_AN_ITEMS.has(failureClassOf(error)));
  if (outer || works || errors.length === 0) return outer ?? null;
  try {
    await searchTracks(context.provider, PLAIN_WORDS, 1, { signal, progress() {} });
    return null;
  } catch (thrown) {
    return asRelayError(thrown);
  }
}

/** The item spends no attempt, and comes after items that were never tried. */
function postpone({ context: { store, clock }, work }: Turn, { item, error }: Failure): void {
  postponeItem(store, work.seq, item.key, errorFacts(error), clock.now());
}

/** The item spends an attempt. */
function blame({ context: { store, clock, random }, work }: Turn, { item, error }: Failure): void {
  const attempts = item.attempts + 1;
  const delay = growingDelay(attempts, random.fraction());
  const runAfter = attempts >= work.maxAttempts ? null : clock.now() + delay;
  failItem(store, work.seq, item, { error: errorFacts(error), runAfter });
}
