/** Lists changes, and undoes one. */
import { isoOf } from '../base/clock.ts';
import type { ChangeSummary, ShownState } from '../domain/change.ts';
import { otherAccount, RelayError } from '../domain/errors.ts';
import { isEnded, shortId } from '../domain/job.ts';
import type { Remedy } from '../domain/remedy.ts';
import type { Call } from '../provider/api.ts';
import { getAccount } from '../store/tables/account.ts';
import {
  type Change,
  changeOfJob,
  changesBeginning,
  endPartly,
  getChange,
  getChangeBySeq,
  latestNotUndone,
  listChanges,
  undoOf,
} from '../store/tables/changes.ts';
import { getJobBySeq, type Job } from '../store/tables/jobs.ts';
import type { ChangeRequest } from './changes.ts';
import type { Planning } from './record.ts';
import { entryCount, requestCount } from './rowOps.ts';
import { planUndo, type UndoPlan } from './undo.ts';

/** One page of the changes that wrote something or still may, newest first; `offset` counts from 0. */
export function changeHistory(
  { store }: Pick<Planning, 'store'>,
  offset: number,
  limit: number,
): { items: ChangeSummary[]; total: number; next_offset: number | null } {
  const { items, total } = listChanges(store, offset, limit);
  const end = offset + items.length;
  return {
    items: items.map((change) => changeSummary(store, change)),
    total,
    next_offset: end < total ? end : null,
  };
}

/** The facts about a change that a list of changes shows. */
export function changeSummary(store: Planning['store'], change: Change): ChangeSummary {
  const idOf = (seq: number | null) => (seq === null ? undefined : getChangeBySeq(store, seq)?.id);
  const undoes = idOf(change.undoes);
  const undoneBy = undoOf(store, change.seq)?.id;
  return {
    change_id: change.id,
    kind: change.kind,
    state: shownState(store, change),
    playlist_id: change.playlistId,
    asked_by: change.askedBy,
    requested: change.requested,
    written: change.written,
    at: isoOf(change.createdAt),
    ...(undoes === undefined ? {} : { undoes }),
    ...(undoneBy === undefined ? {} : { undone_by: undoneBy }),
    can_undo: refusalOf(store, change) === null,
  };
}

/** What to do about a change that is still being written. */
function firstEnd(job: Job | null): Remedy {
  if (!job?.listed) return { text: 'Wait until the call that writes the change has ended, then try again.' };
  const short = shortId(job.id);
  return {
    text: `First end job ${job.id}: wait for it (get_job_status), or call resume_job or cancel_job. To undo an earlier change, pass its change_id.`,
    terminal: {
      text: 'First end its job: {1} says how it stands, {2} stops it. To undo an earlier change, give its ID ({3}).',
      commands: [['jobs', 'show', short], ['jobs', 'cancel', short], ['history']],
    },
  };
}

/**
 * The change to undo: the one whose ID begins with `id`. Without an ID, it is the last change that is neither undone nor an undo
 * itself. If that change, or its undo, is still being written, this throws instead of taking an earlier one.
 * @throws RelayError `NOT_FOUND`, `INVALID_ARGUMENT` if several IDs begin with `id`, `CONFLICT`, `FORBIDDEN`
 */
export function undoableChange({ store }: Pick<Planning, 'store'>, id: string | undefined): Change {
  const change = id === undefined ? latestNotUndone(store) : changeNamed(store, id);
  if (!change) {
    const what = id === undefined ? 'There is no change to undo.' : `There is no change ${id.slice(0, 100)}.`;
    throw new RelayError('NOT_FOUND', what, {
      remedy: {
        text: 'list_changes or {command} shows the changes, and which of them can be undone. They are kept for 30 days, 200 at most.',
        command: ['history'],
        terminal: { text: '{1} lists the changes of the last 30 days.', commands: [['history']] },
        page: 'Changes are kept for 30 days, 200 at most.',
      },
    });
  }
  const refusal = refusalOf(store, change);
  if (refusal) throw refusal;
  return change;
}

/** Why a change cannot be undone, before its target is read; null if it can. */
function refusalOf(store: Planning['store'], change: Change): RelayError | null {
  if (change.outcome === null && !hasStopped(store, change)) {
    const job = jobOf(store, change);
    const how = job?.status === 'failed' ? ', but its job has stopped' : ` (${shownState(store, change)})`;
    return new RelayError('CONFLICT', `The change ${change.id} is still being written${how}.`, {
      remedy: firstEnd(job),
    });
  }
  const undone = undoOf(store, change.seq);
  if (undone?.outcome === null) {
    return new RelayError('CONFLICT', `The change ${change.id} is being undone already.`, {
      remedy: firstEnd(jobOf(store, undone)),
      details: { undone_by: undone.id },
    });
  }
  if (undone || change.outcome === 'rolled_back') {
    return new RelayError('CONFLICT', `The change ${change.id} is undone already.`, {
      remedy: undone ? `To bring it back, undo the change ${undone.id}.` : 'There is nothing to undo.',
      details: undone ? { undone_by: undone.id } : {},
    });
  }
  const account = getAccount(store)?.providerUserId ?? null;
  if (change.outcome === 'unchanged') {
    return new RelayError('CONFLICT', `The change ${change.id} has written nothing.`, {
      remedy: 'There is nothing to undo.',
    });
  }
  const isForeign = change.account !== null && account !== null && change.account !== account;
  return isForeign ? otherAccount('This change') : null;
}

function jobOf(store: Planning['store'], { job }: Change): Job | null {
  return job === null ? null : getJobBySeq(store, job);
}

/** The state of a change in a list of changes. It also depends on the job of the change. */
function shownState(store: Planning['store'], change: Change): ShownState {
  const { outcome, goingBack } = change;
  if (outcome !== null) return outcome;
  const job = jobOf(store, change);
  if (job?.status === 'failed') return job.reviewRequired ? 'review' : 'stopped';
  if (job?.status === 'waiting' || (job?.status === 'cancelled' && job.runAfter !== null)) return 'waiting';
  if (job?.status === 'cancelled') return 'cancelling';
  return goingBack ? 'rolling_back' : 'writing';
}

/** True if the change was unfinished when its job ended, and none of its requests is on its way. */
function hasStopped(store: Planning['store'], change: Change): boolean {
  const job = jobOf(store, change);
  return !change.inTransit && job !== null && isEnded(job.status);
}

function changeNamed(store: Planning['store'], id: string): Change | null {
  const change = getChange(store, id);
  if (change) return lastOf(store, change);
  const [found, other] = changesBeginning(store, id, 2);
  if (other) {
    throw new RelayError('INVALID_ARGUMENT', `Several change IDs begin with "${id.slice(0, 100)}".`, {
      remedy: 'Give more characters of the ID.',
    });
  }
  return found ? lastOf(store, found) : null;
}

/**
 * If a change had no effect, its job may have made another change when it was resumed. The ID then means the last change of the
 * job.
 */
function lastOf(store: Planning['store'], change: Change): Change {
  const last = change.job === null ? null : changeOfJob(store, change.job);
  const isWithoutEffect = change.outcome === 'rolled_back' || change.outcome === 'unchanged';
  return last && isWithoutEffect ? last : change;
}

/** The request for a change that undoes another one. `tell` gets the plan before the first request is sent. */
export function undoRequest(
  context: Planning,
  change: Change,
  force: boolean,
  tell: (plan: UndoPlan) => void,
): Omit<ChangeRequest, 'askedBy'> {
  return {
    kind: 'undo',
    playlistId: change.playlistId,
    requested: change.written,
    undoes: change.seq,
    async prepare(call) {
      // Another undo may have run before this one, or the change's job may have been resumed.
      const plan = await planUndo(context, undoableChange(context, change.id), force, call);
      const { seq, outcome } = undoableChange(context, change.id);
      // A paused change ends when it is undone.
      if (outcome === null) endPartly(context.store, seq, context.store.now());
      tell(plan);
      const requested = plan.ops.reduce((sum, op) => sum + entryCount(op), 0);
      return { ...plan, requested };
    },
  };
}

/**
 * What undoing a change would do, and in how many requests. Sends no writes.
 * @throws RelayError as `planUndo` does
 */
export async function previewUndo(
  context: Planning,
  change: Change,
  force: boolean,
  call: Call,
): Promise<{ plan: UndoPlan; requests: number }> {
  const plan = await planUndo(context, change, force, call);
  return { plan, requests: requestCount(plan.ops) };
}
