/** Taking a change back: what brings back what was there, and whether that would take away what came since. */
import type { ChangeOp, DetailValues, Former } from '../domain/change.ts';
import { RelayError } from '../domain/errors.ts';
import { mayBeRows, uriOf, without } from '../domain/rows.ts';
import type { Call } from '../provider/api.ts';
import { USUAL_LAG_MS } from '../provider/resources/playlistRows.ts';
import { getPlaylist } from '../provider/resources/playlists.ts';
import {
  type Change,
  type ChangeBody,
  getChangeBody,
  laterChanges,
  undoOf,
} from '../store/tables/changes.ts';
import type { PreparedChange } from './changes.ts';
import { detailsOf, settleDetails } from './kinds.ts';
import { newlySaved, settleLibrary } from './newlySaved.ts';
import { isWritable, planRows } from './planRows.ts';
import type { ChangeContext, Reading } from './record.ts';
import { applyOp, besideOthers, onlyAppends, rowsAfter, rowsAt } from './rowOps.ts';
import { differs, legOf, progressOf } from './run.ts';
import { ageOf, waitForList } from './times.ts';

type Context = Reading & Pick<ChangeContext, 'clock'>;

/** How a change is taken back, and what a person is told about it. */
export interface UndoPlan extends PreparedChange {
  /** Rows that are written again: Spotify shows them as added today. */
  rewritten: number;
  /** What Spotify offers no way to bring back, a sentence each. */
  lost: string[];
}

/**
 * What takes a change back.
 * @param force also where someone changed the playlist since: what was there before comes back, what came since goes
 * @throws RelayError `CONFLICT` with both lists, `UNSUPPORTED_ITEMS`, or of reading
 */
export async function planUndo(
  context: Context,
  change: Change,
  force: boolean,
  call: Call,
): Promise<UndoPlan> {
  const body = getChangeBody(context.store, change.seq);
  const [first] = body.ops;
  if (!first) return plain([], body.former);
  switch (first.op) {
    case 'details':
      return undoDetails(context, change, body, force, call);
    case 'save':
      await settleLibrary(context, first.uris, USUAL_LAG_MS, call);
      return unsaving(await newlySaved(context, change, body, call));
    case 'unsave':
      await settleLibrary(context, first.uris, 0, call);
      return saving(body.former.saved ?? []);
    case 'follow':
      return plain([{ op: 'unfollow' }], {});
    case 'unfollow':
      return plain([{ op: 'follow' }], {});
    case 'create':
      if (change.playlistId === null) return plain([], {});
      return undoCreation(context, change, body, force, call);
    default:
      return undoRows(context, change, body, force, call);
  }
}

function plain(ops: readonly ChangeOp[], former: Former): UndoPlan {
  return { former, ops, rewritten: 0, lost: [] };
}

function unsaving(uris: readonly string[]): UndoPlan {
  return plain(uris.length === 0 ? [] : [{ op: 'unsave', uris }], { saved: uris });
}

/** Those saved last come first in the library, so the order is turned. */
function saving(uris: readonly string[]): UndoPlan {
  const ops: ChangeOp[] = uris.length === 0 ? [] : [{ op: 'save', uris: [...uris].reverse() }];
  const added = Object.fromEntries(uris.map((uri) => [uri, true]));
  return { ...plain(ops, { added }), rewritten: uris.length };
}

async function undoDetails(
  context: Context,
  change: Change,
  { former, ops }: ChangeBody,
  force: boolean,
  call: Call,
): Promise<UndoPlan> {
  const steps = ops.filter((op) => op.op === 'details');
  const fields: DetailValues = Object.assign({}, ...steps.map(({ set }) => set));
  // What Spotify may have refused is not expected to show.
  const wanted: DetailValues = Object.assign({}, ...steps.map(({ set, mayFail }) => (mayFail ? {} : set)));
  const before = former.details ?? {};
  await settleDetails(context, change.playlistId ?? '', call);
  const present = await settledDetails(context, change, fields, wanted, call);
  const differing = differences(present, wanted);
  if (differing.length > 0 && !force) {
    throw new RelayError(
      'CONFLICT',
      `Someone changed the ${differing.join(' and ')} of the playlist since.`,
      {
        remedy: 'Pass force to bring back what was there before this change.',
        details: { expected: wanted, present, former: before },
      },
    );
  }
  const { description, ...others } = before;
  const back: ChangeOp[] = [];
  if (Object.keys(others).length > 0) back.push({ op: 'details', set: others });
  // On its own: Spotify may refuse an empty one.
  if (description !== undefined)
    back.push({ op: 'details', set: { description }, mayFail: description === '' });
  return {
    ...plain(back, { details: present }),
    lost: description === '' ? ['Spotify may refuse to clear a description.'] : [],
  };
}

/** Details show in reads some seconds after they were changed. */
async function settledDetails(
  context: Context,
  change: Change,
  fields: DetailValues,
  wanted: DetailValues,
  call: Call,
): Promise<DetailValues> {
  const { provider, clock } = context;
  const until = clock.monotonic() + 4_000;
  for (;;) {
    const present = detailsOf(await getPlaylist(provider, change.playlistId ?? '', call), fields);
    const isRecent = ageOf(context, change) < 30_000;
    if (differences(present, wanted).length === 0 || !isRecent || clock.monotonic() >= until) return present;
    await clock.sleep(500, call.signal);
  }
}

/** `public` is left out: Spotify does not keep to what it was told. */
function differences(present: DetailValues, wanted: DetailValues): string[] {
  return (['name', 'description', 'collaborative'] as const).filter(
    (field) => wanted[field] !== undefined && present[field] !== wanted[field],
  );
}

/** Spotify has no deletion: the playlist leaves the account's list, and comes back when that is undone. */
async function undoCreation(
  context: Context,
  change: Change,
  body: ChangeBody,
  force: boolean,
  call: Call,
): Promise<UndoPlan> {
  const expected = expectedRows(change, body) ?? [];
  if (!force) await presentRows(context, change, expected, force, call);
  return plain([{ op: 'unfollow' }], {});
}

function expectedRows(change: Change, body: ChangeBody): readonly string[] | null {
  const { rows, ops } = legOf(body);
  return rows === null ? null : rowsAt(rows, ops, progressOf(change));
}

async function undoRows(
  context: Context,
  change: Change,
  body: ChangeBody,
  force: boolean,
  call: Call,
): Promise<UndoPlan> {
  const expected = expectedRows(change, body);
  if (!force && expected === null && body.ops[0]?.op === 'move')
    await requireSameVersion(context, change, call);
  const present = await presentRows(context, change, expected, force, call);
  const wanted = wantedRows(change, body, present, force);
  const ops = planRows(present, wanted);
  if (ops === null) throw unsupported(present, wanted);
  const rewritten = ops.reduce(
    (sum, op) => sum + (op.op === 'remove' || !('uris' in op) ? 0 : op.uris.length),
    0,
  );
  return { former: { rows: present }, ops, rewritten, lost: [] };
}

/**
 * The rows as they are. They have to be what the change left, as far as that is known.
 * @throws RelayError `CONFLICT`
 */
async function presentRows(
  context: Context,
  change: Change,
  expected: readonly string[] | null,
  force: boolean,
  call: Call,
): Promise<readonly string[]> {
  const { rows, store } = context;
  const id = change.playlistId ?? '';
  // The version tells without reading all rows, but for half a minute it may be that from before a later change.
  const { snapshotId } = change;
  if (expected !== null && snapshotId !== null && laterChanges(store, id, change.seq).length === 0) {
    if (await rows.isAt(id, { snapshotId, rows: expected }, call)) return expected;
  }
  if (expected === null) {
    await waitForList(context, change, call);
    return (await rows.readForChange(id, call)).map(uriOf);
  }
  let present = (await rows.readSettled(id, call)).map(uriOf);
  const isRecent = ageOf(context, change) < USUAL_LAG_MS;
  if (!mayBeRows(expected, present) && isRecent) {
    await waitForList(context, change, call);
    present = (await rows.readSettled(id, call)).map(uriOf);
  }
  // A row that Spotify has stopped offering stays where it is.
  if (mayBeRows(expected, present)) return expected;
  if (force) return present;
  throw changedSince(id, expected, present);
}

/** The version in reads may be an older one for half a minute after a write. */
const VERSION_LAG_MS = 30_000;

/**
 * Rows that were moved without having been read: only the version tells whether anything came since.
 * @throws RelayError `CONFLICT`
 */
async function requireSameVersion(context: Context, change: Change, call: Call): Promise<void> {
  const { provider, rows, store, clock } = context;
  const id = change.playlistId ?? '';
  const later = laterChanges(store, id, change.seq);
  const last = later.at(-1) ?? change;
  const until = clock.monotonic() + Math.max(0, VERSION_LAG_MS - ageOf(context, last));
  const isLeft = ({ seq, undoes }: Change) =>
    (undoes === null || undoes < change.seq) && undoOf(store, seq) === null;
  // Other details are another version too, and their answer does not say which.
  const isTold = !later.some(({ snapshotId }) => snapshotId === null);
  for (; !later.some(isLeft); await clock.sleep(1_000, call.signal)) {
    if (!isTold) return;
    const { snapshot_id } = await getPlaylist(provider, id, call);
    if (snapshot_id === last.snapshotId) return;
    if (clock.monotonic() >= until) break;
  }
  const present = (await rows.readSettled(id, call)).map(uriOf);
  throw new RelayError('CONFLICT', `The playlist ${id} was changed since its rows were moved.`, {
    remedy:
      'Undo the later changes first (list_changes), or pass force: the rows that are now at those places are moved back.',
    details: { playlist_id: id, expected_uris: [], present_uris: present.slice(0, 1_000) },
  });
}

function changedSince(id: string, expected: readonly string[], present: readonly string[]): RelayError {
  const { details } = differs(id, expected, present, 0);
  return new RelayError(
    'CONFLICT',
    `Someone changed the playlist ${id} since: it should have ${expected.length} rows and has ${present.length}.`,
    {
      remedy:
        'Undo the later changes first (list_changes), or pass force: the rows from before this change come back, and later changes are lost.',
      details: details ?? {},
    },
  );
}

/** What was there before, and what others have added to it while it was written. */
function wantedRows(
  change: Change,
  body: ChangeBody,
  present: readonly string[],
  force: boolean,
): readonly string[] {
  const { former, ops, leg } = body;
  if (former.rows && (force || !leg || change.leg === 'back')) return former.rows;
  if (leg && onlyAppends(ops)) return withoutLast(present, addedBy(change, body, present));
  if (!former.rows) return inverseOf(change, body, present, force);
  const goal = rowsAfter(former.rows, ops);
  return besideOthers(goal, former.rows, ops, present);
}

/** The rows of an addition between which others wrote. */
function addedBy(
  change: Change,
  { former, ops, refused, leg }: ChangeBody,
  present: readonly string[],
): string[] {
  const left = new Set(refused ?? []);
  const asked = ops.flatMap((op) => ('uris' in op ? op.uris : [])).filter((uri) => !left.has(uri));
  const isAccepted = leg?.ops.length === 0;
  const uris = change.state === 'done' || isAccepted ? asked : asked.slice(0, change.written);
  if (!former.rows) return uris;
  // What was there before stays, however often.
  return without(uris, without(uris, without(present, former.rows)));
}

/** For rows that were not read before: what the operation did, the other way round. */
function inverseOf(
  change: Change,
  body: ChangeBody,
  present: readonly string[],
  force: boolean,
): readonly string[] {
  const { ops, total } = legOf(body);
  const [op] = ops;
  if (op?.op === 'move' && change.op === 0) throw unknownMove(change);
  if (op?.op === 'move') return movedBack(present, op);
  if (op?.op !== 'append') throw new Error(`A change of kind ${change.kind} has no former rows.`);
  const uris = change.op > 0 ? op.uris : op.uris.slice(0, change.at);
  const start = present.length - uris.length;
  const shown = present.slice(Math.max(0, start));
  const isThere =
    start >= 0 &&
    uris.every((uri, index) => uri === shown[index] || shown[index] === '') &&
    (total === null || total === start);
  if (isThere) return present.slice(0, start);
  if (!force) {
    const before = present.slice(0, total ?? Math.max(0, start));
    throw changedSince(change.playlistId ?? '', [...before, ...uris], present);
  }
  return withoutLast(present, uris);
}

/** Its answer was lost, and the rows were not read before: nothing tells what there is to take back. */
function unknownMove({ playlistId }: Change): RelayError {
  return new RelayError(
    'CONFLICT',
    `Whether the rows of the playlist ${playlistId} were moved is not known.`,
    {
      remedy:
        'Read the playlist (get_playlist_tracks) and move the rows with reorder_playlist_tracks if they are not where they should be.',
    },
  );
}

function movedBack(
  present: readonly string[],
  { start, length, before }: { start: number; length: number; before: number },
): readonly string[] {
  const size = Math.min(length, present.length - start);
  const at = before > start ? Math.max(start, before - size) : before;
  return applyOp(present, { op: 'move', start: at, length: size, before: at < start ? start + size : start });
}

/** Takes out the last occurrence of each. */
function withoutLast(present: readonly string[], uris: readonly string[]): string[] {
  return without([...present].reverse(), uris).reverse();
}

function unsupported(present: readonly string[], wanted: readonly string[]): RelayError {
  const count = wanted.filter((uri) => !isWritable(uri)).length;
  return new RelayError(
    'UNSUPPORTED_ITEMS',
    `${count} rows are local files or no longer offered by Spotify, and cannot be written again.`,
    {
      remedy: 'Change the playlist in Spotify.',
      details: { present_count: present.length, former_count: wanted.length },
    },
  );
}
