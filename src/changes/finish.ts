/** The end of a change: the check that it did what it should, rollback, and resuming after outside edits. */
import { type ChangeOp, kindFacts } from '../domain/change.ts';
import { asRelayError, RelayError } from '../domain/errors.ts';
import { failureClassOf } from '../domain/failureClass.ts';
import { commonRows, distance, mergeRows, withNames } from '../domain/mergeRows.ts';
import { mayBeRows, sameRows, uriOf, without } from '../domain/rows.ts';
import { LAG_MS, USUAL_LAG_MS } from '../provider/resources/playlistRows.ts';
import { getPlaylistItems, PLAYLIST_PAGE } from '../provider/resources/playlists.ts';
import { putChangeBody } from '../store/tables/changes.ts';
import { compareRows, nearestState, presentState } from './compare.ts';
import { foundByLater, lookAtRows } from './look.ts';
import { markItems } from './ownJob.ts';
import { isWritable, planRows, replaceOps } from './planRows.ts';
import { errorFacts } from './record.ts';
import { keptText } from './relinks.ts';
import {
  firstRemoval,
  isAfter,
  onlyAppends,
  removedBefore,
  removedUris,
  replacesAfterRemoval,
  restOf,
  rowsAfter,
  rowsAt,
  START,
  writesRows,
} from './rowOps.ts';
import {
  changedMeanwhile,
  type DriveEnd,
  ended,
  formerBeside,
  landed,
  planOf,
  progressOf,
  type Run,
  rowsReached,
  sizeInDoubt,
  takePlan,
  tellRows,
  tellWritten,
} from './run.ts';
import { ageOf, LATEST_EFFECT_MS } from './times.ts';

const LOOK_AGAIN_MS = 500;
const MAX_LOOK_AGAIN_MS = 4_000;

/**
 * Before rows are added, the list has to show that those removed before are gone. Spotify cannot remove a row by the ID that it
 * shows if the row was added under another one. Such a row may still be there, and adding the song would put it there twice. If
 * removed rows still show after 20 s, all rows are replaced: that is right whether they are still there or the list lags. If a
 * row cannot be written again, a review follows after 40 s.
 * @returns null to continue
 */
export async function seeRemoved(run: Run): Promise<DriveEnd | null> {
  const { plan } = run;
  const from = progressOf(run.change);
  const removed = removedBefore(plan.ops, from);
  if (removed.size === 0 || replacesAfterRemoval(plan.ops)) return null;
  // If a row cannot be written again, only a review remains. It comes later, since the list may lag by more than 20 s.
  const canReplace = rowsAfter(plan).every(isWritable);
  const left = await stillShown(run, removed, LATEST_EFFECT_MS * (canReplace ? 1 : 2));
  return left.size === 0 ? null : replaceAll(run, left);
}

/**
 * Waits until the list no longer shows rows that were removed.
 * @param removed the URIs that the last requests removed
 * @param isOnePageEnough true if a page without the removed rows is answer enough, even while the total lags
 * @returns those that it still shows after `ms`
 */
async function stillShown(
  run: Run,
  removed: ReadonlySet<string>,
  ms: number,
  isOnePageEnough = false,
): Promise<ReadonlySet<string>> {
  const { context, change, call, plan } = run;
  const from = progressOf(change);
  const playlistId = change.playlistId ?? '';
  // Moves before the removals may have moved a removed row.
  const before = rowsAt(plan, { op: firstRemoval(plan.ops, from.op), at: 0 });
  const isRemoved = (uri: string) => removed.has(uri);
  const offset = Math.max(0, before.findIndex(isRemoved));
  const isOnPage = isOnePageEnough && before.findLastIndex(isRemoved) < offset + PLAYLIST_PAGE;
  const most = rowsAt(plan, from).length;
  const until = context.clock.monotonic() + ms;
  for (let waitMs = LOOK_AGAIN_MS; ; waitMs = Math.min(waitMs * 2, MAX_LOOK_AGAIN_MS)) {
    const page = { limit: PLAYLIST_PAGE, offset };
    const { items, total } = await getPlaylistItems(context.provider, playlistId, page, call);
    const shown = items.map(uriOf);
    // The total may lag, or stay high because others have added rows. So a page that reaches the end of the list counts too.
    const isShort = items.length < PLAYLIST_PAGE;
    const isEnd = () =>
      isShort && context.rows.caughtUp(playlistId, { from: offset, rows: shown, isEnd: true }) === null;
    const isTold = isOnPage || total <= most || offset + items.length >= total || isEnd();
    if (isTold && !shown.some(isRemoved)) return new Set();
    if (context.clock.monotonic() >= until) {
      const rows = (await context.rows.readFresh(playlistId, call)).map(uriOf);
      return new Set(rows.filter(isRemoved));
    }
    await context.clock.sleep(Math.min(waitMs, until - context.clock.monotonic()), call.signal);
  }
}

/**
 * Replaces all rows by what should be there.
 * @param left rows that still show although they were to be removed
 * @param seen all rows, if they were just read as with `readTwice`
 */
async function replaceAll(
  run: Run,
  left: ReadonlySet<string>,
  seen?: readonly string[],
): Promise<DriveEnd | null> {
  const { context, change, call, plan } = run;
  const from = progressOf(change);
  const { rows, former } = plan;
  const playlistId = change.playlistId ?? '';
  const [gone, reached] = [rowsAt(plan, from), rowsAt(plan, from, left)];
  // Either the list lags, or these rows are still there.
  if (!seen) context.rows.wrote(playlistId, () => [rows, gone, reached]);
  const present = seen ?? (await context.rows.readTwice(playlistId, call)).map(uriOf);
  // Someone else may have added these rows since. If in doubt, they stay: a song that is there twice does less harm than a song
  // that is lost.
  const base =
    distance(gone, present) <= distance(reached, present) ? gone : withoutPart(reached, present, left);
  const goal = mergeRows(base, rowsAfter(plan), present);
  if (!goal.every(isWritable)) return review(run, changedMeanwhile(run, present));
  const ops: ChangeOp[] = [{ op: 'remove', uris: [...left] }, ...replaceOps(goal)];
  // The removal was sent before.
  await takePlan(run, { rows: present, ops, former: mergeRows(base, former, present) }, { op: 1 });
  return null;
}

/**
 * `reached` without the rows of `left` that the list does not show. If a song was added under two IDs, the removal took out only
 * the rows with the ID that it named.
 */
function withoutPart(
  reached: readonly string[],
  present: readonly string[],
  left: ReadonlySet<string>,
): readonly string[] {
  const stays = new Set(commonRows(reached, present).map(([at]) => at));
  const taken = without(reached, present).filter((uri) => left.has(uri));
  return reached.filter((uri, at) => {
    const index = stays.has(at) ? -1 : taken.indexOf(uri);
    if (index >= 0) taken.splice(index, 1);
    return index < 0;
  });
}

/**
 * Ends a change whose requests are all answered. After a request that may have been sent twice, the list must first show the
 * right rows. The same holds for a rollback, an undo, a restored version and a run of a kept playlist.
 * @returns null if more is to be written: rows that are there twice are removed
 */
export async function finish(run: Run): Promise<DriveEnd | null> {
  const { change } = run;
  const isWhole = change.goingBack || kindFacts(change.kind).isChecked === true;
  const mustLook = (change.uncertain || isWhole) && run.plan.ops.some(writesRows);
  if (mustLook && (await removesDoubled(run, isWhole))) return null;
  if (change.goingBack) return ended(run, 'rolled_back', run.cause);
  if (change.kind === 'remove' && !run.body.plan) {
    const end = await leaveOutKept(run);
    if (end) return end;
  }
  return isAllRefused(run) ? ended(run, 'unchanged', null) : done(run);
}

/**
 * Leaves out of a removal the rows that Spotify keeps although it has accepted their removal. It keeps a row that was added under
 * another ID than it shows, and no longer reports that ID.
 * @returns the end of the change if there are such rows
 */
async function leaveOutKept(run: Run): Promise<DriveEnd | null> {
  const { context, change, plan } = run;
  let kept: ReadonlySet<string>;
  try {
    kept = await keptRows(run);
  } catch (error) {
    if (run.control.signal.aborted) throw error;
    // Spotify has accepted the removal, and it is rare that it keeps a row.
    return null;
  }
  if (kept.size === 0) return null;
  run.plan = { ...plan, ops: withoutKept(run, kept) };
  run.body = { ...run.body, ops: run.plan.ops, refused: [...kept] };
  putChangeBody(context.store, change.seq, run.body);
  if (sameRows(rowsAfter(run.plan), plan.rows)) {
    const error = new RelayError('UNSUPPORTED_ITEMS', keptText(kept.size), {
      remedy: 'Nothing was changed. Remove them in the Spotify app.',
      details: { kept: [...kept] },
    });
    return ended(run, 'unchanged', error);
  }
  const requested = change.requested - kept.size;
  return ended(run, 'done', null, { requested, written: requested });
}

/** How long a removed row has to show before it counts as kept. Lists have been seen to lag by half a minute. */
const KEPT_MS = 32_000;

/** The removed rows that the list certainly still holds: it shows them for long, and in the version that the last answer named. */
async function keptRows(run: Run): Promise<ReadonlySet<string>> {
  const { context, change, call, plan } = run;
  const left = await stillShown(run, new Set(removedUris(plan.ops)), KEPT_MS, true);
  const { snapshotId, playlistId } = change;
  if (left.size === 0 || snapshotId === null || playlistId === null) return new Set();
  const rows = rowsAfter({ ...plan, ops: withoutKept(run, left) });
  return (await context.rows.isAt(playlistId, { snapshotId, rows }, call)) ? left : new Set();
}

/** The operations without `kept`, and without the IDs that these rows were asked for by. */
function withoutKept({ plan, body }: Run, kept: ReadonlySet<string>): ChangeOp[] {
  const shownAs = (body.notes?.shownAs ?? {}) as Record<string, string>;
  const isKept = (uri: string) => kept.has(shownAs[uri] ?? uri);
  return plan.ops.map((op) => ('uris' in op ? { ...op, uris: op.uris.filter((uri) => !isKept(uri)) } : op));
}

/**
 * Ends a change that is carried out. A plan that was made again writes only what is missing, so the requests alone do not count
 * every entry.
 */
function done(run: Run): DriveEnd {
  const { context, change, body } = run;
  if (!body.plan) return ended(run, 'done', null);
  const written = Math.max(change.written, change.requested);
  context.store.transaction(() => markItems(context, change, Number.MAX_SAFE_INTEGER));
  return ended(run, 'done', null, { written });
}

/** True if Spotify has refused every entry, or the only detail that was to be set, so that there is nothing to undo. */
function isAllRefused({ body, change, plan }: Run): boolean {
  const isOnlyDetail = plan.ops.every((op) => op.op === 'details' && op.mayFail === true);
  if (body.notes?.passedOver === true && isOnlyDetail) return true;
  if (!body.refused || body.plan || change.written > 0 || change.uncertain) return false;
  return plan.ops.every((op) => 'uris' in op && op.uris.length === 0);
}

/**
 * Checks the rows once every request is answered. What others did meanwhile stays, even if they added a row of ours again. Only
 * if a request was sent again and all its rows are there twice, one copy is removed.
 * @param isWhole true to read all rows
 * @returns true if the change now has a plan that removes that copy
 */
async function removesDoubled(run: Run, isWhole: boolean): Promise<boolean> {
  const { context, plan, change, call } = run;
  const { clock } = context;
  const playlistId = change.playlistId ?? '';
  if (await isAtVersionLeft(run)) return false;
  // If the list is read too early, it may show the rows from before a write that took effect late.
  const early = run.lastWriteAt + USUAL_LAG_MS - clock.monotonic();
  if (change.uncertain && early > 0) await clock.sleep(early, call.signal);
  const until = clock.monotonic() + LAG_MS;
  for (;;) {
    const verdict = await lookAtRows(run, null, isWhole);
    if (verdict.kind === 'absent' && !(verdict.isNear && change.uncertain)) return false;
    if (clock.monotonic() >= until) break;
    await clock.sleep(LOOK_AGAIN_MS, call.signal);
  }
  const goal = rowsAfter(plan);
  const present = (await context.rows.readFresh(playlistId, call)).map(uriOf);
  return planWithoutDoubled(run, withNames(present, goal), withNames(goal, present));
}

/** How often to ask for the version before reading all rows. More would not help: the version may lag as long as the rows. */
const VERSION_LOOKS = 2;

/**
 * True if the playlist still has the version that the last answer named. Then its rows are right, and need not all be read.
 * Asks only if every request was answered. The number of rows and the first rows come with the version, and show what others
 * wrote in between.
 */
async function isAtVersionLeft({ context, change, plan, call, answered }: Run): Promise<boolean> {
  const { snapshotId, playlistId, uncertain } = change;
  if (!answered || uncertain || change.goingBack) return false;
  if (snapshotId === null || playlistId === null) return false;
  const goal = rowsAfter(plan);
  for (let looks = 1; ; looks++) {
    if (await context.rows.isAt(playlistId, { snapshotId, rows: goal }, call)) return true;
    if (looks === VERSION_LOOKS) return false;
    await context.clock.sleep(LOOK_AGAIN_MS, call.signal);
  }
}

/**
 * Plans to remove one copy of rows that are there twice, because a request that seemed to have no effect took effect after all.
 * @returns false if there are no such rows, or if they cannot be removed
 */
async function planWithoutDoubled(
  run: Run,
  present: readonly string[],
  goal: readonly string[],
): Promise<boolean> {
  const { body, plan } = run;
  const again = (body.notes?.sentAgain ?? []) as readonly string[];
  const isOurs = again.length > 1 && body.notes?.doubledRemoved !== true;
  if (!isOurs || !isDoubled(present, goal, again) || !goal.every(isWritable)) return false;
  const ops = planRows(present, goal);
  if (!ops) return false;
  run.body = { ...body, notes: { ...body.notes, doubledRemoved: true } };
  await takePlan(run, { ...plan, rows: present, ops });
  return true;
}

/** True if `present` is `goal` plus one block of rows that has the same rows as `again`, in any order. */
function isDoubled(present: readonly string[], goal: readonly string[], again: readonly string[]): boolean {
  const extra = present.length - goal.length;
  if (extra !== again.length) return false;
  let start = 0;
  while (start < goal.length && present[start] === goal[start]) start++;
  for (let from = Math.max(0, start - extra); from <= start; from++) {
    const rest = [...present.slice(0, from), ...present.slice(from + extra)];
    if (sameRows(rest, goal)) return sameRows(present.slice(from, from + extra).toSorted(), again.toSorted());
  }
  return false;
}

/**
 * Stops a change until a person decides; `cause` says what differs. If its job was cancelled, the cancellation is that
 * decision.
 */
export function review(run: Run, cause: RelayError): DriveEnd {
  const { control } = run;
  if (control.cancelled && control.waiter === null) return ended(run, 'partial', cause, { inTransit: true });
  // The change may continue before the list shows what it has written.
  tellWritten(run);
  return { kind: 'review', cause };
}

/**
 * Reads the rows that a rollback starts from; null if that fails.
 * @throws RelayError of connectivity: no request of the rollback would arrive either, and others may write until one does
 */
export async function readForRollback(run: Run): Promise<string[] | null> {
  const { context, change, call } = run;
  tellRows(run);
  try {
    return (await context.rows.readTwice(change.playlistId ?? '', call)).map(uriOf);
  } catch (error) {
    if (run.control.signal.aborted || failureClassOf(asRelayError(error)) === 'connectivity') throw error;
    // The rollback does not need this reading: it is known how every request ended, and the result of the rollback is read at
    // the end.
    return null;
  }
}

/**
 * Begins the rollback: plans it from the rows that the playlist holds now, and saves the plan first. What others did meanwhile
 * stays.
 * @param shown the rows; null if they could not be read
 * @returns null once the rollback can be carried out; the end of the run if it cannot
 * @throws RelayError `STORE_ERROR`
 */
export async function rollBack(
  run: Run,
  cause: RelayError,
  shown: readonly string[] | null,
): Promise<DriveEnd | null> {
  const { change, body, plan } = run;
  const expected = rowsReached(run);
  run.cause = cause;
  const rows = withNames(shown ?? expected, expected);
  const former = formerBeside(run, rows);
  // If the change has replaced all rows, their dates are lost, so replacing them again does no harm. Replacing also never
  // begins with a request that only removes rows. But without a reading it could remove what others have added.
  const isReplaced = plan.ops[0]?.op === 'put' && isAfter(progressOf(change), START);
  const isForAll =
    replacesAfterRemoval(plan.ops) || (isReplaced && shown !== null && sameRows(rows, expected));
  const ops = isForAll && former.every(isWritable) ? replaceOps(former) : planRows(rows, former);
  if (ops === null) return ended(run, 'partial', cause);
  run.body = { ...body, notes: { ...body.notes, completed: run.control.completed } };
  const { left } = presentState(plan, progressOf(change), rows);
  const isBeforePut = left.size > 0 && ops[0]?.op === 'put';
  // Either the list lags, or these rows are still there. If the rollback is refused, they count as gone.
  const sent: ChangeOp[] = isBeforePut ? [{ op: 'remove', uris: [...left] }] : [];
  const facts = { goingBack: true, error: errorFacts(cause), op: sent.length };
  await takePlan(run, { rows, ops: [...sent, ...ops], former }, facts);
  return null;
}

/**
 * Continues a paused change from the rows that the playlist holds now: others may have written meanwhile, and what they did
 * stays.
 */
export async function goOnFromHere(run: Run): Promise<DriveEnd | null> {
  const { context, change, plan, call } = run;
  const { carryOn } = run.control;
  const id = change.playlistId ?? '';
  const known = progressOf(change);
  const rest = restOf(plan.ops, known);
  // Rows tell nothing about a name or about the account's list of playlists.
  if (!(carryOn ? plan.ops : rest).some(writesRows)) return null;
  const expected = rowsReached(run);
  // A person who carries on has seen the list, so it no longer counts as lagging.
  if (carryOn) context.rows.forgetOwn(id);
  else if (!context.rows.hasWritten(id)) tellRows(run, ageOf(context, change));
  const adds = onlyAppends(rest) && !carryOn;
  const part = adds ? await context.rows.readPart(id, 'end', call) : null;
  if (part && mayBeRows(expected, part)) return null;
  // If others have written, the rows that were not read may have changed too.
  const present = part && !part.includes('') ? part : (await context.rows.readTwice(id, call)).map(uriOf);
  if (mayBeRows(expected, present)) return null;
  // A part may be of two pages that were never one state, so it does not say what to replace all rows by.
  const whole = async () =>
    present === part ? (await context.rows.readTwice(id, call)).map(uriOf) : present;
  // Rows that were to be removed are not another person's: the list lags, or Spotify has failed to remove them.
  const { rows: reached, left } = presentState(plan, known, present);
  if (left.size > 0) return sameRows(present, reached) ? null : replaceAll(run, left, await whole());
  // A reading that is corrected by relay's own writes shows removed rows as gone, but they may still be there.
  const removed = removedBefore(plan.ops, known);
  if (removed.size > 0 && rest[0]?.op === 'put') return replaceAll(run, removed, present);
  const remaining = carryOn || change.uncertain ? tookEffectAfterAll(run, present) : null;
  if (remaining) return remaining.size > 0 ? replaceAll(run, remaining, await whole()) : goOnFromHere(run);
  const rows = withNames(present, expected);
  const ops = adds ? rest : planRows(rows, mergeRows(expected, rowsAfter(plan), rows, carryOn));
  if (ops === null) return review(run, changedMeanwhile(run, present));
  await takePlan(run, { rows, ops, former: formerBeside(run, rows, carryOn) });
  return null;
}

/**
 * Continues once it is certain how a request with a lost answer ended. Others may have written since the rows were read. Rows
 * are inserted and moved by position, and replacing removes what is there, so the rest is planned again.
 */
export async function goOnAfterDoubt(run: Run): Promise<DriveEnd | null> {
  const { plan, change } = run;
  const rest = restOf(plan.ops, progressOf(change));
  const isPlaced = rest.some(({ op }) => op === 'insert' || op === 'move' || op === 'put');
  // If others wrote, the plan has to start from their rows. Otherwise an undo would count what they wrote as a later change, or
  // bring back what they took out.
  if (!isPlaced && !run.showsOthers) return null;
  tellRows(run);
  return goOnFromHere(run);
}

/**
 * Records that the request in doubt took effect, if the rows show it now. Then it is not sent again, and the rows that it removed
 * do not count as removed by others.
 * @returns the removed rows that are still there; null if the request seems to have had no effect
 */
function tookEffectAfterAll(run: Run, present: readonly string[]): ReadonlySet<string> | null {
  const { change, plan } = run;
  const known = progressOf(change);
  const size = sizeSentAgain(run) ?? sizeInDoubt(run, null);
  if (foundByLater(run)?.kind === 'absent') return null;
  const exact = compareRows(plan, known, present, size);
  const seen = exact.kind === 'other' ? nearestState(plan, known, present, size) : exact;
  if (seen.kind !== 'landed') return null;
  landed(run, seen.to, null);
  return seen.left;
}

/** Number of entries of the next request, if that request was sent before and seemed to have no effect; otherwise null. */
function sizeSentAgain({ change, body, plan }: Run): number | null {
  const again = (body.notes?.sentAgain ?? []) as readonly string[];
  const [next] = restOf(plan.ops, progressOf(change));
  const isNext = next?.op === 'append' && sameRows(next.uris.slice(0, again.length), again);
  return isNext && again.length > 0 ? again.length : null;
}

/** The former rows that a rollback did not bring back before it was given up, in order. */
export function missingRows({ change, body }: Pick<Run, 'change' | 'body'>): string[] {
  const plan = planOf(body);
  return without(plan.former, rowsReached({ change, plan }));
}
