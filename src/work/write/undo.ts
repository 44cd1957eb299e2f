/** Undoing a work: the operations that bring back what was there, and whether they would remove what came since. */
import { counted } from '../../base/lists.ts';
import type { ChangeOp, DetailValues, Former } from '../../domain/change.ts';
import { RelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import { uriOf, withNames } from '../../domain/rows.ts';
import type { Item } from '../../domain/shapes.ts';
import type { Call } from '../../provider/api.ts';
import { getAllMyPlaylists } from '../../provider/resources/playlists.ts';
import { type Body, getBody, partialUndos, type Work, writtenSince } from '../../store/tables/works.ts';
import type { Planning } from '../moves.ts';
import { planSteadily, readDetails, settleLibrary } from './kinds.ts';
import { asExpected } from './look.ts';
import { planRows, unwritable } from './plan.ts';
import { planOf, rowsReached } from './progress.ts';
import { rowsConflict } from './review.ts';
import { onlyAppends, placesOf, rowsAfter, writesRows } from './states.ts';
import type { Prepared } from './writes.ts';

/** How a work is undone, and what a person is told about it. */
export interface UndoPlan extends Prepared {
  /** Number of rows that are written again, and that Spotify will show as added today. */
  rewritten: number;
  /** One sentence for each thing that Spotify offers no way to bring back. */
  lost: string[];
}

/**
 * The operations that undo a work.
 * @param force true to undo even if someone changed the playlist since: later changes are then lost
 * @throws RelayError `CONFLICT` with both lists, `UNSUPPORTED_ITEMS` if Spotify offers no way back, or the errors of reading
 */
export async function planUndo(context: Planning, work: Work, force: boolean, call: Call): Promise<UndoPlan> {
  const body = getBody(context.store, work.seq);
  const [first] = body.ops;
  if (!first) return plain([], body.former);
  switch (first.op) {
    case 'details':
      return undoDetails(context, work, body, force, call);
    case 'save':
    case 'unsave':
      await settleLibrary(context, sentOf(work, body), call);
      return first.op === 'save' ? undoSave(work, body) : undoUnsave(work, body);
    case 'follow':
    case 'unfollow':
      return plain(
        body.ops.map((op) => ({ ...op, op: first.op === 'follow' ? 'unfollow' : 'follow' }) as ChangeOp),
      );
    case 'create':
      if (work.playlistId === null && (work.sending || work.uncertain))
        throw unknownPlaylist(first.details.name);
      if (work.playlistId === null) return plain([]);
      if (!force) await presentRows(context, work, body, call);
      return plain([{ op: 'unfollow' }]);
    default:
      return undoRows(context, work, body, force, call);
  }
}

/**
 * The requests that take the playlists of one import off the list.
 * @throws RelayError `CONFLICT` if others have written to one of them
 */
export async function planTogether(
  context: Planning,
  works: readonly Work[],
  force: boolean,
  call: Call,
): Promise<UndoPlan> {
  if (!force) {
    const { items } = await getAllMyPlaylists(context.provider, works.length + MOST_OTHERS, call);
    const versions = new Map(items.map(({ id, snapshot_id }) => [id, snapshot_id]));
    // A list that has another version than relay left there may still have the same rows.
    for (const work of works)
      if (versions.get(work.playlistId ?? '') !== work.snapshotId)
        await presentRows(context, work, getBody(context.store, work.seq), call);
  }
  return plain(works.map(({ playlistId }) => ({ op: 'unfollow', playlist: playlistId ?? '' })));
}

/** An account can have about 11,000 playlists. */
const MOST_OTHERS = 12_000;

function plain(ops: readonly ChangeOp[], former: Former = {}): UndoPlan {
  return { former, ops, rewritten: 0, lost: [] };
}

/** The tracks that the requests of a library work named, those of the request in doubt included. */
function sentOf({ step, uncertain }: Work, { ops }: Body): string[] {
  const sent = ops.slice(0, step + (uncertain ? 1 : 0)).flatMap((one) => ('uris' in one ? one.uris : []));
  return [...new Set(sent)];
}

function undoSave(work: Work, body: Body): UndoPlan {
  const held = new Set(body.former.saved ?? []);
  const uris = sentOf(work, body).filter((uri) => !held.has(uri));
  return plain(uris.length === 0 ? [] : [{ op: 'unsave', uris }], { saved: uris });
}

/** In reverse order, since what is saved last comes first in the library. */
function undoUnsave(work: Work, body: Body): UndoPlan {
  const held = new Set(body.former.saved ?? []);
  const uris = sentOf(work, body).filter((uri) => held.has(uri));
  const ops: ChangeOp[] = uris.length === 0 ? [] : [{ op: 'save', uris: [...uris].reverse() }];
  return { ...plain(ops, { saved: [] }), rewritten: uris.length };
}

async function undoDetails(
  context: Planning,
  work: Work,
  { former, ops }: Body,
  force: boolean,
  call: Call,
): Promise<UndoPlan> {
  const steps = ops.filter((op) => op.op === 'details');
  const fields: DetailValues = Object.assign({}, ...steps.map(({ set }) => set));
  const wanted: DetailValues = Object.assign({}, ...steps.map(({ set, mayFail }) => (mayFail ? {} : set)));
  const before = former.details ?? {};
  const present = await readDetails(context, work.playlistId ?? '', fields, call);
  const differing = DETAILS.filter(
    (field) =>
      wanted[field] !== undefined && present[field] !== wanted[field] && present[field] !== before[field],
  );
  if (differing.length > 0 && !force) {
    const sets = (op: ChangeOp) =>
      op.op === 'details' && differing.some((field) => op.set[field] !== undefined);
    const later = writtenSince(context.store, work, sets);
    const what = `Someone changed the ${differing.join(' and ')} of the playlist since.`;
    throw new RelayError('CONFLICT', what, {
      remedy: later
        ? undoFirst(later, 'what was there before this change comes back')
        : withForce('what was there before this change.'),
      details: { expected: wanted, present, former: before },
    });
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

const DETAILS = ['name', 'description', 'collaborative'] as const;
const MAY_STAY = 'Spotify may refuse to clear a description.';
const STAYS = 'Spotify refused to clear the description, so the description stays as it is now.';

/** The plan of an undo as it was carried out. */
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

function unknownDetails(fields: readonly string[]): RelayError {
  return new RelayError('UNSUPPORTED_ITEMS', `${notShown(fields)}, so relay cannot bring that back.`, {
    remedy: 'Nothing was changed. Set it {with update_playlist_details, or |}in Spotify.',
  });
}

/**
 * Compares the rows that are there (`present`, under the IDs that they were written with) with those that the work, or an undo of
 * it that stopped part-way, left there. `goal` has the rows that such an undo was to bring back.
 */
async function compared(context: Planning, work: Work, body: Body, items: readonly Item[], call: Call) {
  const { store } = context;
  const [undo] = partialUndos(store, work.seq);
  const last = undo ?? work;
  const undoBody = undo && getBody(store, undo.seq);
  const plan = planOf(undoBody ?? body);
  const goal = undoBody ? rowsAfter({ rows: undoBody.former.rows ?? [], ops: undoBody.ops }) : null;
  const shown = items.map(uriOf);
  const states = [rowsReached({ work: last, plan })];
  if (last.uncertain || last.sending) states.push(rowsAfter(plan, last.step + 1));
  for (const left of body.notes?.mixed === true ? [] : states) {
    const long = asLong(left, shown.length);
    const present = await asExpected(context, plan, long, shown, call);
    if (present) return { present, left: long, isAsLeft: true, goal };
  }
  const [left = []] = states;
  return { present: shown, left, isAsLeft: false, goal };
}

/** @throws RelayError `CONFLICT` if the rows are not those that the work left */
async function presentRows(context: Planning, work: Work, body: Body, call: Call) {
  const items = await context.rows.readSettled(work.playlistId ?? '', call);
  const { present, left, isAsLeft } = await compared(context, work, body, items, call);
  if (!isAsLeft) throw changedSince(context, work, left, present);
  return withNames(left, present);
}

type Rows = readonly string[];

async function undoRows(context: Planning, work: Work, body: Body, force: boolean, call: Call) {
  const id = work.playlistId ?? '';
  const former = body.former.rows ?? [];
  const planned = await planSteadily(context.rows, id, call, async (items) => {
    const { present: shown, left, isAsLeft, goal } = await compared(context, work, body, items, call);
    const present = isAsLeft ? withNames(left, shown) : shown;
    const isKnown = !former.includes('');
    const wanted = isAsLeft
      ? (goal ?? filledIn(former, left, present))
      : force && isKnown
        ? former
        : withoutBlocks(work, body, present);
    if (wanted === null) throw force ? partlyRead(work) : changedSince(context, work, left, present);
    const ops = planRows(present, wanted);
    if (ops === null) throw unwritable(wanted, 'Change the playlist in Spotify.');
    // Spotify removes every row of a song, also one that it shows without a name.
    const takesOut = ops.some(({ op }) => op === 'remove' || op === 'put');
    if (takesOut && !force && items.some((item) => uriOf(item) === ''))
      throw namelessRows(work, items.length);
    return { present, ops };
  });
  const { present, ops } = planned ?? { present: [], ops: [] };
  const rewritten = ops
    .map((op) => (op.op === 'remove' || !('uris' in op) ? 0 : op.uris.length))
    .reduce((sum, count) => sum + count, 0);
  const isReplaced = ops.length > 0 && planOf(body).ops.some(({ op }) => op === 'put');
  const kept = isReplaced ? rowsAfter({ rows: present, ops }).length - rewritten : 0;
  const lost =
    kept > 0 ? [`Former dates stay lost for ${counted(kept, 'row')}, which the change wrote again.`] : [];
  return { former: { rows: present }, ops, rewritten, lost };
}

function namelessRows({ playlistId }: Work, count: number): RelayError {
  const what = `The playlist ${playlistId} has rows that Spotify does not name`;
  return new RelayError('CONFLICT', `${what}, and taking out songs could take them along.`, {
    remedy: withForce('what was there before this change all the same.'),
    details: { present_count: count },
  });
}

/** The former rows. Those that were not read have the same place in what the work left. */
function filledIn(former: Rows, left: Rows, present: Rows): Rows {
  return former.map((uri, at) => (uri === '' && left[at] === '' ? (present[at] ?? '') : uri));
}

/**
 * If a work has only added rows at the end, and they are still there, each request's in one block, the undo takes out these
 * blocks, whatever else is there. Of a request whose answer was lost, the block may be missing. Otherwise null.
 */
function withoutBlocks({ step, uncertain }: Work, body: Body, present: Rows): Rows | null {
  if (body.plan || !onlyAppends(body.ops)) return null;
  const former = body.former.rows ?? [];
  let rows = present;
  for (const [index, one] of body.ops.slice(0, step + (uncertain ? 1 : 0)).entries()) {
    const block = 'uris' in one ? one.uris : [];
    // A row of the same song that was there before must not be taken for the added one.
    if (placesOf(block, former).length > 0) return null;
    const [at, second] = placesOf(block, rows);
    if (second !== undefined || (at === undefined && index < step)) return null;
    if (at !== undefined) rows = [...rows.slice(0, at), ...rows.slice(at + block.length)];
  }
  return rows;
}

/** The error for an undo beside edits of others, if relay does not know all rows from before the work. */
function partlyRead({ playlistId }: Work): RelayError {
  const what = `relay does not know all rows that the playlist ${playlistId} had before this change`;
  return new RelayError('CONFLICT', `${what}, and somebody has changed it since.`, {
    remedy: 'Nothing was changed. Take out the songs in Spotify.',
  });
}

/** Rows that were not read to their end are made as many as the list has. */
function asLong(rows: Rows, length: number): Rows {
  if (rows.at(-1) !== '') return rows;
  const known = rows.findLastIndex((uri) => uri !== '') + 1;
  return [...rows.slice(0, known), ...new Array<string>(Math.max(0, length - known)).fill('')];
}

function changedSince(context: Planning, work: Work, left: Rows, present: Rows): RelayError {
  const later = writtenSince(context.store, work, writesRows);
  const { details } = rowsConflict(context.provider, work, left, present);
  const how =
    left.length === present.length
      ? 'some of its rows differ'
      : `it should have ${left.length} rows and has ${present.length}`;
  return new RelayError('CONFLICT', `Someone changed the playlist ${work.playlistId} since: ${how}.`, {
    remedy: later
      ? undoFirst(later, 'the rows from before this change come back')
      : withForce('the rows from before this change. Later changes are then lost.'),
    details: details ?? {},
  });
}

/** @param what the text after "bring back", with its full stop; further sentences may follow */
function withForce(what: string): string {
  return `{Pass force|Add --force|Press “Undo anyway”} to bring back ${what}`;
}

/** @param back what force does, as a clause */
function undoFirst({ id }: Work, back: string): string {
  const first = `First undo the later change of this playlist ({change_id ${id}|relay undo ${shortId(id)}})`;
  return `${first}. {Or pass force|Or add --force|With “Undo anyway”}: ${back}, and later changes are lost.`;
}

function unknownPlaylist(name: string): RelayError {
  return new RelayError('CONFLICT', `It is not known whether the playlist "${name}" was made.`, {
    remedy:
      'Look for it in Spotify{ (find_playlist_by_name)|}, and delete it there{ (delete_playlist)|} if it is not wanted.',
  });
}
