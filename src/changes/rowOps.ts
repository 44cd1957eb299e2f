/** What operations do to a list of rows, and how they are cut into requests. Pure. */
import type { ChangeOp, Progress } from '../domain/change.ts';
import { TRACKS_PER_REQUEST } from '../provider/resources/savedTracks.ts';

/** The provider's limit for one request to `/playlists/{id}/items`. */
export const ROWS_PER_REQUEST = 100;

/** The progress of a change before anything has taken effect. */
export const START: Progress = { op: 0, at: 0 };

/** One request: an operation, or as much of a long one as a request takes. */
export interface Step {
  op: ChangeOp;
  from: Progress;
  /** The progress of the change once this request has taken effect. */
  to: Progress;
  /** Number of entries of the operation that the request covers; 1 for an operation without entries. */
  count: number;
}

/** The request at `progress`; null at the end. @param size maximum number of entries */
export function nextStep(ops: readonly ChangeOp[], progress: Progress, size = Infinity): Step | null {
  const op = ops[progress.op];
  if (!op) return null;
  const limit = longLimit(op);
  if (limit === null) {
    const count = 'uris' in op ? op.uris.length : 1;
    return { op, from: progress, to: { op: progress.op + 1, at: 0 }, count };
  }
  const long = op as Extract<ChangeOp, { op: 'append' | 'save' | 'unsave' }>;
  const end = Math.min(progress.at + Math.min(limit, size), long.uris.length);
  const uris = long.uris.slice(progress.at, end);
  return { op: { ...long, uris }, from: progress, to: progressAt(ops, progress.op, end), count: uris.length };
}

/** Every request from `from` on. @param size maximum number of entries of the first one; the others are full */
export function stepsFrom(ops: readonly ChangeOp[], from: Progress, size = Infinity): Step[] {
  const steps: Step[] = [];
  for (let step = nextStep(ops, from, size); step; step = nextStep(ops, step.to)) steps.push(step);
  return steps;
}

/** The progress after `at` entries of operation `op`. */
export function progressAt(ops: readonly ChangeOp[], op: number, at: number): Progress {
  const present = ops[op];
  const isOver = present !== undefined && 'uris' in present && at >= present.uris.length;
  return isOver ? { op: op + 1, at: 0 } : { op, at };
}

function longLimit(op: ChangeOp): number | null {
  if (op.op === 'append') return ROWS_PER_REQUEST;
  return op.op === 'save' || op.op === 'unsave' ? TRACKS_PER_REQUEST : null;
}

/**
 * The entries of an operation; null if it has none. A removal may name a row by two URIs: the one that the list shows, and the
 * one that the row was added with. Then only the first counts.
 * @param rows the rows before the plan's first operation
 */
export function entriesOf(op: ChangeOp, rows: readonly string[]): readonly string[] | null {
  if (!('uris' in op)) return null;
  if (op.op !== 'remove') return op.uris;
  const named = new Set(op.uris);
  const shown = new Set(rows.filter((uri) => named.has(uri)));
  return shown.size === 0 ? op.uris : op.uris.filter((uri) => shown.has(uri));
}

/** Number of entries of an operation, as a change counts them; each row that is moved and each detail that is set is one. */
export function entryCount(op: ChangeOp): number {
  if ('uris' in op) return op.uris.length;
  if (op.op === 'move') return op.length;
  return op.op === 'details' ? Object.values(op.set).filter((value) => value !== undefined).length : 1;
}

/** How many requests the operations take from `progress` on. */
export function requestsLeft(ops: readonly ChangeOp[], progress: Progress = START): number {
  return ops.slice(progress.op).reduce((sum, op, index) => {
    const limit = longLimit(op);
    if (limit === null || !('uris' in op)) return sum + 1;
    return sum + Math.ceil((op.uris.length - (index === 0 ? progress.at : 0)) / limit);
  }, 0);
}

/** True if `a` is further than `b`. */
export function isAfter(a: Progress, b: Progress): boolean {
  return a.op > b.op || (a.op === b.op && a.at > b.at);
}

/** The rows after one operation. An operation that does not touch rows leaves them as they are. */
export function applyOp(rows: readonly string[], op: ChangeOp): readonly string[] {
  switch (op.op) {
    case 'append':
      return [...rows, ...op.uris];
    case 'insert':
      return [...rows.slice(0, op.at), ...op.uris, ...rows.slice(op.at)];
    case 'remove': {
      const gone = new Set(op.uris);
      return rows.filter((uri) => !gone.has(uri));
    }
    case 'put':
      return [...op.uris];
    case 'move':
      return moved(rows, op);
    case 'create':
      return [];
    default:
      return rows;
  }
}

/** The rows after a move; `before` is an index in `rows`, counted before the move. */
export function moved<T>(
  rows: readonly T[],
  { start, length, before }: { start: number; length: number; before: number },
): readonly T[] {
  const part = rows.slice(start, start + length);
  const rest = [...rows.slice(0, start), ...rows.slice(start + length)];
  const at = before > start ? Math.max(start, before - part.length) : before;
  return [...rest.slice(0, at), ...part, ...rest.slice(at)];
}

/** The operations from `progress` on. A partly done `append` is cut to its remaining entries; `save` and `unsave` stay whole. */
export function restOf(ops: readonly ChangeOp[], { op, at }: Progress): ChangeOp[] {
  return ops
    .slice(op)
    .map((entry, index) =>
      index === 0 && at > 0 && entry.op === 'append' ? { ...entry, uris: entry.uris.slice(at) } : entry,
    );
}

/** Rows, and operations to carry out on them. */
export interface Work {
  rows: readonly string[];
  ops: readonly ChangeOp[];
}

/**
 * The rows once the operations have taken effect up to `progress`.
 * @param left URIs of rows that are still there although they were to be removed
 */
export function rowsAt(
  { rows: before, ops }: Work,
  progress: Progress,
  left: ReadonlySet<string> = new Set(),
): readonly string[] {
  let rows = before;
  for (const [index, op] of ops.entries()) {
    if (index > progress.op) break;
    if (index < progress.op && op.op === 'remove' && left.size > 0)
      rows = applyOp(rows, { ...op, uris: op.uris.filter((uri) => !left.has(uri)) });
    else if (index < progress.op) rows = applyOp(rows, op);
    else if (op.op === 'append') rows = [...rows, ...op.uris.slice(0, progress.at)];
  }
  return rows;
}

/** The rows before each operation that has taken effect as a whole. */
export function rowsBefore(work: Work, { op }: Progress): Array<readonly string[]> {
  return work.ops.slice(0, op).map((_, index) => rowsAt(work, { op: index, at: 0 }));
}

/** The rows after all operations. */
export function rowsAfter(work: Work): readonly string[] {
  return rowsAt(work, { op: work.ops.length, at: 0 });
}

/** True if rows are only added at the end, so that the total and the last rows tell how far the change got. */
export function onlyAppends(ops: readonly ChangeOp[]): boolean {
  return ops.every(({ op }) => op === 'append');
}

/** The URIs that the operations write as rows. */
export function writtenUris(ops: readonly ChangeOp[]): Set<string> {
  return new Set(
    ops.flatMap((op) => (op.op === 'append' || op.op === 'insert' || op.op === 'put' ? op.uris : [])),
  );
}

/** The URIs whose rows the operations take out. */
export function removedUris(ops: readonly ChangeOp[]): string[] {
  return ops.flatMap((op) => (op.op === 'remove' ? op.uris : []));
}

/**
 * The URIs that are removed right before the operation at `progress`, if that operation adds or replaces rows and has not begun.
 */
export function removedBefore(ops: readonly ChangeOp[], { op, at }: Progress): Set<string> {
  const next = ops[op];
  if (!(addsRows(next) || next?.op === 'put') || at > 0) return new Set();
  return new Set(removedUris(ops.slice(firstRemoval(ops, op), op)));
}

/**
 * The rows that the removal at `progress` seems to have left in place: those that the list still shows. Spotify keeps rows that
 * were added under another ID than it shows. Empty if the change adds no rows after the removal, since relay waits for rows to go only
 * in that case.
 */
export function leftByRemoval(
  ops: readonly ChangeOp[],
  progress: Progress,
  shown: readonly string[],
): Set<string> {
  const op = ops[progress.op];
  const next = ops.slice(progress.op + 1).find(({ op: name }) => name !== 'remove');
  if (op?.op !== 'remove' || !addsRows(next)) return new Set();
  const there = new Set(shown);
  return new Set(op.uris.filter((uri) => there.has(uri)));
}

/**
 * True if a removal seems to have left rows in place, so that all rows are replaced after it. The list may also lag, so these
 * rows may be gone.
 */
export function replacesAfterRemoval([first, second]: readonly ChangeOp[]): boolean {
  return first?.op === 'remove' && second?.op === 'put';
}

/** The index of the first of the removals right before operation `op`; `op` if there are none. */
export function firstRemoval(ops: readonly ChangeOp[], op: number): number {
  return ops.slice(0, op).findLastIndex(({ op: name }) => name !== 'remove') + 1;
}

/** True for an operation that adds rows to those that are there. */
export function addsRows(op: ChangeOp | undefined): boolean {
  return op?.op === 'insert' || op?.op === 'append';
}

/** True for an operation on the rows of an existing playlist. */
export function writesRows({ op }: ChangeOp): boolean {
  return op === 'append' || op === 'insert' || op === 'remove' || op === 'put' || op === 'move';
}
