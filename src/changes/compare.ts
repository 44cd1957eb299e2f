/** What a reading of a playlist tells about how far a change got. Pure. */
import type { ChangeOp, Progress } from '../domain/change.ts';
import { distance } from '../domain/mergeRows.ts';
import { lacksUnnamed, mayBe, sameRows } from '../domain/rows.ts';
import {
  addsRows,
  applyOp,
  isAfter,
  leftByRemoval,
  progressAt,
  ROWS_PER_REQUEST,
  removedBefore,
  rowsAt,
  START,
  stepsFrom,
  type Work,
} from './rowOps.ts';

/** What a reading shows. */
export type Verdict =
  /**
   * The change got at least as far as `progress`, which is further than was known.
   * - `isAmbiguous`: an earlier state of this change looks the same.
   * - `isOlder`: the list looked the same before earlier changes of relay.
   * - `isNear`: the list also shows what others wrote.
   */
  | { kind: 'landed'; progress: Progress; isAmbiguous?: boolean; isOlder?: boolean; isNear?: boolean }
  /** The list shows the rows from before the request. `isNear`: it also shows what others wrote. */
  | { kind: 'absent'; isNear?: boolean }
  /**
   * The list lags: it shows an older state of this change. `isKept`: it shows rows that were just removed, either because it
   * lags or because they are still there.
   */
  | { kind: 'stale'; isKept?: boolean }
  /**
   * The list matches no state of this change, or two equally well. If a state has as many rows as the list, `mismatches` are
   * the rows that differ.
   */
  | { kind: 'other'; mismatches: ReadonlyArray<{ sent: string; shown: string }> };

/** URIs that Spotify shows in place of those that were written (relinking). */
export type Relinks = ReadonlyMap<string, string>;

/**
 * Compares a reading with every state of a change, from the former rows to the end. If others wrote too, the list usually shows
 * none of these states; `nearestState` then says which of them counts.
 * @param known what certainly took effect
 * @param size number of entries of the request in doubt, unless the operation has fewer left; null if that number is not known
 */
export function compareRows(
  plan: Work,
  known: Progress,
  shown: readonly string[],
  relinks: Relinks,
  size: number | null = ROWS_PER_REQUEST,
): Verdict {
  const { rows: former, ops } = plan;
  const same = sameness(relinks);
  const start = rowsAt(plan, known);
  const lacking = findLacking(plan, known, shown, size);
  if (lacking && isAfter(lacking, known)) return { kind: 'landed', progress: lacking, isNear: true };
  const ahead = findAhead(start, ops, known, shown, same, size);
  if (ahead && isAfter(ahead, known)) {
    return { kind: 'landed', progress: ahead, isAmbiguous: showsEarlier(plan, known, shown, same) };
  }
  if (ahead) return { kind: 'absent' };
  const behind = findAhead(former, ops, START, shown, same, null);
  const isKept = showsKept(plan, known, shown, same);
  if ((behind && isAfter(known, behind)) || isKept) return { kind: 'stale', isKept };
  return { kind: 'other', mismatches: differing(start, ops, known, shown, same) };
}

/**
 * For a change that only adds rows: the first state from `known` on of which the list lacks only rows without a name. null if
 * there is none. Without this comparison, an added song could pass for a row without a name, as if the addition had had no
 * effect.
 * @param size as for `compareRows`
 */
function findLacking(
  plan: Work,
  known: Progress,
  shown: readonly string[],
  size: number | null,
): Progress | null {
  const { rows: former, ops } = plan;
  if (!former.includes('') || !ops.slice(known.op).every(addsRows)) return null;
  // A row without a name at the very place where one was is no song that was added.
  if (sameRows(rowsAt(plan, known), shown)) return null;
  const states = [known, ...endsOf(plan.ops, known, shown, size)];
  return states.find((at) => lacksUnnamed(rowsAt(plan, at), shown)) ?? null;
}

/**
 * Where the request in doubt, or a full request after it, may have ended, in order.
 * @param size as for `compareRows`. If it is not known, the request may have ended after any entry that the list shows, unless the
 * list shows the next one too
 */
function endsOf(
  ops: readonly ChangeOp[],
  known: Progress,
  shown: readonly string[],
  size: number | null,
): Progress[] {
  const whole = stepsFrom(ops, known, size ?? ROWS_PER_REQUEST).map(({ to }) => to);
  const op = ops[known.op];
  if (size !== null || op?.op !== 'append') return whole;
  const there = new Set(shown);
  const uris = op.uris.slice(known.at, known.at + ROWS_PER_REQUEST);
  const parts = uris.flatMap((uri, index) => {
    const next = uris[index + 1];
    const isEnd = next !== undefined && there.has(uri) && !there.has(next);
    return isEnd ? [progressAt(ops, known.op, known.at + index + 1)] : [];
  });
  return [...parts, ...whole];
}

/** How many later states are compared row by row: those whose number of rows is closest to the list's. */
const MAX_AHEAD = 6;

/**
 * The state of a change that is nearest to a reading in which others wrote too. A request takes effect as a whole, so the
 * state that shares more with the list is the one that was reached. `other` if two states are equally near, or none is.
 * @param size as for `compareRows`
 */
export function nearestState(
  plan: Work,
  known: Progress,
  shown: readonly string[],
  size: number | null = ROWS_PER_REQUEST,
): Verdict {
  const other: Verdict = { kind: 'other', mismatches: [] };
  const start = rowsAt(plan, known);
  const here = distance(start, shown);
  const isStrange = here * 2 > start.length + shown.length;
  let ahead: { progress: Progress; far: number } | null = null;
  const likely = endsOf(plan.ops, known, shown, size)
    .map((to) => ({ to, rows: rowsAt(plan, to) }))
    .toSorted((a, b) => offBy(a.rows, shown) - offBy(b.rows, shown))
    .slice(0, MAX_AHEAD);
  for (const { to, rows } of likely) {
    const far = distance(rows, shown);
    const isNearer = ahead === null || far < ahead.far || (far === ahead.far && isAfter(ahead.progress, to));
    if (isNearer && far * 2 <= rows.length + shown.length) ahead = { progress: to, far };
  }
  const before = plan.ops.slice(0, known.op).map((_, op) => distance(rowsAt(plan, { op, at: 0 }), shown));
  const older = Math.min(Number.POSITIVE_INFINITY, ...before);
  if (older < Math.min(here, ahead?.far ?? Number.POSITIVE_INFINITY)) return { kind: 'stale' };
  if (ahead && ahead.far < here) return { kind: 'landed', progress: ahead.progress, isNear: true };
  if (isStrange || ahead?.far === here) return other;
  return { kind: 'absent', isNear: true };
}

function offBy(rows: readonly string[], shown: readonly string[]): number {
  return Math.abs(rows.length - shown.length);
}

/**
 * True if a lagging list may show the same rows, since they were there before one of the operations.
 * @param known what certainly took effect
 */
function showsEarlier(plan: Work, known: Progress, shown: readonly string[], same: Same): boolean {
  let { rows } = plan;
  for (let index = 0; index < known.op; index++) {
    if (sameAs(rows, shown, same)) return true;
    rows = applyOp(rows, plan.ops[index] as ChangeOp);
  }
  return false;
}

type Same = (expected: string, shown: string) => boolean;

function sameness(relinks: Relinks): Same {
  return (expected, shown) => mayBe(expected, shown) || relinks.get(expected) === shown;
}

function differences(
  expected: readonly string[],
  shown: readonly string[],
  same: Same,
): Array<{ sent: string; shown: string }> {
  return expected.flatMap((sent, row) =>
    same(sent, shown[row] ?? '') ? [] : [{ sent, shown: shown[row] ?? '' }],
  );
}

function sameAs(expected: readonly string[], shown: readonly string[], same: Same): boolean {
  return expected.length === shown.length && expected.every((uri, index) => same(uri, shown[index] ?? ''));
}

/**
 * The first state from `known` on that the rows show; null if they show none.
 * @param size as for `compareRows`
 */
function findAhead(
  start: readonly string[],
  ops: readonly ChangeOp[],
  known: Progress,
  shown: readonly string[],
  same: Same,
  size: number | null,
): Progress | null {
  let rows = start;
  let isKnown = sameAs(rows, shown, same);
  for (let index = known.op; index < ops.length; index++) {
    const op = ops[index] as ChangeOp;
    const at = index === known.op ? known.at : 0;
    if (op.op === 'append') {
      const more = shown.length - rows.length;
      const uris = op.uris.slice(at, at + Math.max(0, more));
      const first = size !== null && index > known.op ? ROWS_PER_REQUEST : size;
      const isEnd = mayEndAfter(more, op.uris.length - at, first);
      if (more > 0 && uris.length === more && isEnd && sameAs([...rows, ...uris], shown, same)) {
        return progressAt(ops, index, at + more);
      }
      rows = [...rows, ...op.uris.slice(at)];
      continue;
    }
    const partly = withoutShown(rows, ops, index, shown);
    rows = applyOp(rows, op);
    if (partly && sameAs(partly, shown, same)) return { op: index + 1, at: 0 };
    if (!sameAs(rows, shown, same)) continue;
    // An operation without effect shows nothing: it counts as done.
    if (index === known.op || !isKnown) return { op: index + 1, at: 0 };
    isKnown = true;
    break;
  }
  return isKnown ? known : null;
}

/**
 * True if a request may end after `count` of the `left` entries of a long operation. A request takes effect as a whole. So any
 * other number of entries can only mean that somebody has added or removed some.
 * @param size as for `compareRows`
 */
function mayEndAfter(count: number, left: number, size: number | null): boolean {
  if (size === null || count === left) return true;
  return (count - size) % ROWS_PER_REQUEST === 0;
}

/** The rows after a removal that took out only some of its rows; null if it took out all or none of them. */
function withoutShown(
  rows: readonly string[],
  ops: readonly ChangeOp[],
  index: number,
  shown: readonly string[],
): readonly string[] | null {
  const left = leftByRemoval(ops, { op: index, at: 0 }, shown);
  if (left.size === 0) return null;
  const partly = rowsAt({ rows, ops: ops.slice(index, index + 1) }, { op: 1, at: 0 }, left);
  return partly.length < rows.length ? partly : null;
}

/** True if rows that were removed right before the next request are still there, and that request adds rows. */
function showsKept(plan: Work, known: Progress, shown: readonly string[], same: Same): boolean {
  const removed = removedBefore(plan.ops, known);
  const left = new Set(shown.filter((uri) => removed.has(uri)));
  return left.size > 0 && sameAs(rowsAt(plan, known, left), shown, same);
}

/**
 * The rows that differ between the list and the most similar state of the same length. If several are equally similar, the
 * first counts. A state counts only if few rows differ, or none but those that the next request adds.
 */
function differing(
  start: readonly string[],
  ops: readonly ChangeOp[],
  known: Progress,
  shown: readonly string[],
  same: Same,
): Array<{ sent: string; shown: string }> {
  let fewest: Array<{ sent: string; shown: string }> = [];
  let rows = start;
  for (let index = known.op; index <= ops.length; index++) {
    const op = ops[index];
    const at = index === known.op ? known.at : 0;
    const more = shown.length - rows.length;
    const candidate = op?.op === 'append' && more > 0 ? [...rows, ...op.uris.slice(at, at + more)] : rows;
    if (candidate.length === shown.length) {
      const found = differences(candidate, shown, same);
      const isBegin = candidate !== rows && rows.every((uri, row) => same(uri, shown[row] ?? ''));
      const isClose = found.length > 0 && (isBegin || found.length <= Math.max(10, shown.length / 5));
      if (isClose && (fewest.length === 0 || found.length < fewest.length)) fewest = found;
    }
    if (!op) break;
    rows = op.op === 'append' ? [...rows, ...op.uris.slice(at)] : applyOp(rows, op);
  }
  return fewest;
}
