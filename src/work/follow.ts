/** What the end of a run means for its work: whether it waits, is over, or has failed. */
import { kindFacts } from '../domain/change.ts';
import { isErrorCode, otherAccount, RelayError } from '../domain/errors.ts';
import { isRefusal } from '../domain/failureClass.ts';
import { isWorking, type JobStatus } from '../domain/job.ts';
import { pauseAfter } from '../domain/pause.ts';
import { countItems } from '../store/tables/items.ts';
import { getBody, hasBody, setWork, type Work, type WorkFacts } from '../store/tables/works.ts';
import { errorFacts, moveNow, reread, type WorkContext } from './moves.ts';
import { type DriveEnd, type Failures, failuresBefore, missingRows } from './write/progress.ts';

type Context = Pick<WorkContext, 'store' | 'clock' | 'random' | 'log'>;

/** The state after each end of a run; null if the next start continues. */
function stateAfter({ outcome }: Work, end: DriveEnd): JobStatus | null {
  if (end.kind === 'stopped') return null;
  if (end.kind === 'paused') return 'waiting';
  if (end.kind !== 'ended') return 'failed';
  // Without an outcome there was nothing to do. Without a cause, Spotify has refused every item: the items say so.
  const isOver = outcome === 'unchanged' && end.cause === null;
  return outcome === null || outcome === 'done' || isOver ? 'completed' : 'failed';
}

/**
 * Records what the end of a run means for its work, and resolves once that is on disk.
 * @throws RelayError `STORE_ERROR`
 */
export async function follow(context: Context, work: Work, end: DriveEnd): Promise<void> {
  if (end.kind !== 'stopped') await context.store.durable(() => followNow(context, work, end));
}

/** Like `follow`, without saving to disk; call it in a transaction. */
export function followNow(context: Context, { seq }: Work, end: DriveEnd): void {
  const work = reread(context.store, { seq });
  if (work.status === 'cancelled') {
    closeCancelled(context, work);
    return;
  }
  const to = stateAfter(work, end);
  // A person may have ended the job meanwhile, for example by keeping the playlist as it is.
  if (to !== null && isWorking(work.status)) moveNow(context, work, to, factsAfter(context, work, to, end));
}

function factsAfter(context: Context, work: Work, to: JobStatus, end: DriveEnd): WorkFacts {
  const completedAt = context.clock.now();
  if (end.kind === 'paused') {
    const { cause, failures } = end;
    return {
      ...waitAfter(context, end),
      // The code of the wait is that of a login that has ended, which another login would fix.
      error: cause.details?.reason === 'other_account' ? errorFacts(ELSEWHERE) : null,
      ...(isRefusal(cause) ? { attempts: Math.max(work.attempts, failures) } : {}),
    };
  }
  if (to === 'completed')
    return { result: resultOf(context, work), completedAt, error: null, reviewRequired: false };
  const reviewRequired = end.kind === 'review';
  const given = 'cause' in end ? end.cause : null;
  const cause = given ?? new RelayError('PARTIAL_WRITE', 'The write stopped part-way.');
  const attempts = hasBody(context.store, work.seq) ? work.maxAttempts : work.failures + 1;
  const isSpent = given !== null && isRefusal(given) && !reviewRequired;
  return {
    error: errorFacts(cause),
    reviewRequired,
    result: { ...(reviewRequired ? cause.details : {}), ...reached(context, work) },
    ...(isSpent ? { attempts: Math.max(work.attempts, attempts) } : {}),
    completedAt,
  };
}

const ELSEWHERE = otherAccount('This job', { next: '. The job then continues by itself.' });

/** How long a work waits after a failure, and why. @param end.failures number of failures of this class in a row */
export function waitAfter(
  { clock, random }: Pick<Context, 'clock' | 'random'>,
  { cause, failures }: { cause: RelayError; failures: number },
) {
  const facts = { failures, now: clock.now(), fraction: random.fraction() };
  const { until, reason } = pauseAfter(cause, facts);
  return { runAfter: until, reason, failures };
}

/** The last failure that made a work wait, and how often it occurred in a row. */
export function failuresOf({ reason, failures }: Work): Failures {
  return { count: failures, code: isErrorCode(reason) ? reason : null };
}

/**
 * Codes of refusals that are not final. The cause may be a bug of relay, a lagging list, or somebody who is editing the
 * playlist.
 */
const PASSING: ReadonlySet<string> = new Set(['NOT_FOUND', 'INTERNAL', 'CONFLICT']);

/** The end of a run that failed before its write began, or while searching. */
export function endOfFailure(work: Work, cause: RelayError): DriveEnd {
  const failures = failuresBefore(failuresOf(work), cause) + 1;
  const mayPass = !isRefusal(cause) || (PASSING.has(cause.code) && failures < work.maxAttempts);
  return mayPass ? { kind: 'paused', cause, failures } : { kind: 'failed', cause };
}

function resultOf({ store }: Pick<Context, 'store'>, work: Work): Record<string, unknown> {
  const { written, skipped, failed } = countItems(store, work.seq);
  const isLibrary = kindFacts(work.kind).isOfLibrary === true;
  return {
    ...(isLibrary ? {} : { playlist_id: work.playlistId, snapshot_id: work.snapshotId }),
    written,
    skipped_existing: skipped,
    failed,
    ...(work.outcome === 'done' ? { change_id: work.id } : {}),
  };
}

/** Maximum number of former rows, or of missing rows, in the result of a failed job. */
const MAX_LISTED = 1_000;

/** How far an unsuccessful job got. A write that had no effect leaves nothing to undo. */
export function reached({ store }: Pick<Context, 'store'>, work: Work): Record<string, unknown> {
  const { id, kind, outcome, playlistId, goingBack } = work;
  const body = hasBody(store, work.seq) ? getBody(store, work.seq) : null;
  const former = kind === 'replace' && work.written > 0 ? body?.former.rows : undefined;
  return {
    ...(playlistId === null ? {} : { playlist_id: playlistId }),
    written: countItems(store, work.seq).written,
    ...(body === null || outcome === 'unchanged' ? {} : { change_id: id }),
    ...(outcome === 'rolled_back' ? { rolled_back: true } : {}),
    ...(former ? { former_count: former.length, former_uris: former.slice(0, MAX_LISTED) } : {}),
    ...(body && goingBack && outcome === 'partial'
      ? { missing_uris: missingRows({ work, body }).slice(0, MAX_LISTED) }
      : {}),
  };
}

/**
 * Records how far a cancelled job got, once no request of it is under way. For a lost request to the saved tracks, relay does not
 * find out how it ended, since sending it again does no harm.
 */
export function closeCancelled({ store, clock }: Context, { seq }: Work): void {
  const work = reread(store, { seq });
  if (work.phase !== 'commit') return;
  const { kind, outcome, sending, uncertain, error } = work;
  const isLibrary = kindFacts(kind).isOfLibrary === true;
  const isOpen = outcome === null || sending || (isLibrary && uncertain);
  const isInDoubt = hasBody(store, seq) && isOpen;
  const result = { ...reached({ store }, work), ...(isInDoubt ? { outcome_unknown: true } : {}) };
  // What the remedy of an earlier error names is refused from now on.
  setWork(store, seq, { result, error: error && { code: error.code, message: error.message } }, clock.now());
}
