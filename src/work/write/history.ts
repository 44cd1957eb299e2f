/** Lists changes: the works that wrote something, or still may. Undoes one, or all of an import. */
import { isoOf } from '../../base/clock.ts';
import type { ChangeSummary, ShownState } from '../../domain/change.ts';
import { otherAccount, RelayError } from '../../domain/errors.ts';
import { isEnded, shortId } from '../../domain/job.ts';
import type { Call } from '../../provider/api.ts';
import { getAccount } from '../../store/tables/account.ts';
import {
  changesBeginning,
  getWork,
  getWorkBySeq,
  latestNotUndone,
  listChanges,
  madeTogether,
  undoOf,
  type Work,
} from '../../store/tables/works.ts';
import type { Planning } from '../moves.ts';
import { entryCount, requestCount } from './states.ts';
import { planTogether, planUndo, type UndoPlan } from './undo.ts';
import type { WriteRequest } from './writes.ts';

export function changeHistory(
  { store }: Pick<Planning, 'store'>,
  offset: number,
  limit: number,
  by = '',
): { items: ChangeSummary[]; total: number; next_offset: number | null } {
  const { items, total } = listChanges(store, offset, limit, by);
  const end = offset + items.length;
  return {
    items: items.map((work) => changeSummary(store, work)),
    total,
    next_offset: end < total ? end : null,
  };
}

export function changeSummary(store: Planning['store'], work: Work): ChangeSummary {
  const undoes = work.undoes === null ? undefined : getWorkBySeq(store, work.undoes)?.id;
  const undoneBy = undoOf(store, work)?.id;
  return {
    change_id: work.id,
    kind: work.kind,
    state: shownState(work),
    playlist_id: work.playlistId,
    asked_by: work.askedBy,
    requested: work.requested,
    written: work.written,
    at: isoOf(work.createdAt),
    ...(undoes === undefined ? {} : { undoes }),
    ...(undoneBy === undefined ? {} : { undone_by: undoneBy }),
    can_undo: refusalOf(store, work) === null,
  };
}

/** What to do about a change that is still being written. */
function firstEnd({ listed, id }: Work): string {
  if (!listed) return 'Wait until the call that writes the change has ended, then try again.';
  const short = shortId(id);
  const ways = `{get_job_status|relay jobs show ${short}} says how it stands, {cancel_job|relay jobs cancel ${short}} stops it`;
  return `First end job ${short}: ${ways}. To undo an earlier change, give its ID ({list_changes|relay history}).`;
}

/**
 * The change to undo: the one whose ID begins with `id`. Without an ID, it is the last change that is neither undone nor an undo
 * itself. If that change, or its undo, is still being written, this throws instead of taking an earlier one.
 * @throws RelayError `NOT_FOUND`, `INVALID_ARGUMENT` if several IDs begin with `id`, `CONFLICT`, `FORBIDDEN`
 */
function undoableChange({ store }: Pick<Planning, 'store'>, id: string | undefined, by = ''): Work {
  const work = id === undefined ? latestNotUndone(store, by) : changeNamed(store, id);
  if (!work) {
    const whose = by === '' ? '' : ` of "${by}"`;
    const what =
      id === undefined ? `There is no change${whose} to undo.` : `There is no change ${id.slice(0, 100)}.`;
    throw new RelayError('NOT_FOUND', what, {
      remedy: '{list_changes|relay history} lists the changes of the last 30 days.',
    });
  }
  const refusal = refusalOf(store, work);
  if (refusal) throw refusal;
  return work;
}

/** Why a change cannot be undone, before its target is read; null if it can. */
function refusalOf(store: Planning['store'], work: Work): RelayError | null {
  if (work.outcome === null && !hasStopped(work)) {
    const how = work.status === 'failed' ? ', but its job has stopped' : ` (${shownState(work)})`;
    return new RelayError('CONFLICT', `The change ${work.id} is still being written${how}.`, {
      remedy: firstEnd(work),
    });
  }
  const undone = undoOf(store, work);
  if (undone?.outcome === null) {
    return new RelayError('CONFLICT', `The change ${work.id} is being undone already.`, {
      remedy: firstEnd(undone),
      details: { undone_by: undone.id },
    });
  }
  if (undone || work.outcome === 'rolled_back') {
    return new RelayError('CONFLICT', `The change ${work.id} is undone already.`, {
      remedy: undone ? `To bring it back, undo the change ${undone.id}.` : 'There is nothing to undo.',
      details: undone ? { undone_by: undone.id } : {},
    });
  }
  if (work.outcome === 'unchanged') {
    return new RelayError('CONFLICT', `The change ${work.id} has written nothing.`, {
      remedy: 'There is nothing to undo.',
    });
  }
  const account = getAccount(store)?.providerUserId ?? null;
  const isForeign = work.account !== null && account !== null && work.account !== account;
  return isForeign ? otherAccount('This change') : null;
}

function shownState({ outcome, status, reviewRequired, goingBack }: Work): ShownState {
  if (outcome !== null) return outcome;
  if (status === 'failed') return reviewRequired ? 'review' : 'stopped';
  if (status === 'waiting') return 'waiting';
  if (status === 'cancelled') return 'cancelling';
  return goingBack ? 'rolling_back' : 'writing';
}

/** True if the write is unfinished, its job has ended, and none of its requests is on its way. */
function hasStopped({ sending, status }: Work): boolean {
  return !sending && isEnded(status);
}

function changeNamed(store: Planning['store'], id: string): Work | null {
  const work = getWork(store, id);
  if (work) return work;
  const [found, other] = changesBeginning(store, id, 2);
  if (!other) return found ?? null;
  throw new RelayError('INVALID_ARGUMENT', `Several change IDs begin with "${id.slice(0, 100)}".`, {
    remedy: 'Give more characters of the ID.',
  });
}

/**
 * The changes that one undo takes back: the one named, or the last one; with it the other playlists of the same import, if
 * `together`. The last one comes first.
 * @throws RelayError as `undoableChange` does, for any of them
 */
export function undoneTogether(
  context: Pick<Planning, 'store'>,
  id: string | undefined,
  together: boolean,
  by = '',
): readonly [Work, ...Work[]] {
  const work = undoableChange(context, id, by);
  const others = together ? madeTogether(context.store, work).filter(({ seq }) => seq !== work.seq) : [];
  return [work, ...others.map((one) => undoableChange(context, one.id))];
}

/** The request for a write that undoes changes. `tell` gets the plan before the first request is sent. */
export function undoRequest(
  context: Planning,
  works: readonly [Work, ...Work[]],
  force: boolean,
  tell: (plan: UndoPlan) => void,
): Omit<WriteRequest, 'askedBy'> {
  const [work, ...others] = works;
  const target =
    others.length > 0
      ? { playlistId: null, batch: work.batch ?? work.id }
      : { playlistId: work.playlistId, undoes: work.seq };
  return {
    kind: 'undo',
    ...target,
    requested: work.written,
    async prepare(call) {
      // Another undo may have run before this one, or a job may have been resumed.
      const present = () => works.map(({ id }) => undoableChange(context, id));
      const plan = await planFor(context, present(), force, call);
      present();
      tell(plan);
      const requested = plan.ops.reduce((sum, op) => sum + entryCount(op), 0);
      return { ...plan, requested };
    },
  };
}

function planFor(context: Planning, works: readonly Work[], force: boolean, call: Call): Promise<UndoPlan> {
  const [work, ...others] = works as [Work, ...Work[]];
  return others.length > 0 ? planTogether(context, works, force, call) : planUndo(context, work, force, call);
}

/**
 * What undoing changes would do, and in how many requests. Sends no writes.
 * @throws RelayError as `planUndo` and `planTogether` do
 */
export async function previewUndo(
  context: Planning,
  works: readonly [Work, ...Work[]],
  force: boolean,
  call: Call,
): Promise<{ plan: UndoPlan; requests: number }> {
  const plan = await planFor(context, works, force, call);
  return { plan, requests: requestCount(plan.ops) };
}
