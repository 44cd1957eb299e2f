/** What the end of an attempt means for its job. A job ends as its change does. */
import { errorFacts } from '../changes/record.ts';
import { type DriveEnd, type Failures, failuresBefore, missingRows } from '../changes/run.ts';
import { isErrorCode, otherAccount, RelayError } from '../domain/errors.ts';
import { isRefusal } from '../domain/failureClass.ts';
import { isWorking, type JobStatus } from '../domain/job.ts';
import { pauseAfter } from '../domain/pause.ts';
import { type Change, changeOfJob, getChangeBody } from '../store/tables/changes.ts';
import { changeJob, type Job, type JobChange } from '../store/tables/jobs.ts';
import { type JobContext, moveNow, reread } from './context.ts';

type Context = Pick<JobContext, 'store' | 'clock' | 'random' | 'log'>;

/** The job's status after each end of an attempt. null leaves it unchanged; the server continues the job at its next start. */
const STATUS_AFTER = {
  /** The job's change is done, or there was nothing to do. */
  done: 'completed',
  /** The job's change did not end as it should. */
  unfinished: 'failed',
  /** The request was refused for good, or too often. */
  failed: 'failed',
  review: 'failed',
  paused: 'waiting',
  /** The server is stopping. */
  stopped: null,
} as const satisfies Readonly<Record<string, JobStatus | null>>;

function endingOf(change: Change | null, end: DriveEnd): keyof typeof STATUS_AFTER {
  if (end.kind !== 'ended') return end.kind;
  // Without a cause, Spotify has refused every item: the items say so.
  const isOver = change?.outcome === 'unchanged' && end.cause === null;
  return change === null || change.outcome === 'done' || isOver ? 'done' : 'unfinished';
}

/**
 * Records what the end of an attempt means for a job, and resolves once that is on disk.
 * @throws RelayError `STORE_ERROR`
 */
export async function follow(
  context: Context,
  job: Job,
  change: Change | null,
  end: DriveEnd,
): Promise<void> {
  if (end.kind !== 'stopped') await context.store.durable(() => followNow(context, job, change, end));
}

/** Like `follow`, without saving to disk; call it in a transaction. */
export function followNow(context: Context, job: Job, change: Change | null, end: DriveEnd): void {
  const { store, clock } = context;
  const now = clock.now();
  if (change !== null && change.playlistId !== null && reread(store, job).targetId === null)
    changeJob(store, job.seq, { targetId: change.playlistId }, now);
  const present = reread(store, job);
  if (present.status === 'cancelled') {
    followCancelled(context, present, end);
    return;
  }
  const ending = endingOf(change, end);
  const to = STATUS_AFTER[ending];
  // A person may have ended the job meanwhile, for example by keeping the playlist as it is.
  if (to === null || !isWorking(present.status)) return;
  moveNow(context, present, to, factsAfter(context, present, change, end));
}

function factsAfter(context: Context, job: Job, change: Change | null, end: DriveEnd): JobChange {
  const completedAt = context.clock.now();
  if (end.kind === 'paused') {
    const { cause, failures } = end;
    return {
      ...waitAfter(context, end),
      // The code of the wait is that of a login that has ended, which another login would fix.
      error: cause.details?.reason === 'other_account' ? errorFacts(ELSEWHERE) : null,
      ...(isRefusal(cause) ? { attempts: Math.max(job.attempts, failures) } : {}),
    };
  }
  if (endingOf(change, end) === 'done') {
    const result = resultOf(job, change);
    return { result, completedAt, error: null, reviewRequired: false };
  }
  const reviewRequired = end.kind === 'review';
  const given = 'cause' in end ? end.cause : null;
  const cause = given ?? new RelayError('PARTIAL_WRITE', 'The write stopped part-way.');
  const attempts = change === null ? job.stepAttempts + 1 : job.maxAttempts;
  const isSpent = given !== null && isRefusal(given) && !reviewRequired;
  return {
    error: errorFacts(cause),
    reviewRequired,
    result: { ...(reviewRequired ? cause.details : {}), ...reached(context, job, change) },
    ...(isSpent ? { attempts: Math.max(job.attempts, attempts) } : {}),
    completedAt,
  };
}

const ELSEWHERE = otherAccount('This job', { next: '. The job then continues by itself.' });

/** How long a job waits after a failure, and why. */
export type JobWait = Required<Pick<JobChange, 'runAfter' | 'reason' | 'stepAttempts'>>;

/** @param end.failures number of failures of this class in a row */
export function waitAfter(
  { clock, random }: Pick<Context, 'clock' | 'random'>,
  { cause, failures }: { cause: RelayError; failures: number },
): JobWait {
  const facts = { failures, now: clock.now(), fraction: random.fraction() };
  const { until, reason } = pauseAfter(cause, facts);
  return { runAfter: until, reason, stepAttempts: failures };
}

/** The last failure that made a job wait, and how often it occurred in a row. */
export function failuresOf({ reason, stepAttempts }: Job): Failures {
  return { count: stepAttempts, code: isErrorCode(reason) ? reason : null };
}

/**
 * Codes of refusals that are not final. The cause may be a bug of relay, a lagging list, or somebody who is editing the
 * playlist.
 */
const PASSING: ReadonlySet<string> = new Set(['NOT_FOUND', 'INTERNAL', 'CONFLICT']);

/** The end of an attempt that failed before there was a change, or while searching. */
export function endOfFailure(job: Job, cause: RelayError): DriveEnd {
  const failures = failuresBefore(failuresOf(job), cause) + 1;
  const mayPass = !isRefusal(cause) || (PASSING.has(cause.code) && failures < job.maxAttempts);
  return mayPass ? { kind: 'paused', cause, failures } : { kind: 'failed', cause };
}

function resultOf(job: Job, change: Change | null): Record<string, unknown> {
  const isPlaylist = job.type !== 'save_tracks' && job.type !== 'remove_saved_tracks';
  return {
    ...(isPlaylist ? { playlist_id: job.targetId, snapshot_id: change?.snapshotId ?? null } : {}),
    written: job.written,
    skipped_existing: job.skipped,
    failed: job.failed,
    ...(change?.outcome === 'done' ? { change_id: change.id } : {}),
  };
}

/** The change that an undo may take back. One that wrote nothing leaves nothing to undo. */
function changeIdOf(change: Change | null): { change_id?: string } {
  return change === null || change.outcome === 'unchanged' ? {} : { change_id: change.id };
}

/** Maximum number of former rows, or of missing rows, in the result of a failed job. */
const MAX_LISTED = 1_000;

/** How far an unsuccessful job got. */
export function reached(
  { store }: Pick<Context, 'store'>,
  job: Job,
  change: Change | null,
): Record<string, unknown> {
  const former =
    change?.kind === 'replace' && change.written > 0
      ? getChangeBody(store, change.seq).former.rows
      : undefined;
  return {
    ...(job.targetId === null ? {} : { playlist_id: job.targetId }),
    written: job.written,
    ...changeIdOf(change),
    ...(change?.outcome === 'rolled_back' ? { rolled_back: true } : {}),
    ...(former ? { former_count: former.length, former_uris: former.slice(0, MAX_LISTED) } : {}),
    ...(change?.goingBack && change.outcome === 'partial'
      ? { missing_uris: missingRows({ change, body: getChangeBody(store, change.seq) }).slice(0, MAX_LISTED) }
      : {}),
  };
}

/** How long a cancelled job waits before it tries again to find out how its last request ended, if nothing else sets a time. */
const ASK_AGAIN_MS = 5 * 60_000;

/** Updates a cancelled job. The job sends nothing more, but may have to find out later how its last request ended. */
function followCancelled(context: Context, job: Job, end: DriveEnd): void {
  const { store, clock } = context;
  closeCancelled(context, job);
  const wait = end.kind === 'paused' ? waitAfter(context, end) : null;
  const again = end.kind === 'ended' ? null : clock.now() + ASK_AGAIN_MS;
  changeJob(store, job.seq, { ...wait, runAfter: wait?.runAfter ?? again }, clock.now());
}

/**
 * True if how the last request ended is still being looked into, or cannot be known. For a lost request to the saved tracks,
 * relay does not find that out, since sending the request again does no harm.
 */
function isInDoubt({ kind, outcome, inTransit, uncertain }: Change): boolean {
  const isLibrary = kind === 'save' || kind === 'unsave';
  return outcome === null || inTransit || (isLibrary && uncertain);
}

/** Records how far a cancelled job got, once no request of it is under way. */
export function closeCancelled({ store, clock }: Context, job: Job): void {
  const present = reread(store, job);
  if (present.phase !== 'commit') return;
  const change = changeOfJob(store, job.seq);
  const target = present.targetId ?? change?.playlistId ?? null;
  const result = {
    ...(target === null ? {} : { playlist_id: target }),
    written: present.written,
    ...changeIdOf(change),
    ...(change !== null && isInDoubt(change) ? { outcome_unknown: true } : {}),
  };
  changeJob(store, job.seq, { result }, clock.now());
}
