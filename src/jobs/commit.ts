/** The writing half of a job: its items become one change, which the engine carries out. */
import { RelayError } from '../domain/errors.ts';
import { BULK_JOB_TYPES, shortId } from '../domain/job.ts';
import { getAccount } from '../store/tables/account.ts';
import { type Change, changeOfJob, undoOf } from '../store/tables/changes.ts';
import { unwriteItems } from '../store/tables/jobItems.ts';
import { changeJob, type Job } from '../store/tables/jobs.ts';
import { type JobContext, move, reread } from './context.ts';
import { changeRequestOf } from './jobWrite.ts';
import { failuresOf, follow } from './outcome.ts';

/** Writes all items of a job. It throws only for failures before there was a change. */
export async function commitStep(context: JobContext, job: Job, signal: AbortSignal): Promise<void> {
  if (job.status !== 'committing' && job.status !== 'cancelled') {
    if (!(await move(context, job, 'committing', { runAfter: null }))) return;
  }
  const { store, changes } = context;
  // A job that a lane works on must not count as due, or the other lanes would not sleep.
  if (job.status === 'cancelled') changeJob(store, job.seq, { runAfter: null }, context.clock.now());
  const present = reread(store, job);
  const options = {
    signal,
    maxAttempts: present.maxAttempts,
    before: failuresOf(present),
    carryOn: present.carryOn,
    cancelled: present.status === 'cancelled',
  };
  const begun = changeOfJob(store, job.seq);
  const isUnfinished = begun !== null && begun.outcome !== null && begun.outcome !== 'done';
  if (begun && !(isUnfinished && present.status === 'committing')) {
    const { change, end } = await changes.resume(begun.seq, options);
    return follow(context, job, change, end);
  }
  if (present.status === 'cancelled') return;
  if (begun && !mayBeginAgain(context, present, begun)) {
    return follow(context, job, begun, { kind: 'failed', cause: cannotGoOn(begun) });
  }
  const account = getAccount(store)?.providerUserId ?? null;
  // A job made while nobody was logged in belongs to the account that is connected next.
  if (present.account === null && account !== null)
    changeJob(store, job.seq, { account }, context.clock.now());
  if (begun) unwriteItems(store, job.seq, context.clock.now());
  const report = await changes.begin(changeRequestOf(context, reread(store, job)), options);
  await follow(context, job, report?.change ?? null, report?.end ?? NOTHING_TO_DO);
}

const NOTHING_TO_DO = { kind: 'ended', cause: null } as const;

/** True if the items of a job may be written again: nothing of the former write is left, and the items still say what to write. */
function mayBeginAgain({ store }: JobContext, job: Job, begun: Change): boolean {
  if (!BULK_JOB_TYPES.some((type) => type === job.type)) return false;
  return begun.outcome !== 'partial' || begun.written === 0 || undoOf(store, begun.seq) !== null;
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
