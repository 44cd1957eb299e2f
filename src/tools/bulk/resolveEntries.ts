/** Resolving the entries of one call, for as long as a call may take; a job does the rest. */
import { withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { inParallel } from '../../base/lists.ts';
import { type ErrorCode, RelayError } from '../../domain/errors.ts';
import { failureClassOf } from '../../domain/failureClass.ts';
import { aliasKey, type TrackQuery } from '../../music/trackQuery.ts';
import type { Call } from '../../provider/api.ts';
import type { Resolution, Resolver } from '../../resolve/resolver.ts';
import type { Entry, ResolvedEntry } from './entries.ts';

/**
 * Searches at the same time, as many as pages of a list: a caller is waiting. Spotify counts over 30 seconds, and the songs of
 * a call fit into those with four at a time too; a job, for which nobody waits, takes four.
 */
const PARALLEL_SEARCHES = 8;

/** Why a call stops and a job continues. */
export interface Stop {
  /** `null`: time is up. */
  reason: ErrorCode | null;
  /** Unix milliseconds from which continuing makes sense; null: at once. */
  runAfter: number | null;
}

/** The stop that an error means; null for one that a job could not wait out either. */
export function stopOf(error: unknown, clock: Clock): Stop | null {
  if (!(error instanceof RelayError)) return null;
  if (error.code === 'DEADLINE_EXCEEDED') return { reason: null, runAfter: null };
  if (failureClassOf(error) !== 'limit') return null;
  return { reason: error.code, runAfter: clock.now() + (error.retryAfterSeconds ?? 60) * 1000 };
}

/**
 * Runs `work` with a signal that aborts with `DEADLINE_EXCEEDED` after `ms`, or as the caller's does.
 */
export async function withinTime<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new RelayError('DEADLINE_EXCEEDED', 'The time for one call is up.');
  return withDeadline({ clock, ms, signal, late }, work);
}

export interface Resolving {
  /** One for each entry, in order; null for those not processed. */
  entries: Array<ResolvedEntry | null>;
  /** Set when some were not processed. */
  stop: Stop | null;
}

/**
 * Resolves entries in order, those that normalise alike with one search.
 * @throws RelayError of a search that fails for another reason than a limit or the time
 */
export async function resolveEntries(
  { resolver, clock }: { resolver: Resolver; clock: Clock },
  entries: readonly Entry[],
  call: Call,
): Promise<Resolving> {
  const keys = entries.map((entry) => ('search' in entry ? aliasKey(entry.search) : null));
  const { answers, stop } = await searchAll(resolver, clock, distinct(entries, keys), call);
  return { entries: entries.map((entry, index) => resolved(entry, answers.get(keys[index] ?? ''))), stop };
}

function distinct(entries: readonly Entry[], keys: readonly (string | null)[]): Map<string, TrackQuery> {
  const queries = new Map<string, TrackQuery>();
  entries.forEach((entry, index) => {
    const key = keys[index] ?? '';
    if ('search' in entry && !queries.has(key)) queries.set(key, entry.search);
  });
  return queries;
}

async function searchAll(
  resolver: Resolver,
  clock: Clock,
  queries: ReadonlyMap<string, TrackQuery>,
  call: Call,
): Promise<{ answers: Map<string, Resolution>; stop: Stop | null }> {
  const answers = new Map<string, Resolution>();
  let stop: Stop | null = null;
  await inParallel([...queries], PARALLEL_SEARCHES, async ([key, query]) => {
    if (stop) return;
    try {
      call.signal.throwIfAborted();
      answers.set(key, await resolver.resolve(query, call));
    } catch (error) {
      stop ??= stopOf(error, clock);
      if (!stop) throw error;
      return;
    }
    if (queries.size > 1) call.progress(answers.size, queries.size);
  });
  return { answers, stop };
}

function resolved(entry: Entry, answer: Resolution | undefined): ResolvedEntry | null {
  const { input } = entry;
  if ('uri' in entry) return { input, status: 'matched', uri: entry.uri, track: null, candidates: [] };
  if (!answer) return null;
  const track = answer.match?.track ?? null;
  const { status, candidates, confirmed } = answer;
  return {
    input,
    status,
    uri: track?.uri ?? null,
    track,
    candidates,
    ...(confirmed ? { confirmed } : {}),
  };
}
