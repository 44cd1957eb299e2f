/** Intents: saved before each write to the provider, and settled by a look when the outcome of a write is unknown. */
import { RelayError } from '../domain/errors.ts';
import type { Call } from '../provider/api.ts';
import { outcomeUnknown } from '../provider/writes/chunkedWrite.ts';
import { dropIntent, type JobIntent, putIntent } from '../store/tables/jobIntents.ts';
import { changeJob, type Job } from '../store/tables/jobs.ts';
import { type JobContext, reread } from './context.ts';

/**
 * How long a write whose answer was lost may still take to show. Spotify's lists lag behind writes by about 0.6 s;
 * concluding too early that it did not land would write it twice.
 * @internal
 */
export const SETTLE_MS = 1_500;
/** A list that matches neither the state before nor after may be transient: it is read this often before it counts. */
const MAX_LOOKS = 4;
/** @internal */
export const LOOK_AGAIN_MS = 700;

/**
 * Saves an intent, and checks afterwards that the job is still committing.
 * @throws RelayError `STORE_ERROR` or, if the job was cancelled meanwhile, `CANCELLED`; nothing may be sent then
 */
export async function guardedIntent(context: JobContext, job: Job, intent: JobIntent): Promise<void> {
  const { store, clock } = context;
  await store.durable(
    () => putIntent(store, job.seq, intent, clock.now()),
    () => dropIntent(store, job.seq),
  );
  if (reread(store, job).status === 'committing') return;
  dropIntent(store, job.seq);
  store.saveSoon();
  throw new RelayError('CANCELLED', 'The job was cancelled.');
}

/** True if the provider has certainly not acted. */
export function hadNoEffect(error: unknown): boolean {
  return error instanceof RelayError && error.code !== 'INTERNAL' && !outcomeUnknown(error);
}

export type Look<T> =
  | { settled: T }
  /** It shows no effect yet. */
  | { absent: T }
  /** It matches neither the state before nor the state after. */
  | { conflict: () => RelayError };

/**
 * Looks until the outcome of an interrupted write is clear: an effect counts at once, no effect only after a while, and a
 * conflict only if it persists.
 * @throws RelayError `CONFLICT`, or why a look failed
 */
export async function lookUntilClear<T>(
  { store, clock }: JobContext,
  job: Job,
  call: Call,
  look: () => Promise<Look<T>>,
): Promise<T> {
  if (!job.uncertain) changeJob(store, job.seq, { uncertain: true }, clock.now());
  const settledAt = clock.now() + SETTLE_MS;
  for (let looks = 1; ; looks++) {
    const seen = await look();
    if ('settled' in seen) return seen.settled;
    const now = clock.now();
    if ('absent' in seen && now >= settledAt) return seen.absent;
    if ('conflict' in seen && looks >= MAX_LOOKS) throw seen.conflict();
    await clock.sleep('absent' in seen ? settledAt - now : LOOK_AGAIN_MS, call.signal);
  }
}
