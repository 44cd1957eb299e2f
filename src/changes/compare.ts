/** What a reading of a playlist says about how far a change got. Pure. */
import type { ChangeOp, Progress } from '../domain/change.ts';
import { mayBe } from '../domain/rows.ts';
import { applyOp, isAfter, progressAt, rowsAt, START } from './rowOps.ts';

/** The rows from position `from` to the end, as they were read. */
export interface Reading {
  from: number;
  rows: readonly string[];
}

/** What a reading shows. */
export type Verdict =
  /** It got at least this far, further than was known. `isAmbiguous`: an earlier state looks the same. */
  | { kind: 'landed'; progress: Progress; isAmbiguous?: boolean }
  /** It shows what was known before the request. */
  | { kind: 'absent' }
  /** It shows an older state of this change: the list lags. */
  | { kind: 'stale' }
  /** It matches no state of this change. `mismatches` are the rows that differ, where the lengths agree with one. */
  | { kind: 'other'; mismatches: ReadonlyArray<{ sent: string; shown: string }> };

/** URIs that Spotify shows in place of those that were written (relinking). */
export type Relinks = ReadonlyMap<string, string>;

/**
 * Compares a reading with every state of a change, from the former rows to the end.
 * @param known what certainly took effect
 */
export function compareRows(
  former: readonly string[],
  ops: readonly ChangeOp[],
  known: Progress,
  reading: Reading,
  relinks: Relinks,
): Verdict {
  const same = sameness(relinks);
  const start = rowsAt(former, ops, known);
  const ahead = findAhead(start, ops, known, reading.rows, same);
  if (ahead && isAfter(ahead, known)) {
    return { kind: 'landed', progress: ahead, isAmbiguous: showsEarlier(former, ops, known, reading, same) };
  }
  if (ahead) return { kind: 'absent' };
  const behind = findAhead(former, ops, START, reading.rows, same);
  if (behind) return { kind: 'stale' };
  return { kind: 'other', mismatches: nearest(start, ops, known, reading.rows, same) };
}

/**
 * True if a list that lags may show the same reading, since the rows were so before one of the operations.
 * @param known what certainly took effect
 */
export function showsEarlier(
  former: readonly string[],
  ops: readonly ChangeOp[],
  known: Progress,
  { from, rows: shown }: Reading,
  same: Same = mayBe,
): boolean {
  let rows = former;
  for (let index = 0; index < known.op; index++) {
    if (sameAs(rows.slice(from), shown, same)) return true;
    rows = applyOp(rows, ops[index] as ChangeOp);
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

/** The first state after `known` that the rows show, or `known` itself; null for none. */
function findAhead(
  start: readonly string[],
  ops: readonly ChangeOp[],
  known: Progress,
  shown: readonly string[],
  same: Same,
): Progress | null {
  let rows = start;
  let isKnown = sameAs(rows, shown, same);
  for (let index = known.op; index < ops.length; index++) {
    const op = ops[index] as ChangeOp;
    const at = index === known.op ? known.at : 0;
    if (op.op === 'append') {
      const more = shown.length - rows.length;
      const uris = op.uris.slice(at, at + Math.max(0, more));
      if (more > 0 && uris.length === more && sameAs([...rows, ...uris], shown, same)) {
        return progressAt(ops, index, at + more);
      }
      rows = [...rows, ...op.uris.slice(at)];
      continue;
    }
    rows = applyOp(rows, op);
    if (!sameAs(rows, shown, same)) continue;
    // An operation without effect shows the same before and after: it counts as done.
    if (index === known.op || !isKnown) return { op: index + 1, at: 0 };
    isKnown = true;
    break;
  }
  return isKnown ? known : null;
}

/** Rows that differ from the state of the same length that comes next. */
function nearest(
  start: readonly string[],
  ops: readonly ChangeOp[],
  known: Progress,
  shown: readonly string[],
  same: Same,
): Array<{ sent: string; shown: string }> {
  let rows = start;
  for (let index = known.op; index <= ops.length; index++) {
    const op = ops[index];
    const at = index === known.op ? known.at : 0;
    const more = shown.length - rows.length;
    const candidate = op?.op === 'append' && more > 0 ? [...rows, ...op.uris.slice(at, at + more)] : rows;
    if (candidate.length === shown.length) {
      const differing = differences(candidate, shown, same);
      if (differing.length > 0 && differing.length <= Math.max(10, shown.length / 5)) return differing;
    }
    if (!op) break;
    rows = op.op === 'append' ? [...rows, ...op.uris.slice(at)] : applyOp(rows, op);
  }
  return [];
}

/**
 * The same for rows that were only added at the end of a list of `base` rows that were not read.
 * @param uris all rows to add, `known` of which are there
 */
export function compareTail(
  base: number,
  uris: readonly string[],
  known: number,
  reading: Reading,
  relinks: Relinks,
): Verdict {
  const same = sameness(relinks);
  const end = reading.from + reading.rows.length;
  const added = end - base;
  if (added > uris.length || end < base) return { kind: 'other', mismatches: [] };
  // Rows that are certain count only: one of them may be shown under another ID.
  const first = Math.max(reading.from, base + known);
  const expected = uris.slice(first - base, added);
  const shown = reading.rows.slice(first - reading.from);
  const differing = differences(expected, shown, same);
  if (differing.length > 0) return { kind: 'other', mismatches: differing };
  if (added < known) return { kind: 'stale' };
  if (added === known) return { kind: 'absent' };
  return { kind: 'landed', progress: { op: 0, at: added } };
}
