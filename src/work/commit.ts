/** The writing half of a list: what its items become, and which of them are left out. */
import type { ChangeKind } from '../domain/change.ts';
import { RelayError } from '../domain/errors.ts';
import { uriOf, urisOf } from '../domain/rows.ts';
import type { Item } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { skipItems, unwriteItems, urisToWrite } from '../store/tables/items.ts';
import { forgetUndos, hasBody, putBody, setWork, undoOf, type Work } from '../store/tables/works.ts';
import { failuresOf, follow } from './follow.ts';
import { jobRecord } from './jobRecord.ts';
import { move, reread, type WorkContext } from './moves.ts';
import { cannotGoOn, wrongState } from './refusals.ts';
import { addRows, makePlaylist, replaceRows, saveTracks, unsaveTracks } from './write/kinds.ts';
import type { WriteRequest, Writes } from './write/writes.ts';

type Context = WorkContext & { writes: Writes };

/**
 * Begins the write of a work, or continues it. For a cancelled one, finds out how its last request ended.
 * @throws RelayError what fails before the write begins, and `STORE_ERROR`
 */
export async function commitStep(context: Context, work: Work, signal: AbortSignal): Promise<void> {
  const { store, writes } = context;
  const cancelled = work.status === 'cancelled';
  if (work.status === 'waiting') {
    if (!(await move(context, work, 'committing', { runAfter: null, error: null }))) return;
  }
  const present = reread(store, work);
  const options = { signal, maxAttempts: present.maxAttempts, before: failuresOf(present), cancelled };
  const report = hasBody(store, work.seq)
    ? await writes.resume(present, options)
    : await writes.begin(requestFor(context, present), options);
  await follow(context, work, report?.end ?? { kind: 'ended', cause: null });
}

/**
 * Before a failed job is resumed: if its write has ended without effect, or was undone, it begins from the start.
 * @throws RelayError `JOB_STATE` if it has ended part-way
 */
export function beginAgain({ store, clock }: WorkContext, work: Work): void {
  const { seq, kind, outcome } = work;
  if (outcome === null) return;
  const undo = undoOf(store, work);
  if (undo?.outcome === null)
    throw wrongState(jobRecord(store, work), 'What it had written is being undone.');
  const isGone = outcome !== 'partial' || work.written === 0 || undo !== null;
  if (!isGone || !LISTS.has(kind)) throw cannotGoOn(jobRecord(store, work));
  unwriteItems(store, seq);
  forgetUndos(store, seq);
  putBody(store, seq, null);
  // A playlist that was made and undone is off the list, and keeps its rows.
  setWork(store, seq, { outcome: null, ...(kind === 'create' ? { playlistId: null } : {}) }, clock.now());
}

const LISTS: ReadonlySet<ChangeKind> = new Set(['add', 'create', 'replace', 'save', 'unsave']);

/** The request for the write of a list that has not begun. Items to skip are marked once the target has been read. */
function requestFor(context: Context, work: Work): WriteRequest {
  const { store } = context;
  return {
    ...kindOf(context, work, []),
    ...(work.account === null ? {} : { account: work.account }),
    askedBy: work.askedBy,
    work: work.seq,
    requested: work.totalItems,
    async prepare(call) {
      const held = await heldItems(context, work, call);
      requireCommitting(store, work);
      markSkips(context, work, held);
      const uris = urisToWrite(store, work.seq);
      if (uris.length === 0) return null;
      const requested = uris.length;
      if (held) return { requested, former: { rows: held.map(uriOf) }, ops: [{ op: 'append', uris }] };
      const prepared = await kindOf(context, work, uris).prepare(call);
      requireCommitting(store, work);
      return prepared && { requested, ...prepared };
    },
  };
}

function kindOf(
  context: Context,
  { kind, playlistId, payload }: Work,
  uris: readonly string[],
): Omit<WriteRequest, 'askedBy'> {
  const id = playlistId ?? '';
  switch (kind) {
    case 'create': {
      const { name = '', description, public: isPublic } = payload;
      return makePlaylist(context, { name, description, public: isPublic }, uris);
    }
    case 'replace':
      return replaceRows(context, id, uris);
    case 'save':
      return saveTracks(context, uris);
    case 'unsave':
      return unsaveTracks(context, uris, 'all');
    default:
      return addRows(context, id, uris);
  }
}

/** All rows of the target playlist if items that are already in it are to be skipped; otherwise null. */
export async function heldItems(
  { rows }: Pick<WorkContext, 'rows'>,
  { kind, payload }: Work,
  call: Call,
): Promise<readonly Item[] | null> {
  if (!payload.skip_existing || kind !== 'add') return null;
  return rows.readSettled(payload.playlist_id ?? '', call);
}

function requireCommitting(store: WorkContext['store'], work: Work): void {
  if (reread(store, work).status === 'committing') return;
  throw new RelayError('CANCELLED', 'The job was cancelled.');
}

/**
 * Marks items to skip: repeats of an earlier item, and those whose URI is already in the target. Each beginning of a write makes
 * all marks again: rows of an earlier reading of the target may be gone.
 */
export function markSkips(
  { store }: Pick<WorkContext, 'store'>,
  { seq, payload }: Work,
  held: readonly Item[] | null,
): void {
  if (held) unwriteItems(store, seq);
  if (held || payload.skip_duplicates)
    skipItems(store, seq, held?.flatMap(urisOf) ?? [], payload.skip_duplicates);
}
