/** Undoing a change: the operations that bring back what was there, and whether they would remove what came since. */
import { counted } from '../base/lists.ts';
import type { ChangeOp, DetailValues, Former, Progress } from '../domain/change.ts';
import { RelayError } from '../domain/errors.ts';
import { shortId } from '../domain/job.ts';
import { withNames } from '../domain/mergeRows.ts';
import type { Remedy } from '../domain/remedy.ts';
import { differingRows, mayBeRows, sameRows, uriOf } from '../domain/rows.ts';
import type { Item } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { asList, LAG_MS, REMEMBER_MS, USUAL_LAG_MS } from '../provider/resources/playlistRows.ts';
import {
  type Change,
  type ChangeBody,
  getChangeBody,
  hasPartialUndo,
  laterChanges,
  partialUndos,
  writtenSince,
} from '../store/tables/changes.ts';
import type { PreparedChange } from './changes.ts';
import { readDetails, settleTarget } from './kinds.ts';
import { heldOf, knownAdditions, newlySaved, removedBy, settleLibrary } from './newlySaved.ts';
import { isWritable, planRows, replaceOps, unwritable } from './planRows.ts';
import type { Planning } from './record.ts';
import { isSameRecording, MAX_LOOKED_UP, otherNames } from './relinks.ts';
import { nextStep, onlyAppends, removedUris, rowsAfter, rowsAt, writesRows } from './rowOps.ts';
import { formerBeside, planOf, progressOf, type Run, rowsConflict, rowsReached } from './run.ts';
import { ageOf, LATEST_EFFECT_MS } from './times.ts';

/** How a change is undone, and what a person is told about it. */
export interface UndoPlan extends PreparedChange {
  /** Number of rows that are written again, and that Spotify will show as added today. */
  rewritten: number;
  /** One sentence for each thing that Spotify offers no way to bring back. */
  lost: string[];
}

/**
 * The operations that undo a change.
 * @param force true to undo even if someone changed the playlist since: later changes are then lost
 * @throws RelayError `CONFLICT` with both lists, `UNSUPPORTED_ITEMS` if Spotify offers no way back, or the errors of reading
 */
export async function planUndo(
  context: Planning,
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
      return unsaving(stillSaved(context, await newlySaved(context, change, body, call)));
    case 'unsave':
      await settleLibrary(context, first.uris, 0, call);
      return saving(context, change, body, call);
    case 'follow':
    case 'unfollow':
      await settleTarget(context, change.playlistId ?? '', call);
      return plain([{ op: first.op === 'follow' ? 'unfollow' : 'follow' }], {});
    case 'create':
      if (change.playlistId === null && (change.inTransit || change.uncertain))
        throw unknownPlaylist(first.details.name);
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

/**
 * The tracks that are still to be removed: all except those that relay itself removed shortly before, for example in an
 * unfinished undo.
 */
function stillSaved(context: Planning, uris: readonly string[]): readonly string[] {
  const known = knownAdditions(context, uris);
  return uris.filter((uri) => known[uri] !== true);
}

/**
 * The tracks that somebody has saved again. In the first minute after the change no track counts, since the library may still
 * show the tracks that the change removed.
 */
async function savedSince(
  context: Planning,
  change: Change,
  uris: readonly string[],
  call: Call,
): Promise<ReadonlySet<string>> {
  if (uris.length === 0 || ageOf(context, change) <= REMEMBER_MS) return new Set();
  return heldOf(context, uris, call);
}

/**
 * Saves what a removal took out, except what somebody has saved again. In reverse order, since what is saved last comes first in
 * the library.
 */
async function saving(context: Planning, change: Change, body: ChangeBody, call: Call): Promise<UndoPlan> {
  const { certain, doubtful } = removedBy(change, body);
  const removed = [...certain, ...doubtful];
  const present = await savedSince(context, change, removed, call);
  const uris = removed.filter((uri) => !present.has(uri));
  // An earlier undo whose end is not known may have saved them already.
  const known = knownAdditions(context, uris);
  const ops: ChangeOp[] = uris.length === 0 ? [] : [{ op: 'save', uris: [...uris].reverse() }];
  // In the first minute, it is open whether a doubtful track was removed at all. Later, the date on which it was saved tells.
  const open = ageOf(context, change) <= REMEMBER_MS ? new Set(doubtful) : new Set();
  const noted = uris.filter((uri) => known[uri] !== undefined || !open.has(uri));
  const added = Object.fromEntries(noted.map((uri) => [uri, known[uri] ?? true]));
  return { ...plain(ops, { added }), rewritten: uris.length };
}

async function undoDetails(
  context: Planning,
  change: Change,
  { former, ops }: ChangeBody,
  force: boolean,
  call: Call,
): Promise<UndoPlan> {
  const steps = ops.filter((op) => op.op === 'details');
  const fields: DetailValues = Object.assign({}, ...steps.map(({ set }) => set));
  // A value that Spotify may have refused is not expected to show.
  const wanted: DetailValues = Object.assign({}, ...steps.map(({ set, mayFail }) => (mayFail ? {} : set)));
  const before = former.details ?? {};
  await settleTarget(context, change.playlistId ?? '', call);
  const present = await settledDetails(context, change, fields, wanted, call);
  // A detail that has its former value is no conflict: an undo may have been interrupted, or a person has changed the detail
  // back.
  const isBack = (field: keyof DetailValues) => present[field] === before[field];
  const differing = differences(present, wanted).filter((field) => !isBack(field));
  if (differing.length > 0 && !force) {
    const sets = (op: ChangeOp) =>
      op.op === 'details' && differing.some((field) => op.set[field] !== undefined);
    const later = writtenSince(context.store, change, sets);
    throw new RelayError(
      'CONFLICT',
      `Someone changed the ${differing.map((field) => DETAILS[field]).join(' and ')} of the playlist since.`,
      {
        remedy: later
          ? undoFirst(later, 'what was there before this change comes back')
          : withForce('what was there before this change.'),
        details: { expected: wanted, present, former: before },
      },
    );
  }
  const { description, ...others } = before;
  const back: ChangeOp[] = [];
  if (Object.keys(others).length > 0) back.push({ op: 'details', set: others });
  // Sent alone, since Spotify may refuse an empty description.
  if (description !== undefined)
    back.push({ op: 'details', set: { description }, mayFail: description === '' });
  const unknown = UNSHOWN.filter((field) => fields[field] !== undefined && before[field] === undefined);
  if (back.length === 0 && unknown.length > 0) throw unknownDetails(unknown);
  return {
    ...plain(back, { details: present }),
    lost: [
      ...(description === '' ? [MAY_STAY] : []),
      ...(unknown.length === 0 ? [] : [`${notShown(unknown)}, so this stays as it is now.`]),
    ],
  };
}

/** The details that are compared, in words. */
const DETAILS = { name: 'name', description: 'description', collaborative: 'collaboration' } as const;

const MAY_STAY = 'Spotify may refuse to clear a description.';
const STAYS = 'Spotify refused to clear the description, so the description stays as it is now.';

/** The plan of an undo as it was carried out. Leaves out an operation that Spotify refused, and says in `lost` what stays. */
export function carriedOut(plan: UndoPlan, isRefused: boolean): UndoPlan {
  return {
    ...plan,
    ops: plan.ops.filter((op) => !isRefused || op.op !== 'details' || op.mayFail !== true),
    lost: plan.lost.flatMap((text) => (text !== MAY_STAY ? [text] : isRefused ? [STAYS] : [])),
  };
}

/** Details that Spotify does not always report. */
const UNSHOWN = ['public', 'collaborative'] as const;

function notShown(fields: readonly string[]): string {
  return `Spotify did not show whether the playlist was ${fields.join(' or ')} before the change`;
}

/** The error for a change of nothing but details whose former values are not known. */
function unknownDetails(fields: readonly string[]): RelayError {
  return new RelayError('UNSUPPORTED_ITEMS', `${notShown(fields)}, so relay cannot bring that back.`, {
    remedy: {
      text: 'Nothing was changed. Set it with update_playlist_details, or in Spotify.',
      terminal: { text: 'Nothing was changed. Set it in Spotify.', commands: [] },
      page: 'Nothing was changed. Set it in Spotify.',
    },
  });
}

/** The details, read again for up to 4 s until they show a recent change. */
async function settledDetails(
  context: Planning,
  change: Change,
  fields: DetailValues,
  wanted: DetailValues,
  call: Call,
): Promise<DetailValues> {
  const { clock } = context;
  const until = clock.monotonic() + 4_000;
  for (;;) {
    const present = await readDetails(context, change.playlistId ?? '', fields, call);
    const isRecent = ageOf(context, change) < 30_000;
    if (differences(present, wanted).length === 0 || !isRecent || clock.monotonic() >= until) return present;
    await clock.sleep(500, call.signal);
  }
}

/** The details that differ, without `public`, which Spotify does not store reliably. */
function differences(present: DetailValues, wanted: DetailValues) {
  return (['name', 'description', 'collaborative'] as const).filter(
    (field) => wanted[field] !== undefined && present[field] !== wanted[field],
  );
}

/** The undo of a new playlist takes it off the account's list, since Spotify cannot delete one. Undoing that brings it back. */
async function undoCreation(
  context: Planning,
  change: Change,
  body: ChangeBody,
  force: boolean,
  call: Call,
): Promise<UndoPlan> {
  if (!force) await presentRows(context, sightOf(context, change, body, false), call);
  return plain([{ op: 'unfollow' }], {});
}

/** The change with the progress that the list shows: its last request may have taken effect without an answer. */
async function asFarAsShown(
  { rows }: Planning,
  change: Change,
  body: ChangeBody,
  call: Call,
): Promise<Change> {
  const plan = planOf(body);
  const next = change.uncertain ? nextStep(plan.ops, progressOf(change)) : null;
  if (!next || change.playlistId === null) return change;
  const present = (await rows.readSettled(change.playlistId, call)).map(uriOf);
  const shows = (progress: Progress) => mayBeRows(rowsAt(plan, progress), present);
  return !shows(next.from) && shows(next.to) ? { ...change, ...next.to } : change;
}

async function undoRows(
  context: Planning,
  recorded: Change,
  stored: ChangeBody,
  force: boolean,
  call: Call,
): Promise<UndoPlan> {
  await settleTarget(context, recorded.playlistId ?? '', call);
  const body = await withBase(context, recorded, stored, call);
  const change = await asFarAsShown(context, recorded, body, call);
  // What an interrupted undo has already taken back is not another person's change.
  const isBegun = hasPartialUndo(context.store, change.seq);
  const begun = begunUndos(context, change);
  const expected = begun[0] ? rowsReached(begun[0]) : rowsReached({ change, plan: planOf(body) });
  const isForced = force && isRead(body.former.rows);
  const sight = { ...sightOf(context, change, body, force || isBegun), expected };
  const { playlistId, shownAs, unseen } = sight;
  const plan = (shown: readonly string[]) => {
    // The list may show the rows from before relay's own last write, or rows that another person wrote. Replacing all rows is
    // right in both cases.
    const caughtUp = isForced ? withOwnWrites(context, change, shown) : null;
    const present = caughtUp ?? shown;
    const wanted = isForced
      ? (body.former.rows ?? [])
      : formerBeside({ change, plan: planOf(body) }, withoutUndos(begun, present));
    const inPlace = caughtUp && wanted.every(isWritable) ? null : planRows(present, wanted);
    // A removal takes out every row of a song. If the list shows the song under another ID or without a name, other rows might go
    // too. If others have changed the list, relay can only guess which song a row without a name is.
    const isGuess = isForced && !mayBeRows(asLong(expected, present.length), present);
    const isRisky = removedUris(inPlace ?? []).some((uri) => {
      const shown = shownAs.get(uri);
      return shown !== undefined && (present.includes(shown) || (isGuess && shown === ''));
    });
    const ops = inPlace && !isRisky ? inPlace : wanted.every(isWritable) ? replaceOps(wanted) : null;
    if (ops === null) throw unwritable(wanted, 'Change the playlist in Spotify.');
    return { present, ops };
  };
  // Another person's change may be too recent to show in the version, but appending does it no harm.
  const quick = (await isAtVersion(context, change, expected, call)) ? plan(expected) : null;
  let planned = quick && onlyAppends(quick.ops) ? quick : null;
  const how = isForced ? 'readShown' : 'readSettled';
  const read = (how: How) => presentRows(context, sight, call, how);
  planned ??= plan(await read(how));
  const hidden = removedUris(planned.ops).filter((uri) => unseen.has(uri));
  if (hidden.length > 0) {
    // The ID that the list will show for these rows may also be that of other rows, which must stay. Only a few songs can be
    // looked up; if there are more, the list has to show them.
    const waitMs = hidden.length > MAX_LOOKED_UP ? LATEST_EFFECT_MS : LAG_MS;
    const items = await context.rows.readShown(playlistId, call, waitMs);
    const shown = items.map(uriOf);
    const isBehind = withOwnWrites(context, change, shown) !== null;
    if (isBehind)
      for (const [uri, other] of await otherNames(context, hidden, items, call)) shownAs.set(uri, other);
    const present = isBehind
      ? planned.present
      : asSeen(sight, await underOwnNames(context, sight, shown, items, call));
    planned = plan(present);
  }
  if (planned.ops.some(({ op }) => op === 'put')) {
    // Before all rows are replaced, two readings have to be equal.
    const again = await read(how);
    const isSteady = sameRows(again, planned.present);
    planned = plan(isSteady ? again : await read(isForced ? how : 'readTwice'));
  }
  const { present, ops } = planned;
  const removed = removedUris(ops);
  if (
    present.includes('') &&
    removed.length > 0 &&
    !(await areShown(context, change, removed, shownAs, call))
  )
    throw unwritable(present, 'Change the playlist in Spotify.');
  const rewritten = ops.reduce(
    (sum, op) => sum + (op.op === 'remove' || !('uris' in op) ? 0 : op.uris.length),
    0,
  );
  // If the change has replaced all rows, those that the undo leaves alone have lost their dates before.
  const isReplaced = ops.length > 0 && planOf(body).ops.some(({ op }) => op === 'put');
  const kept = isReplaced ? rowsAfter({ rows: present, ops }).length - rewritten : 0;
  const lost =
    kept > 0 ? [`Former dates stay lost for ${counted(kept, 'row')}, which the change wrote again.`] : [];
  return { former: { rows: present }, ops, rewritten, lost };
}

type Begun = Pick<Run, 'change' | 'plan'>;

/** The unfinished undos of a change, the last one first: each stopped part-way. */
function begunUndos({ store }: Planning, { seq }: Change): Begun[] {
  return partialUndos(store, seq).map((change) => ({
    change,
    plan: planOf(getChangeBody(store, change.seq)),
  }));
}

/** The rows as they would be if undos that stopped part-way had not begun. Otherwise, what they put back would be there twice. */
function withoutUndos(begun: readonly Begun[], present: readonly string[]): readonly string[] {
  return begun.reduce((rows, undo) => formerBeside(undo, rows, undo.change.uncertain), present);
}

/** True if the list names a row for each of these songs. If it names none for a song, a row without a name may be that song. */
async function areShown(
  { rows }: Planning,
  { playlistId }: Change,
  uris: readonly string[],
  shownAs: ReadonlyMap<string, string>,
  call: Call,
): Promise<boolean> {
  const shown = new Set((await rows.readShown(playlistId ?? '', call)).map(uriOf));
  return uris.every((uri) => shown.has(shownAs.get(uri) ?? uri));
}

/** True if Spotify still reports the version of the playlist that the change left. */
async function isAtVersion(
  { rows, store }: Planning,
  { snapshotId, playlistId, seq }: Change,
  expected: readonly string[],
  call: Call,
): Promise<boolean> {
  if (snapshotId === null || playlistId === null || expected.includes('')) return false;
  // For half a minute after a later change, the version may be the one from before it.
  if (laterChanges(store, playlistId, seq).length > 0) return false;
  return rows.isAt(playlistId, { snapshotId, rows: expected }, call);
}

/** What an undo expects in a list, and what the undo has found there. */
interface Sight {
  playlistId: string;
  /** The rows that the change left. */
  expected: readonly string[];
  /** The rows from before the change. A list that lags shows them, and an undo with `force` writes them. */
  former: readonly string[];
  /** Returns the change that wrote rows of the playlist after this one; null if there is none. */
  later(): Change | null;
  /** True if a different list is no conflict. */
  isAnyRight: boolean;
  /** Maps the URI of a row to the different URI that Spotify shows for it; to an empty string if Spotify shows none. */
  shownAs: Map<string, string>;
  /** URIs of rows that the list does not show yet. */
  unseen: Set<string>;
}

function sightOf({ store }: Planning, change: Change, body: ChangeBody, isAnyRight: boolean): Sight {
  return {
    playlistId: change.playlistId ?? '',
    later: () => writtenSince(store, change, writesRows),
    expected: rowsReached({ change, plan: planOf(body) }),
    former: body.former.rows ?? [],
    isAnyRight,
    shownAs: new Map(),
    unseen: new Set(),
  };
}

type How = 'readShown' | 'readSettled' | 'readTwice';

/**
 * Reads the present rows, under the URIs that they had when the change ended. Unless `isAnyRight`, they have to be the rows
 * that the change left.
 * @throws RelayError `CONFLICT`
 */
async function presentRows(
  context: Planning,
  sight: Sight,
  call: Call,
  how: How = 'readSettled',
): Promise<readonly string[]> {
  const { rows } = context;
  const { playlistId, expected, unseen } = sight;
  if (how === 'readSettled') {
    const items = await rows.readFresh(playlistId, call);
    const shown = items.map(uriOf);
    const caughtUp = rows.caughtUp(playlistId, { from: 0, rows: shown, isEnd: true });
    const named = new Set(shown);
    for (const uri of caughtUp ?? []) if (!named.has(uri)) unseen.add(uri);
    const present = await underOwnNames(context, sight, caughtUp ?? shown, items, call);
    const isAsLeft = mayBeRows(asLong(expected, present.length), present);
    // If the list shows relay's own row under another ID, that looks like another person's change, and `readSettled` would
    // wait.
    if (isAsLeft || caughtUp || !rows.hasWritten(playlistId)) return asSeen(sight, present);
  }
  const items = await rows[how](playlistId, call);
  return asSeen(sight, await underOwnNames(context, sight, items.map(uriOf), items, call));
}

/**
 * The present rows, under the URIs that they had when the change ended.
 * @throws RelayError `CONFLICT`
 */
function asSeen(sight: Sight, present: readonly string[]): readonly string[] {
  const { expected, isAnyRight, shownAs } = sight;
  // A row that Spotify no longer offers keeps its place.
  const left = asLong(expected, present.length);
  const isAsLeft = mayBeRows(left, present) && !isTraded(left, present);
  if (!isAsLeft && !isAnyRight) throw changedSince(sight, left, present);
  const named = isAsLeft ? withNames(left, present) : withNames(present, left);
  for (const [at, uri] of named.entries()) if (uri !== '' && present[at] === '') shownAs.set(uri, '');
  return named;
}

/** True if a song shows in a row that had no name, and its former row now has none: someone has moved rows. */
function isTraded(left: readonly string[], present: readonly string[]): boolean {
  const found = new Set(present.filter((uri, at) => uri !== '' && left[at] === ''));
  return left.some((uri, at) => present[at] === '' && found.has(uri));
}

/**
 * The rows under the IDs that they were written with, even if Spotify shows another ID. They are compared with the rows that
 * the change left, or with those from before the change, whichever are more alike.
 */
async function underOwnNames(
  context: Pick<Planning, 'provider'>,
  { expected, former, shownAs }: Sight,
  shown: readonly string[],
  items: readonly Item[],
  call: Call,
): Promise<string[]> {
  const present = [...shown];
  const [closest] = [expected, former]
    .filter(({ length }) => length === present.length)
    .map((known) => ({ known, differing: differingRows(known, present) }))
    .sort((a, b) => a.differing.length - b.differing.length);
  if (!closest || closest.differing.length > MAX_LOOKED_UP) return present;
  for (const at of closest.differing) {
    const [sent = '', name = ''] = [closest.known[at], present[at]];
    if (!(await isSameRecording(context, sent, name, items, call))) continue;
    present[at] = sent;
    shownAs.set(sent, name);
  }
  return present;
}

/** Returns `rows`. If they were not read to their end, makes them as many as the list has, since their number may be outdated. */
function asLong(rows: readonly string[], length: number): readonly string[] {
  if (rows.at(-1) !== '') return rows;
  const known = rows.findLastIndex((uri) => uri !== '') + 1;
  return asList({ from: 0, rows: rows.slice(0, known), isEnd: false }, length);
}

function changedSince(sight: Sight, left: readonly string[], present: readonly string[]): RelayError {
  const { playlistId } = sight;
  const later = sight.later();
  const { details } = rowsConflict(playlistId, withNames(left, present), present, 0);
  const how =
    left.length === present.length
      ? 'some of its rows differ'
      : `it should have ${left.length} rows and has ${present.length}`;
  return new RelayError('CONFLICT', `Someone changed the playlist ${playlistId} since: ${how}.`, {
    remedy: later
      ? undoFirst(later, 'the rows from before this change come back')
      : withForce('the rows from before this change. Later changes are then lost.'),
    details: details ?? {},
  });
}

/** @param what the text after "bring back", with its full stop; further sentences may follow */
function withForce(what: string): Remedy {
  return {
    text: `Pass force to bring back ${what}`,
    terminal: { text: `Add --force to bring back ${what}`, commands: [] },
    page: `“Undo anyway” brings back ${what}`,
  };
}

/** @param back what force does, as a clause */
function undoFirst({ id }: Change, back: string): Remedy {
  const lost = `${back}, and later changes are lost.`;
  return {
    text: `First undo the change ${id}, which wrote to the playlist later. Or pass force: ${lost}`,
    terminal: {
      text: `Undo the later change first with {1}. Or add --force: ${lost}`,
      commands: [['undo', shortId(id)]],
    },
    page: `Undo the later change of this playlist first. With “Undo anyway”, ${lost}`,
  };
}

/** True if all rows were read. */
function isRead(rows: readonly string[] | undefined): boolean {
  return rows !== undefined && !rows.includes('');
}

/**
 * The rows that the list will show once it shows relay's own last write; null if it already shows that, or if others wrote too.
 */
function withOwnWrites({ rows }: Planning, { playlistId }: Change, shown: readonly string[]) {
  return rows.caughtUp(playlistId ?? '', { from: 0, rows: shown, isEnd: true });
}

/**
 * Earlier versions of relay added and moved rows without reading the list first. For their changes, the number of
 * former rows is worked out from the present ones.
 */
async function withBase(
  { rows }: Planning,
  change: Change,
  body: ChangeBody,
  call: Call,
): Promise<ChangeBody> {
  if (body.former.rows !== undefined || body.plan) return body;
  const [op] = body.ops;
  const present = (await rows.readSettled(change.playlistId ?? '', call)).map(uriOf);
  const added = op?.op === 'append' ? op.uris.slice(0, change.op > 0 ? undefined : change.at) : [];
  if (op?.op === 'move' && change.op === 0) throw unknownMove(change);
  const size = Math.max(0, present.length - added.length);
  return { ...body, former: { ...body.former, rows: new Array<string>(size).fill('') } };
}

/** The error for a move whose answer was lost and before which no rows were read, so it is not known what to undo. */
function unknownMove({ playlistId }: Change): RelayError {
  return new RelayError(
    'CONFLICT',
    `It is not known whether the rows of the playlist ${playlistId} were moved.`,
    {
      remedy: {
        text: 'Read the playlist (get_playlist_tracks) and move the rows with reorder_playlist_tracks if they are not where they should be.',
        page: 'Look at the playlist in Spotify, and move the rows there if they are not where they should be.',
      },
    },
  );
}

/**
 * The error for a new playlist whose ID is not known. The answer was lost, or came after the copy from which the state was
 * restored.
 */
function unknownPlaylist(name: string): RelayError {
  return new RelayError('CONFLICT', `It is not known whether the playlist "${name}" was made.`, {
    remedy: {
      text: 'Look for it in Spotify (find_playlist_by_name), and remove it (delete_playlist) if it is there and not wanted.',
      page: 'Look for it in Spotify, and delete it there if you do not want it.',
    },
  });
}
