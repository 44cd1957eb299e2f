/** The end of a change: the check that it did what it should, and the ways back and round where it did not. */
import type { ChangeOp } from '../domain/change.ts';
import type { RelayError } from '../domain/errors.ts';
import { sameRows, uriOf, without } from '../domain/rows.ts';
import type { Item } from '../domain/shapes.ts';
import { LAG_MS, USUAL_LAG_MS } from '../provider/resources/playlistRows.ts';
import { lookAtRows } from './look.ts';
import { isWritable, planRows, replaceOps } from './planRows.ts';
import { errorFacts } from './record.ts';
import { besideOthers, isAfter, onlyAppends, rowsAfter, rowsAt, START, writesRows } from './rowOps.ts';
import {
  changedMeanwhile,
  type DriveEnd,
  differs,
  ended,
  enter,
  goingState,
  legOf,
  OLDER_MS,
  progressOf,
  type Run,
  takeLeg,
} from './run.ts';
import { beganAt, waitForList } from './times.ts';

const LOOK_AGAIN_MS = 500;

/**
 * Ends a change whose requests are all answered. Where one may have been sent twice, where rows were written back, and after
 * an undo, the list has to show what it should first.
 * @returns null where more is to be written: rows that are there twice are removed
 */
export async function finish(run: Run): Promise<DriveEnd | null> {
  const { change } = run;
  const mustLook = change.uncertain || change.leg === 'back' || change.kind === 'undo';
  if (mustLook && run.leg.ops.some(writesRows)) {
    const turned = await checkEnd(run);
    if (turned !== 'as_wanted') return turned;
  }
  return change.leg === 'back' ? ended(run, 'rolled_back', run.cause) : ended(run, 'done', null);
}

async function checkEnd(run: Run): Promise<'as_wanted' | DriveEnd | null> {
  const { context, leg, change, call } = run;
  const { clock } = context;
  const playlistId = change.playlistId ?? '';
  if (leg.rows === null && leg.total === null) return 'as_wanted';
  if (await isAtVersionLeft(run)) return 'as_wanted';
  // Read too early, a list shows what was there before a write that landed late.
  const early = run.lastWriteAt + USUAL_LAG_MS - clock.monotonic();
  if (change.uncertain && early > 0) await clock.sleep(early, call.signal);
  const until = clock.monotonic() + LAG_MS;
  for (;;) {
    const whole = change.leg === 'back' || change.kind === 'undo';
    const verdict = await lookAtRows(context, playlistId, leg, progressOf(change), call, whole);
    if (verdict.kind === 'absent') return 'as_wanted';
    if (clock.monotonic() >= until) break;
    await clock.sleep(LOOK_AGAIN_MS, call.signal);
  }
  const present = (await context.rows.readFresh(playlistId, call)).map(uriOf);
  const base = leg.rows ?? present.slice(0, leg.total ?? 0);
  return removeDoubled(run, present, rowsAfter(base, leg.ops));
}

/** How often the version is asked for before all rows are read: it may lag as long as they do. */
const VERSION_LOOKS = 2;

/**
 * Where every answer came, the version that the last one named tells without reading all rows whether they are as they
 * should be. The number of rows and the first of them, which come with it, show what others wrote in between.
 */
async function isAtVersionLeft({ context, change, leg, call, answered }: Run): Promise<boolean> {
  const { snapshotId, playlistId, leg: way, uncertain } = change;
  if (!answered || uncertain || way === 'back' || leg.rows === null) return false;
  if (snapshotId === null || playlistId === null) return false;
  const goal = rowsAfter(leg.rows, leg.ops);
  for (let looks = 1; ; looks++) {
    if (await context.rows.isAt(playlistId, { snapshotId, rows: goal }, call)) return true;
    if (looks === VERSION_LOOKS) return false;
    await context.clock.sleep(LOOK_AGAIN_MS, call.signal);
  }
}

/** A request that had proved absent took effect after all, so its rows are there twice: they are taken out again. */
async function removeDoubled(
  run: Run,
  present: readonly string[],
  goal: readonly string[],
): Promise<DriveEnd | null> {
  const { change, body } = run;
  const ops = isDoubled(present, goal) && goal.every(isWritable) ? planRows(present, goal) : null;
  if (!ops || body.notes?.doubledRemoved === true) {
    return review(run, differs(change.playlistId ?? '', goal, present, change.written));
  }
  run.body = { ...body, notes: { ...body.notes, doubledRemoved: true } };
  await takeLeg(run, { rows: present, total: present.length, ops, counted: false }, goingState(run));
  return null;
}

/** True if `present` is `goal` with one run of its own rows once more. */
function isDoubled(present: readonly string[], goal: readonly string[]): boolean {
  const extra = present.length - goal.length;
  if (extra <= 0) return false;
  const held = new Set(goal);
  let start = 0;
  while (start < goal.length && present[start] === goal[start]) start++;
  for (let from = Math.max(0, start - extra); from <= start; from++) {
    const rest = [...present.slice(0, from), ...present.slice(from + extra)];
    if (sameRows(rest, goal)) return present.slice(from, from + extra).every((uri) => held.has(uri));
  }
  return false;
}

/** Stops a change until a person has decided; `cause` says what differs. */
export function review(run: Run, cause: RelayError): DriveEnd {
  enter(run, 'review', { error: errorFacts(cause), inTransit: false, runAfter: null, reason: null });
  return { kind: 'review', cause };
}

/**
 * Begins to write back what was there: plans the way from what the playlist holds now, and saves that plan first.
 * @returns null once the way back can be taken; the end where it cannot
 * @throws RelayError `STORE_ERROR`
 */
export async function rollBack(run: Run, cause: RelayError): Promise<DriveEnd | null> {
  const { change, body } = run;
  const former = body.former.rows ?? [];
  const expected = rowsAt(run.leg.rows ?? former, run.leg.ops, progressOf(change));
  run.cause = cause;
  const rows = await rowsNow(run, expected).catch((error) => {
    if (run.control.signal.aborted) throw error;
    // How every request ended is known, and what is there in the end is read.
    return expected;
  });
  // Once all rows are replaced none has its old date left to keep, and a request that puts rows takes none away first.
  const isReplaced = run.leg.ops[0]?.op === 'put' && isAfter(progressOf(change), START);
  const ops = isReplaced && former.every(isWritable) ? replaceOps(former) : planRows(rows, former);
  if (ops === null) return ended(run, 'partial', cause);
  run.body = { ...body, notes: { ...body.notes, completed: run.steps } };
  const leg = { rows, total: rows.length, ops, counted: false };
  await takeLeg(run, leg, 'rolling_back', { leg: 'back', error: errorFacts(cause) });
  return null;
}

/** The rows as they are, once the list shows what certainly took effect. */
async function rowsNow(
  { context, change, call }: Run,
  expected: readonly string[],
): Promise<readonly string[]> {
  const { clock, rows } = context;
  const until = clock.monotonic() + LAG_MS;
  for (;;) {
    const present = (await rows.readFresh(change.playlistId ?? '', call)).map(uriOf);
    if (sameRows(present, expected) || clock.monotonic() >= until) return present;
    await clock.sleep(LOOK_AGAIN_MS, call.signal);
  }
}

/**
 * Continues with a change that has stood still, from what the playlist holds now: others may have written. Rows that are only
 * appended go after what is there; any other change continues only if nothing but new rows at the end came, and is under
 * review otherwise.
 * @param carryOn a person has seen that someone else changed the playlist, and wants what is missing written all the same
 */
export async function goOnFromHere(run: Run, carryOn: boolean): Promise<DriveEnd | null> {
  const { context, change, leg, call } = run;
  const id = change.playlistId ?? '';
  const rest = restOf(leg.ops, progressOf(change));
  if (rest.length === 0 && !carryOn) return null;
  const isUnread = leg.rows === null && leg.total === null;
  // One under review waits for a person, also where a job takes it over.
  const waits = change.state === 'review' && !carryOn;
  if (onlyAppends(rest) && !carryOn && isUnread && !waits) return null;
  const hasWritten = isAfter(progressOf(change), START);
  if (hasWritten && context.rows.known(id) === null) await waitForList(context, change, call);
  const items = await context.rows.readSettled(id, call);
  const present = items.map(uriOf);
  const expected = rowsAt(leg.rows ?? present.slice(0, leg.total ?? 0), leg.ops, progressOf(change));
  if (sameRows(present, expected) && !(waits && isUnread)) return null;
  const others = () => (onlyAppends(rest) ? rest : shifted(run, present, expected));
  const ops = carryOn ? missingOps(run, items) : waits ? null : others();
  if (ops === null) return review(run, changedMeanwhile(run, present));
  await takeLeg(run, { rows: present, total: present.length, ops, counted: true }, goingState(run));
  return null;
}

/** The operations from `progress` on. */
function restOf(ops: readonly ChangeOp[], { op, at }: { op: number; at: number }): ChangeOp[] {
  return ops
    .slice(op)
    .map((entry, index) =>
      index === 0 && at > 0 && entry.op === 'append' ? { ...entry, uris: entry.uris.slice(at) } : entry,
    );
}

/** Only rows at the end came: what was to be done is done to the others. */
function shifted(run: Run, present: readonly string[], expected: readonly string[]): ChangeOp[] | null {
  if (!sameRows(present.slice(0, expected.length), expected)) return null;
  const goal = rowsAfter(run.leg.rows ?? [], run.leg.ops);
  return planRows(present, [...goal, ...present.slice(expected.length)]);
}

/** What brings in the rows that are missing, whatever else is there. */
function missingOps(run: Run, items: readonly Item[]): ChangeOp[] | null {
  const { leg } = run;
  const present = items.map(uriOf);
  const begins = leg.ops[0]?.op === 'put' && isAfter(progressOf(run.change), START);
  const isAdding = leg.ops.every(({ op }, index) => op === 'append' || (index === 0 && begins));
  if (!isAdding) {
    if (leg.rows === null) return null;
    const goal = rowsAfter(leg.rows, leg.ops);
    const before = rowsAt(leg.rows, leg.ops, progressOf(run.change));
    return planRows(present, besideOthers(before, goal, leg.ops, present));
  }
  const wanted = leg.ops.flatMap((op) => ('uris' in op ? op.uris : []));
  const there = endsWithFirst(present, wanted, run.change.written);
  if (there !== null) return there === wanted.length ? [] : [{ op: 'append', uris: wanted.slice(there) }];
  // Where others were at it as well, the number of rows before the change says nothing about which are its own.
  const others = begins ? [] : (leg.rows ?? olderRows(run, items));
  const missing = without(wanted, without(present, others));
  return missing.length === 0 ? [] : [{ op: 'append', uris: missing }];
}

function olderRows({ context, change }: Run, items: readonly Item[]): string[] {
  const since = beganAt(context, change) - OLDER_MS;
  const isOlder = ({ added_at }: Item) => added_at === null || Date.parse(added_at) < since;
  return items.filter(isOlder).map(uriOf);
}

/** How many of `wanted`, at least `known`, the rows end with; null where they end otherwise. */
function endsWithFirst(present: readonly string[], wanted: readonly string[], known: number): number | null {
  for (let count = Math.min(wanted.length, present.length); count >= Math.max(1, known); count--) {
    if (present.at(-1) !== wanted[count - 1]) continue;
    if (sameRows(present.slice(-count), wanted.slice(0, count))) return count;
  }
  return null;
}

/** What of the former rows a rollback that was given up has not brought back, in order. */
export function missingRows({ change, body }: Pick<Run, 'change' | 'body'>): string[] {
  const { rows, ops } = legOf(body);
  return without(body.former.rows ?? [], rowsAt(rows ?? [], ops, progressOf(change)));
}
