/** What a reading of a playlist tells about how far a change got. Pure. */
import type { Progress } from '../domain/change.ts';
import { distance } from '../domain/mergeRows.ts';
import { differingRows, lacksUnnamed, mayBeRows, sameRows } from '../domain/rows.ts';
import {
  addsRows,
  applyOp,
  isAfter,
  leftByRemoval,
  ROWS_PER_REQUEST,
  removedBefore,
  rowsAt,
  rowsBefore,
  START,
  stepsFrom,
  type Work,
} from './rowOps.ts';

/** The state of the list once the change has got as far as `to`. */
interface State {
  to: Progress;
  rows: readonly string[];
  /** URIs of rows that the last removal has left in place. */
  left: ReadonlySet<string>;
}

function stateAt(plan: Work, to: Progress): State {
  return { to, rows: rowsAt(plan, to), left: new Set() };
}

/** What a reading shows. */
export type Verdict =
  /**
   * The change got at least as far as `to`, which is further than was known.
   * - `isAmbiguous`: an earlier state of this change looks the same.
   * - `isOlder`: the list looked the same before earlier changes of relay.
   * - `isNear`: the list also shows what others wrote.
   */
  | ({ kind: 'landed'; isAmbiguous?: boolean; isOlder?: boolean; isNear?: boolean } & State)
  /** The list shows the rows from before the request. `isNear`: it also shows what others wrote. */
  | { kind: 'absent'; isNear?: boolean }
  /**
   * The list lags: it shows an older state of this change. `isKept`: it shows rows that were just removed, either because it
   * lags or because they are still there.
   */
  | { kind: 'stale'; isKept?: boolean }
  /**
   * The list matches no state of this change, or two equally well. `closest`: the most similar state with as many rows as the
   * list; null if there is none.
   */
  | { kind: 'other'; closest: readonly string[] | null };

/**
 * The states after the request in doubt, and after each full request that follows, in order. A removal may leave rows that the
 * list still shows.
 * @param size as for `compareRows`. If it is not known, a request may have ended after any entry. Then those ends count that fit the
 * number of rows, and those at which the list shows one entry and not the next
 */
function statesFrom(plan: Work, known: Progress, shown: readonly string[], size: number | null): State[] {
  const there = new Set(shown);
  let rows = rowsAt(plan, known);
  return stepsFrom(plan.ops, known, size ?? ROWS_PER_REQUEST).flatMap(({ op, from, to }) => {
    const states: State[] = [];
    const before = rows;
    rows = applyOp(before, op);
    if (op.op === 'append' && size === null) {
      const isEnd = (count: number) =>
        before.length + count === shown.length ||
        (from.op === known.op && there.has(op.uris[count - 1] ?? '') && !there.has(op.uris[count] ?? ''));
      for (let count = 1; count < op.uris.length; count++)
        if (isEnd(count)) states.push(stateAt(plan, { ...from, at: from.at + count }));
    }
    const left = leftByRemoval(plan.ops, from, shown);
    const partly = rowsAt({ rows: before, ops: [op] }, { op: 1, at: 0 }, left);
    // If most of its rows are still there, the removal had no effect, and a person has taken out the others.
    if (left.size > 0 && before.length - partly.length >= left.size) states.push({ to, rows: partly, left });
    return [...states, { to, rows, left: new Set() }];
  });
}

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
  size: number | null,
): Verdict {
  const fits = ({ rows }: State) => mayBeRows(rows, shown);
  const present = stateAt(plan, known);
  const ahead = statesFrom(plan, known, shown, size);
  const lacking = lacksAhead(plan, present, ahead, shown);
  if (lacking && isAfter(lacking.to, known)) return { kind: 'landed', ...lacking, isNear: true };
  // An operation without effect shows nothing: it counts as done.
  const next = ahead.filter(({ to }) => to.op === known.op + 1 && to.at === 0);
  const found = [...next, present, ...ahead].find(fits);
  if (found === present) return { kind: 'absent' };
  if (found) {
    // A lagging list may show the same rows, if they were there before one of the operations.
    const isAmbiguous = rowsBefore(plan, known).some((rows) => mayBeRows(rows, shown));
    return { kind: 'landed', ...found, isAmbiguous };
  }
  const all = [stateAt(plan, START), ...statesFrom(plan, START, shown, null)];
  const isBehind = all.some((state) => isAfter(known, state.to) && fits(state));
  const isKept = keptState(plan, known, shown).some(fits);
  if (isBehind || isKept) return { kind: 'stale', isKept };
  return { kind: 'other', closest: closestOf(present.rows, [present, ...ahead], shown) };
}

/**
 * For a change that only adds rows: the first state of which the list lacks only rows without a name. undefined if there is
 * none. Without this comparison, an added song could pass for a row without a name, as if the addition had had no effect.
 */
function lacksAhead(
  { rows, ops }: Work,
  present: State,
  ahead: readonly State[],
  shown: readonly string[],
): State | undefined {
  if (!rows.includes('') || !ops.slice(present.to.op).every(addsRows)) return;
  // If the list is as it was before the request, its rows without a name are the old ones, not songs that were added.
  if (sameRows(present.rows, shown)) return;
  return [present, ...ahead].find((state) => lacksUnnamed(state.rows, shown));
}

/**
 * The state in which rows that were removed right before the next request are still there. There is one if the list shows some
 * of them, and that request adds or replaces rows.
 */
function keptState(plan: Work, known: Progress, shown: readonly string[]): State[] {
  const removed = removedBefore(plan.ops, known);
  const left = new Set(shown.filter((uri) => removed.has(uri)));
  return left.size === 0 ? [] : [{ to: known, rows: rowsAt(plan, known, left), left }];
}

/** The present state of a change, or that of `keptState` if it is nearer to the reading. */
export function presentState(plan: Work, known: Progress, shown: readonly string[]): State {
  const present = stateAt(plan, known);
  const [kept] = keptState(plan, known, shown);
  return kept && distance(kept.rows, shown) < distance(present.rows, shown) ? kept : present;
}

/**
 * The most similar state with as many rows as the list. If several are equally similar, the last counts: rows that a change has
 * written may be shown under other IDs. A state counts only if few rows differ, or if the list still begins with `begin`. null if
 * there is none.
 * @param begin the rows before the next request
 */
function closestOf(
  begin: readonly string[],
  states: readonly State[],
  shown: readonly string[],
): readonly string[] | null {
  const isBegun = mayBeRows(begin, shown.slice(0, begin.length));
  const closest = states
    .filter(({ rows }) => rows.length === shown.length)
    .map(({ rows }) => ({ rows, count: differingRows(rows, shown).length }))
    .filter(({ count }) => isBegun || count <= Math.max(10, shown.length / 5))
    .toSorted((a, b) => b.count - a.count)
    .at(-1);
  return closest?.rows ?? null;
}

/** How many later states are compared row by row: those whose number of rows is closest to the list's. */
const MAX_AHEAD = 6;

/**
 * The present state of a change and later ones, the nearest to a reading first. Of those that are equally near, the earlier one
 * comes first.
 * @param size as for `compareRows`
 * @param last the end of the last request that was sent; null if it is not known
 */
export function byDistance(
  plan: Work,
  known: Progress,
  shown: readonly string[],
  size: number | null = ROWS_PER_REQUEST,
  last: Progress | null = null,
): ReadonlyArray<State & { far: number }> {
  const offBy = ({ rows }: State) => Math.abs(rows.length - shown.length);
  const ahead = statesFrom(plan, known, shown, size)
    .filter(({ to }) => last === null || !isAfter(to, last))
    .toSorted((a, b) => offBy(a) - offBy(b))
    .slice(0, MAX_AHEAD);
  return [stateAt(plan, known), ...keptState(plan, known, shown), ...ahead]
    .map((state) => ({ ...state, far: distance(state.rows, shown) }))
    .toSorted((a, b) => a.far - b.far || Number(isAfter(a.to, b.to)) - Number(isAfter(b.to, a.to)));
}

/**
 * The state of a change that is nearest to a reading in which others wrote too. A request takes effect as a whole, so the
 * state that shares more with the list is the one that was reached. `other` if two states are equally near, or none is.
 * @param size as for `compareRows`
 * @param last as for `byDistance`
 */
export function nearestState(
  plan: Work,
  known: Progress,
  shown: readonly string[],
  size: number | null,
  last: Progress | null = null,
): Verdict {
  const isStrange = ({ rows, far }: { rows: readonly string[]; far: number }) =>
    far * 2 > rows.length + shown.length;
  // A removal may leave few rows or none, so others may have added most of what is there.
  const isRemoved = ({ op }: Progress) => op > known.op && plan.ops[op - 1]?.op === 'remove';
  const states = byDistance(plan, known, shown, size, last);
  const [nearest, ...others] = states.filter(
    (state) => state.to === known || isRemoved(state.to) || !isStrange(state),
  );
  const far = nearest?.far ?? 0;
  if (rowsBefore(plan, known).some((rows) => distance(rows, shown) < far)) return { kind: 'stale' };
  if (nearest && nearest.to !== known) return { kind: 'landed', ...nearest, isNear: true };
  if (
    nearest === undefined ||
    isStrange(nearest) ||
    others.some((state) => state.to !== known && state.far === far)
  )
    return { kind: 'other', closest: null };
  return { kind: 'absent', isNear: true };
}
