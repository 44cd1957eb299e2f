/** Reading the target of a change to find out how far it got. */
import type { ChangeOp, Progress } from '../domain/change.ts';
import { differingRows, sameRows, uriOf } from '../domain/rows.ts';
import type { Item, Playlist } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { asList, type RowsPart } from '../provider/resources/playlistRows.ts';
import { getAllMyPlaylists, getPlaylistItems, PLAYLIST_PAGE } from '../provider/resources/playlists.ts';
import { getChangeBody, laterChanges, type Plan, putChangeBody } from '../store/tables/changes.ts';
import { compareRows, nearestState, type Verdict } from './compare.ts';
import type { ChangeContext } from './record.ts';
import { isSameRecording, MAX_LOOKED_UP, otherNames } from './relinks.ts';
import {
  applyOp,
  isAfter,
  removedUris,
  restOf,
  rowsAt,
  rowsBefore,
  type Step,
  stepsFrom,
  writtenUris,
} from './rowOps.ts';
import { isUntouched, progressOf, type Run, rowsReached, sizeInDoubt } from './run.ts';

/**
 * Reads the part of the playlist that the change touches, and compares it with every state of the change.
 * @param step the request in doubt; null if any request after the recorded progress may be in doubt
 * @param whole true to read all rows
 */
export async function lookAtRows(run: Run, step: Step | null, whole: boolean): Promise<Verdict> {
  const { plan, change, call } = run;
  const { rows } = run.context;
  const playlistId = change.playlistId ?? '';
  const known = progressOf(change);
  const size = sizeInDoubt(run, step);
  const part = whole ? { from: 0, to: null } : touched(plan, known);
  const seen =
    part.from === 0 && part.to === null
      ? wholeOf(await rows.readFresh(playlistId, call))
      : await rows.readBetween(playlistId, part, call);
  const shown = asList(seen, rowsReached(run).length);
  const plain = compareRows(plan, known, shown, size);
  const relinked = await allowingRelinks(run, plain, shown, seen.items, size);
  // A request after `step` was not sent yet. If its rows seem to be there, another person put them there.
  const isBeyond = step && relinked.kind === 'landed' && isAfter(relinked.to, step.to);
  const verdict = isBeyond ? plain : relinked;
  if (verdict.kind === 'absent' || verdict.kind === 'stale') return verdict;
  const isOlder = rows.caughtUp(playlistId, seen) !== null;
  if (verdict.kind === 'landed') return { ...verdict, isOlder };
  if (isOlder) return { kind: 'stale' };
  // Others may have moved rows to or from a place that was not read.
  if (part.from > 0) return lookAtRows(run, step, true);
  const named = await underNamesRemoved(run, shown, seen.items);
  return nearestState(plan, known, named, size, step?.to ?? null);
}

/**
 * `shown`, but each song that is to be removed has the ID that the removal names, even if Spotify shows it under another one.
 * Otherwise the song would look as if it were gone.
 */
async function underNamesRemoved(
  run: Run,
  shown: readonly string[],
  items: readonly Item[],
): Promise<readonly string[]> {
  const { context, plan, change, call } = run;
  const expected = new Set(rowsReached(run));
  const there = new Set(shown);
  const missing = removedUris(restOf(plan.ops, progressOf(change))).filter(
    (uri) => expected.has(uri) && !there.has(uri),
  );
  const strange = items.filter((item) => !expected.has(uriOf(item)));
  if (missing.length > MAX_LOOKED_UP) return shown;
  const others = await otherNames(context, missing, strange, call);
  const named = new Map([...others].map(([uri, other]) => [other, uri]));
  return shown.map((uri) => named.get(uri) ?? uri);
}

function wholeOf(items: Item[]): RowsPart & { items: Item[] } {
  return { from: 0, rows: items.map(uriOf), isEnd: true, items };
}

/** Number of rows to read before the first changed row: they show whether others moved that row. */
const BESIDE = 5;

/** The range in which the states from `known` on differ; `to` is null (the end of the list) unless rows are only moved. */
function touched(plan: Plan, known: Progress): { from: number; to: number | null } {
  const { ops } = plan;
  const start = rowsAt(plan, known);
  let from = start.length;
  let isMoving = true;
  let state = start;
  for (const op of ops.slice(known.op)) {
    isMoving &&= op.op === 'move';
    if (op.op === 'append') continue;
    state = applyOp(state, op);
    let first = 0;
    while (first < Math.min(from, state.length) && state[first] === start[first]) first++;
    from = Math.min(from, first);
  }
  if (!isMoving || known.op >= ops.length) return { from: Math.max(0, from - BESIDE), to: null };
  let to = start.length;
  while (to > from && start[to - 1] === state[to - 1]) to--;
  return { from: Math.max(0, from - BESIDE), to };
}

/**
 * Compares one page, the one with the first row that a request changes, with the rows before and after that request. null if
 * the page shows neither, or if a lagging list may show the same page from an earlier state. All rows have to be read then.
 * @param op the request
 */
export async function lookAtStep(run: Run, op: ChangeOp): Promise<'landed' | 'absent' | null> {
  const { context, plan, change, call } = run;
  const before = rowsReached(run);
  const after = applyOp(before, op);
  let first = 0;
  while (first < before.length && first < after.length && before[first] === after[first]) first++;
  const offset = Math.max(0, first - BESIDE);
  const page = { limit: PLAYLIST_PAGE, offset };
  const shown = (await getPlaylistItems(context.provider, change.playlistId ?? '', page, call)).items.map(
    uriOf,
  );
  const shows = (rows: readonly string[]) => sameRows(rows.slice(offset, offset + PLAYLIST_PAGE), shown);
  if (shows(after)) return rowsBefore(plan, progressOf(change)).some(shows) ? null : 'landed';
  return shows(before) ? 'absent' : null;
}

/**
 * Compares the rows once more under the IDs that the most similar state of the change has, if Spotify shows these songs under
 * another ID. If most rows of a request are right, the others are assumed to be relinked. Otherwise relay looks up whether they
 * are the same recording.
 * @param plain what the rows show as they are, which is returned if no song is relinked
 */
async function allowingRelinks(
  run: Run,
  plain: Verdict,
  shown: readonly string[],
  items: readonly Item[],
  size: number | null,
): Promise<Verdict> {
  const { context, plan, change, call } = run;
  const known = progressOf(change);
  if (plain.kind !== 'other' || plain.closest === null) return plain;
  const { ops } = plan;
  const named = [...shown];
  const mismatches = differingRows(plain.closest, shown).map((at) => {
    named[at] = plain.closest?.[at] ?? '';
    return { sent: named[at], shown: shown[at] ?? '' };
  });
  const before = new Set(rowsReached(run));
  // Rows are removed by the URI that they were written with.
  const written = new Set([...writtenUris(ops), ...removedUris(ops)]);
  // If a row shows a song that this change names, and that no row showed before, it holds that very song: it is not relinked.
  if (mismatches.some(({ shown }) => written.has(shown) && !before.has(shown))) return plain;
  // Only rows that this change wrote are assumed to be relinked. Mismatches are looked up first if their row, or the ID that they
  // show, was there before.
  const isNew = ({ sent, shown }: { sent: string; shown: string }) => written.has(sent) && !before.has(shown);
  const isOwn = mismatches.every(isNew);
  const verdict = compareRows(plan, known, named, size);
  // If these rows are relinked, the list shows which requests took effect. Only the entries of these requests count, since the
  // others are not in the list.
  const reached = verdict.kind === 'landed' ? verdict.to : { op: ops.length, at: 0 };
  const strange = new Set(mismatches.map(({ sent }) => sent));
  // If the size of the request is not known, such a row may also be one that a person has added after it.
  if (isOwn && size !== null && areMostRight(ops, known, reached, strange, size)) return verdict;
  // Nobody else puts the same recordings in the same places, so a few of them are enough.
  const doubted = new Map(mismatches.map(({ sent, shown }) => [`${sent} ${shown}`, { sent, shown }]));
  const ordered = [...doubted.values()].sort((a, b) => Number(isNew(a)) - Number(isNew(b)));
  for (const { sent, shown: other } of ordered.slice(0, MAX_LOOKED_UP))
    if (!(await isSameRecording(context, sent, other, items, call))) return plain;
  return verdict;
}

/**
 * True if fewer than half of the entries of each request from `known` to `reached` are among `strange`.
 * @param size number of entries of the first request
 */
function areMostRight(
  ops: readonly ChangeOp[],
  known: Progress,
  reached: Progress,
  strange: ReadonlySet<string>,
  size: number,
): boolean {
  for (const { op, from, to } of stepsFrom(ops, known, size)) {
    if (!isAfter(reached, from)) break;
    const all = 'uris' in op ? op.uris : [];
    // A request may have ended before the end of this one.
    const uris = isAfter(to, reached) ? all.slice(0, reached.at - from.at) : all;
    const count = uris.filter((uri) => strange.has(uri)).length;
    if (count > 0 && count * 2 >= uris.length) return false;
  }
  return true;
}

/**
 * The later changes of the playlist, oldest first, since which this change has certainly sent nothing. Empty if this change is
 * known to have written.
 */
function changesSinceSent({ context, change, body }: Run) {
  if (body.plan || !isUntouched({ change }) || change.playlistId === null) return [];
  const sentAfter = (body.notes?.sentAfter as number | undefined) ?? change.seq;
  return laterChanges(context.store, change.playlistId, sentAfter);
}

/**
 * Records that the requests of this run come after all other changes of the playlist so far. What those changes found does not
 * count for these requests.
 */
export function sendsAfterOthers(run: Run): void {
  const { context, change, body } = run;
  const last = changesSinceSent(run).at(-1);
  if (!last) return;
  run.body = { ...body, notes: { ...body.notes, sentAfter: last.seq } };
  putChangeBody(context.store, change.seq, run.body);
}

/**
 * Compares the rows that the next change of relay found in the playlist with every state of this change. null if there is no
 * such change, or if its rows do not tell. That change began when the request in doubt could no longer be under way
 * (`settleTarget`). So its rows show how that request ended. The present rows also hold what the next change wrote itself:
 * perhaps the same songs.
 *
 * That a request had no effect counts only for a change that adds rows. Another change, such as a restore, brings a list to a
 * certain state: if the list is in that state now, it does not matter who has written it.
 */
export function foundByLater(run: Run): Verdict | null {
  const { context, change, plan } = run;
  for (const { seq } of changesSinceSent(run)) {
    const { rows } = getChangeBody(context.store, seq).former;
    if (!rows) continue;
    if (rows.includes('')) return null;
    const verdict = compareRows(plan, progressOf(change), rows, sizeInDoubt(run, null));
    return verdict.kind === 'landed' || (verdict.kind === 'absent' && change.kind === 'add') ? verdict : null;
  }
  return null;
}

/** Maximum number of playlists to read; an account can have about 11,000. */
const ALL_PLAYLISTS = 12_000;

/**
 * The playlist that an interrupted `create` made: the account's own, with the right name, empty, and not among those that were
 * there before. `unclear` if a new playlist of that name does not fit, or there are two; null if there is none.
 */
export async function lookForMade(
  { provider, rows }: ChangeContext,
  { details, known }: Extract<ChangeOp, { op: 'create' }>,
  account: string | null,
  call: Call,
): Promise<{ id: string; snapshotId: string | null } | 'unclear' | null> {
  const before = new Set(known ?? []);
  const named = await playlistsNamed({ provider }, details.name, account, call);
  const [made, second] = named.filter(({ id }) => !before.has(id));
  if (!made) return null;
  const isAsAsked = (made.description ?? '') === (details.description ?? '').trim();
  const isOurs = known !== null && !second && isAsAsked && (made.total_items ?? 0) === 0;
  if (!isOurs || (await rows.readFresh(made.id, call)).length > 0) return 'unclear';
  return { id: made.id, snapshotId: made.snapshot_id };
}

/** The account's own playlists of one name. */
export async function playlistsNamed(
  { provider }: Pick<ChangeContext, 'provider'>,
  name: string,
  account: string | null,
  call: Call,
): Promise<Playlist[]> {
  const { items } = await getAllMyPlaylists(provider, ALL_PLAYLISTS, call);
  return items.filter((playlist) => playlist.name.trim() === name.trim() && playlist.owner.id === account);
}
