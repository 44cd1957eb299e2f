/**
 * The writing half of a job: its items become one change, which the engine carries out. What becomes of the change becomes
 * of the job.
 */
import type { ChangeReport } from '../changes/changes.ts';
import { errorFacts } from '../changes/record.ts';
import { isChangeEnded } from '../domain/change.ts';
import { otherAccount, RelayError } from '../domain/errors.ts';
import { isRefusal } from '../domain/failureClass.ts';
import { BULK_JOB_TYPES, shortId } from '../domain/job.ts';
import { getAccount } from '../store/tables/account.ts';
import { type Change, changeOfJob, getChangeBody, undoOf } from '../store/tables/changes.ts';
import { firstMatched, markNextWritten, rejectItem, unwriteItems } from '../store/tables/jobItems.ts';
import { changeJob, getJobBySeq, type Job } from '../store/tables/jobs.ts';
import { type JobContext, move, reread } from './context.ts';
import { changeRequestOf } from './jobWrite.ts';

/** Writes all items of a job. What it throws happened before there was a change. */
export async function commitStep(context: JobContext, job: Job, signal: AbortSignal): Promise<void> {
  if (job.status !== 'committing' && job.status !== 'cancelled') {
    if (!(await move(context, job, 'committing', { runAfter: null, reason: null }))) return;
  }
  const { store, changes } = context;
  // One that is at work is due at no time: else the other lanes would not sleep.
  if (job.status === 'cancelled') changeJob(store, job.seq, { runAfter: null }, context.clock.now());
  const present = reread(store, job);
  const options = {
    signal,
    maxAttempts: present.maxAttempts,
    carryOn: present.carryOn,
    cancelled: present.status === 'cancelled',
  };
  const begun = changeOfJob(store, job.seq);
  if (begun && !(isChangeEnded(begun.state) && present.status === 'committing' && begun.state !== 'done')) {
    await record(context, job, await changes.resume(begun.seq, options));
    return;
  }
  if (present.status === 'cancelled') return;
  if (begun && !mayBeginAgain(context, present, begun)) {
    return fail(context, present, begun, cannotGoOn(begun), false);
  }
  requireSameAccount(context, present);
  const account = getAccount(store)?.providerUserId ?? null;
  if (present.account === null && account !== null)
    changeJob(store, job.seq, { account }, context.clock.now());
  if (begun) unwriteItems(store, job.seq, context.clock.now());
  const report = await changes.begin(changeRequestOf(context, present), options);
  if (report) await record(context, job, report);
  else await complete(context, job, null);
}

/** Its items are written again only where nothing of the former write is left, and where they say what to write. */
function mayBeginAgain({ store }: JobContext, job: Job, begun: Change): boolean {
  if (!BULK_JOB_TYPES.some((type) => type === job.type)) return false;
  return begun.state !== 'partial' || begun.written === 0 || undoOf(store, begun.seq) !== null;
}

function cannotGoOn({ id }: Change): RelayError {
  return new RelayError('CONFLICT', 'The write of this job has ended part-way, and cannot continue.', {
    remedy: {
      text: `Read the playlist, and ask for what is missing in a new call. undo_change takes back ${id}.`,
      terminal: {
        text: 'Look at the playlist, and add what is missing with a new job. {1} takes back what was written.',
        commands: [['undo', shortId(id)]],
      },
    },
  });
}

function requireSameAccount({ store }: JobContext, job: Job): void {
  const account = getAccount(store)?.providerUserId;
  if (job.account === null || account === undefined || account === job.account) return;
  throw otherAccount('This job', ' and resume the job, or cancel the job.');
}

/** Marks items as the change writes them. Called in its transaction. */
export function followChange(
  { store, clock }: Pick<JobContext, 'store' | 'clock'>,
  change: Change,
  refused: RelayError | null,
): void {
  const job = change.job === null ? null : getJobBySeq(store, change.job);
  if (!job) return;
  if (refused) {
    const next = firstMatched(store, job.seq);
    if (next !== null) rejectItem(store, job.seq, next, errorFacts(refused), clock.now());
  } else {
    markNextWritten(store, job.seq, change.written - job.written, clock.now());
  }
  if (change.playlistId !== null && job.targetId === null) {
    changeJob(store, job.seq, { targetId: change.playlistId }, clock.now());
  }
}

/** Of a cancelled job that waits for a login, or of which nobody can tell what it made. */
const ASK_AGAIN_MS = 5 * 60_000;

/** What became of the change becomes of the job. */
async function record(context: JobContext, job: Job, { change, end }: ChangeReport): Promise<void> {
  const { store, clock } = context;
  if (change.playlistId !== null && reread(store, job).targetId === null) {
    changeJob(store, job.seq, { targetId: change.playlistId }, clock.now());
  }
  const present = reread(store, job);
  if (present.status === 'cancelled') {
    closeCancelled(context, present);
    // What it cannot find out now it asks again later, not at once.
    const isOpen = end.kind !== 'ended' && end.kind !== 'stopped';
    const again = isOpen ? (change.runAfter ?? clock.now() + ASK_AGAIN_MS) : null;
    changeJob(store, job.seq, { runAfter: again }, clock.now());
    store.saveSoon();
    return;
  }
  if (present.status !== 'committing') return;
  switch (end.kind) {
    case 'stopped':
      return;
    case 'paused':
      await move(context, present, 'waiting', {
        runAfter: change.runAfter,
        reason: change.reason,
        ...(isRefusal(end.cause) ? { attempts: Math.max(present.attempts, change.failures) } : {}),
      });
      return;
    case 'ended':
      if (change.state === 'done') return complete(context, present, change);
      return fail(context, present, change, end.cause, false);
    case 'failed':
      return fail(context, present, change, end.cause, false);
    case 'review':
      return fail(context, present, change, end.cause, true);
  }
}

/** Ends a job whose items are written. */
export async function complete(context: JobContext, job: Job, change: Change | null): Promise<void> {
  const { store, clock } = context;
  const present = reread(store, job);
  // A lane may have been faster than the person who keeps the playlist as it is.
  if (present.status !== 'committing') return;
  const isPlaylist = present.type !== 'save_tracks' && present.type !== 'remove_saved_tracks';
  const result = {
    ...(isPlaylist ? { playlist_id: present.targetId, snapshot_id: change?.snapshotId ?? null } : {}),
    written: present.written,
    skipped_existing: present.skipped,
    failed: present.failed,
    ...(change ? { change_id: change.id } : {}),
  };
  await move(context, present, 'completed', {
    result,
    completedAt: clock.now(),
    error: null,
    reviewRequired: false,
    carryOn: false,
  });
}

async function fail(
  context: JobContext,
  job: Job,
  change: Change,
  cause: RelayError | null,
  reviewRequired: boolean,
): Promise<void> {
  const error = cause ?? new RelayError('PARTIAL_WRITE', 'The write stopped part-way.');
  const result = {
    ...(reviewRequired ? error.details : {}),
    ...reached(context, job, change),
  };
  await move(context, job, 'failed', {
    error: errorFacts(error),
    reviewRequired,
    result,
    ...(cause && isRefusal(cause) && !reviewRequired ? { attempts: job.maxAttempts } : {}),
    completedAt: context.clock.now(),
    carryOn: false,
  });
}

/** Maximum previous rows that a failed replacement lists. */
const MAX_LISTED = 1_000;

/** How far a job got that did not end as it should. */
function reached({ store }: JobContext, job: Job, change: Change): Record<string, unknown> {
  const former =
    change.kind === 'replace' && change.written > 0
      ? getChangeBody(store, change.seq).former.rows
      : undefined;
  return {
    ...(job.targetId === null ? {} : { playlist_id: job.targetId }),
    written: job.written,
    change_id: change.id,
    ...(change.state === 'rolled_back' ? { rolled_back: true } : {}),
    ...(former ? { former_count: former.length, former_uris: former.slice(0, MAX_LISTED) } : {}),
  };
}

/** Records how far a cancelled job got, once nothing of it is on its way. */
export function closeCancelled(context: JobContext, job: Job): void {
  const { store, clock } = context;
  const present = reread(store, job);
  if (present.phase !== 'commit') return;
  const change = changeOfJob(store, job.seq);
  const target = present.targetId ?? change?.playlistId ?? null;
  const unsettled = change !== null && !isChangeEnded(change.state);
  const result = {
    ...(target === null ? {} : { playlist_id: target }),
    written: present.written,
    ...(change ? { change_id: change.id } : {}),
    // Nothing more is sent, but how the last request ended is still being found out.
    ...(unsettled ? { outcome_unknown: true } : {}),
  };
  changeJob(store, job.seq, { result }, clock.now());
}
