/** Intents: saved before each write to the provider, and settled by looking when nobody knows how a write ended. */
import { RelayError } from '../domain/errors.ts';
import type { Call } from '../provider/api.ts';
import { outcomeUnknown } from '../provider/writes/chunkedWrite.ts';
import { dropIntent, type JobIntent, putIntent } from '../store/tables/jobIntents.ts';
import { changeJob, type Job } from '../store/tables/jobs.ts';
import { type JobContext, reread } from './context.ts';

/**
 * How long a write whose answer was lost may still take to show. Spotify's lists follow a write by about 0.6 s; concluding
 * too early that it did not land would write it twice.
 */
export const SETTLE_MS = 1_500;
/** A list that fits neither before nor after may be an intermediate one: it is read this often before that counts. */
const LOOKS = 4;
export const LOOK_AGAIN_MS = 700;

/**
 * Saves what is about to be written, and lets it be written only while the job is still committing.
 * @throws RelayError `STORE_ERROR` or, when somebody cancelled the job meanwhile, `CANCELLED`; nothing may be sent then
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

/** True where the provider has certainly not acted. */
export function isSurelyWithoutEffect(error: unknown): boolean {
  return error instanceof RelayError && error.code !== 'INTERNAL' && !outcomeUnknown(error);
}

export type Look<T> =
  | { settled: T }
  /** It shows no effect, so far. */
  | { absent: T }
  /** It is neither as before nor as after. */
  | { conflict: () => RelayError };

/**
 * Looks until it is clear how an interrupted write ended: an effect counts at once, its absence only after a while, and a
 * conflict only when it stays.
 * @throws RelayError `CONFLICT`, or why looking failed
 */
export async function looksAgain<T>(
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
    if ('conflict' in seen && looks >= LOOKS) throw seen.conflict();
    await clock.sleep('absent' in seen ? settledAt - now : LOOK_AGAIN_MS, call.signal);
  }
}
