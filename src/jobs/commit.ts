/** The writing half of a job: its items become one change, which the engine carries out. */
import { createTurns } from '../base/turns.ts';
import type { ChangeRequest } from '../changes/changes.ts';
import { addRows, makePlaylist, replaceRows, saveTracks, unsaveTracks } from '../changes/kinds.ts';
import { RelayError } from '../domain/errors.ts';
import { BULK_JOB_TYPES, shortId } from '../domain/job.ts';
import { uriOf, urisOf } from '../domain/rows.ts';
import type { Item } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { getAccount } from '../store/tables/account.ts';
import {
  type Change,
  changeOfJob,
  getChangeBySeq,
  hasPartialUndo,
  reopenChange,
  undoOf,
} from '../store/tables/changes.ts';
import { matchedUris, skipSome, unwriteItems } from '../store/tables/jobItems.ts';
import { changeJob, type Job } from '../store/tables/jobs.ts';
import { type JobContext, move, reread } from './context.ts';
import { endOfFailure, failuresOf, follow } from './outcome.ts';

/**
 * Begins the change that writes all items of a job, or continues with it. For a cancelled job, finds out how its last request
 * ended.
 * @throws RelayError what fails before the change exists, and `STORE_ERROR`
 */
export async function commitStep(context: JobContext, job: Job, signal: AbortSignal): Promise<void> {
  if (job.status !== 'committing' && job.status !== 'cancelled') {
    if (!(await move(context, job, 'committing', { runAfter: null, error: null }))) return;
  }
  const { store, changes } = context;
  // A job that a lane works on must not count as due, or the other lanes would not sleep.
  if (job.status === 'cancelled') changeJob(store, job.seq, { runAfter: null }, context.clock.now());
  const present = reread(store, job);
  const isCancelled = present.status === 'cancelled';
  const options = {
    signal,
    maxAttempts: present.maxAttempts,
    before: failuresOf(present),
    cancelled: isCancelled,
  };
  const begun = isCancelled ? changeOfJob(store, job.seq) : openedAgain(store, job);
  const isUnfinished = begun !== null && begun.outcome !== null && begun.outcome !== 'done';
  if (begun && !(isUnfinished && present.status === 'committing')) {
    const { change, end } = await changes.resume(begun.seq, options);
    return follow(context, job, change, end);
  }
  if (isCancelled) return;
  if (!begun && isWithoutRecord(present)) {
    return follow(context, job, null, { kind: 'failed', cause: recordGone() });
  }
  // Until the undo has ended, it is not known what is left of the former write.
  if (begun && undoOf(store, begun.seq)?.outcome === null)
    return follow(context, job, begun, endOfFailure(present, beingUndone(job)));
  if (begun && !mayBeginAgain(context, present, begun)) {
    return follow(context, job, begun, { kind: 'failed', cause: cannotGoOn(begun) });
  }
  const account = getAccount(store)?.providerUserId ?? null;
  // A job made while nobody was logged in belongs to the account that is connected next.
  if (present.account === null && account !== null)
    changeJob(store, job.seq, { account }, context.clock.now());
  if (begun) beginAgain(context, job, begun);
  const report = await changes.begin(changeRequestOf(context, reread(store, job)), options);
  await follow(context, job, report?.change ?? null, report?.end ?? NOTHING_TO_DO);
}

const NOTHING_TO_DO = { kind: 'ended', cause: null } as const;

/**
 * The change of a job that is to continue or to be accepted; null if it has none. Before an undo, a change that has stopped is
 * ended. If that undo had no effect, or was undone, the change is open again.
 */
export function openedAgain(store: JobContext['store'], { seq }: Job): Change | null {
  const begun = changeOfJob(store, seq);
  if (begun?.outcome !== 'partial' || begun.goingBack) return begun;
  if (undoOf(store, begun.seq) !== null || hasPartialUndo(store, begun.seq)) return begun;
  reopenChange(store, { ...begun, outcome: null, endedAt: null });
  return getChangeBySeq(store, begun.seq);
}

/**
 * True if the items of a job may be written again: the playlist or library holds nothing from the former write, and the items
 * still say what to write.
 */
function mayBeginAgain({ store }: JobContext, job: Job, begun: Change): boolean {
  if (!isBulk(job.type)) return false;
  return begun.outcome !== 'partial' || begun.written === 0 || undoOf(store, begun.seq) !== null;
}

/**
 * Takes back what the job says of its former write. What the playlist holds may have changed since, so the items to skip are
 * marked again. A playlist that was made and undone is off the list, and keeps its rows.
 */
function beginAgain({ store, clock }: JobContext, job: Job, begun: Change): void {
  unwriteItems(store, job.seq, clock.now());
  const isOffTheList = begun.kind === 'create' && undoOf(store, begun.seq) !== null;
  changeJob(store, job.seq, { skipsMarked: false, ...(isOffTheList ? { targetId: null } : {}) }, clock.now());
}

/**
 * True if the job has lost the record of its change, and its items do not say what to write. Earlier versions dropped the changes
 * of failed jobs with all others.
 */
function isWithoutRecord({ type, written }: Job): boolean {
  return !isBulk(type) || (type === 'replace_playlist' && written > 0);
}

const isBulk = (type: Job['type']) => BULK_JOB_TYPES.some((bulk) => bulk === type);

function recordGone(): RelayError {
  return new RelayError(
    'CONFLICT',
    'This job cannot continue: the record of what it had written is no longer kept.',
    {
      remedy: {
        text: 'Read the playlist or library, and ask for what is missing in a new call.',
        terminal: { text: 'Check in Spotify what is missing, and cancel this job.', commands: [] },
      },
    },
  );
}

/**
 * Refuses to accept the review of a job whose write is undone, or is being undone.
 * @throws RelayError `CONFLICT`
 */
export function requireNotUndone(store: JobContext['store'], job: Job, { seq }: Change): void {
  const undo = undoOf(store, seq);
  if (undo) throw undo.outcome === null ? beingUndone(job) : undone(job);
}

function undone({ id }: Job): RelayError {
  return new RelayError('CONFLICT', 'What this job had written was undone, so there is nothing to keep.', {
    remedy: {
      text: 'Call cancel_job to end the job, or resume_job with review "continue" to write all of it again.',
      terminal: {
        text: '{1} ends the job, and {2} writes all of it again.',
        commands: [
          ['jobs', 'cancel', shortId(id)],
          ['jobs', 'resume', shortId(id), '--review', 'continue'],
        ],
      },
    },
  });
}

function beingUndone({ id }: Job): RelayError {
  return new RelayError('CONFLICT', 'What this job had written is being undone.', {
    remedy: {
      text: 'Wait until the undo has ended (list_changes). If the undo has a job that failed (list_jobs), resume or cancel that job. If this job has failed by then, call resume_job for it.',
      terminal: {
        text: 'Wait until the undo has ended ({1}). If the undo has a job that failed ({2}), resume or cancel that job. If this job has failed by then, run {3}.',
        commands: [['history'], ['jobs'], ['jobs', 'resume', shortId(id)]],
      },
    },
  });
}

function cannotGoOn({ id }: Change): RelayError {
  return new RelayError('CONFLICT', 'The write of this job has ended part-way, and cannot continue.', {
    remedy: {
      text: `Read the playlist or library, and ask for what is missing in a new call. undo_change takes back ${id}.`,
      terminal: {
        text: 'Check in Spotify what is there, and add what is missing with a new job. {1} takes back what was written.',
        commands: [['undo', shortId(id)]],
      },
    },
  });
}

/** The request for the change of a job that has not begun to write. Items to skip are marked once the target has been read. */
function changeRequestOf(context: JobContext, job: Job): ChangeRequest {
  const { store } = context;
  const owner = job.account === null ? {} : { account: job.account };
  const base = { ...requestOf(context, job, []), ...owner, askedBy: `job ${job.id}`, job: job.seq };
  return {
    ...base,
    requested: job.resolved - job.skipped,
    async prepare(call) {
      const held = await heldItems(context, job, call);
      requireCommitting(context, job);
      if (held || !reread(store, job).skipsMarked) await markSkips(context, job, held);
      const uris = await urisToWrite(context, job);
      requireCommitting(context, job);
      if (uris.length === 0) return null;
      const requested = uris.length;
      if (held) return { requested, former: { rows: held.map(uriOf) }, ops: [{ op: 'append', uris }] };
      const prepared = await requestOf(context, job, uris).prepare(call);
      requireCommitting(context, job);
      return prepared && { requested, ...prepared };
    },
  };
}

function requestOf(context: JobContext, job: Job, uris: readonly string[]): Omit<ChangeRequest, 'askedBy'> {
  const id = job.targetId ?? '';
  switch (job.type) {
    case 'create_playlist': {
      if (job.targetId !== null) return addRows(context, job.targetId, uris);
      const { name = '', description, public: isPublic } = job.payload;
      return makePlaylist(context, { name, description, public: isPublic }, uris);
    }
    case 'replace_playlist':
      return replaceRows(context, id, uris);
    case 'save_tracks':
      return saveTracks(context, uris);
    case 'remove_saved_tracks':
      return unsaveTracks(context, uris, 'all');
    default:
      return addRows(context, id, uris);
  }
}

/** All rows of the target playlist if items that are already in it are to be skipped; otherwise null. */
export async function heldItems({ rows }: JobContext, job: Job, call: Call): Promise<readonly Item[] | null> {
  if (!job.payload.skip_existing || job.type !== 'add_to_playlist') return null;
  return rows.readSettled(job.payload.playlist_id ?? '', call);
}

function requireCommitting({ store }: JobContext, job: Job): void {
  if (reread(store, job).status === 'committing') return;
  throw new RelayError('CANCELLED', 'The job was cancelled.');
}

/** Number of items to handle at once, which takes about a millisecond. */
const WINDOW = 250;

/**
 * Marks items to skip: repeats of an earlier item, and those whose URI is already in the target. The marks are made in batches;
 * after a crash, all of them are made again. Marks from an earlier reading of the target are dropped, since its rows may be gone.
 */
export async function markSkips(
  { store, clock }: JobContext,
  job: Job,
  held: readonly Item[] | null,
): Promise<void> {
  const present = new Set(held?.flatMap(urisOf));
  const isLeftOut = (uri: string) => {
    if (present.has(uri)) return true;
    if (job.payload.skip_duplicates) present.add(uri);
    return false;
  };
  const turn = createTurns();
  if (held) unwriteItems(store, job.seq, clock.now());
  let from: number | null = job.payload.skip_duplicates || held ? 0 : null;
  while (from !== null) {
    from = skipSome(store, job.seq, { from, limit: WINDOW }, isLeftOut, clock.now());
    await turn();
  }
  changeJob(store, job.seq, { skipsMarked: true }, clock.now());
}

/** URIs of everything that is to be written, in order. */
async function urisToWrite({ store }: JobContext, job: Job): Promise<string[]> {
  const all: string[] = [];
  const turn = createTurns();
  for (let from: number | null = 0; from !== null; await turn()) {
    const { uris, next } = matchedUris(store, job.seq, from, WINDOW);
    for (const uri of uris) all.push(uri);
    from = next;
  }
  return all;
}
