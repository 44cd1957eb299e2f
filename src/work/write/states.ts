/** What operations do to a list of rows. Each operation is exactly one request. Pure. */
import { chunk } from '../../base/lists.ts';
import type { ChangeOp } from '../../domain/change.ts';
import { TRACKS_PER_REQUEST } from '../../provider/resources/savedTracks.ts';
import type { Plan } from '../../store/tables/works.ts';

/** The provider's limit for one request to `/playlists/{id}/items`. */
export const ROWS_PER_REQUEST = 100;

/** Cuts operations with long lists into one operation for each request. */
export function requestsOf(ops: readonly ChangeOp[]): ChangeOp[] {
  return ops.flatMap((op): ChangeOp[] => {
    if (op.op === 'append') return chunk(op.uris, ROWS_PER_REQUEST).map((uris) => ({ ...op, uris }));
    if (op.op === 'save' || op.op === 'unsave')
      return chunk(op.uris, TRACKS_PER_REQUEST).map((uris) => ({ ...op, uris }));
    return [op];
  });
}

/**
 * The entries of an operation; null if it has none. A removal may name a row by two URIs: the one that the list shows, and the
 * one that the row was added with. Then only the first counts.
 */
export function entriesOf(op: ChangeOp, rows: readonly string[]): readonly string[] | null {
  if (!('uris' in op)) return null;
  if (op.op !== 'remove') return op.uris;
  const named = new Set(op.uris);
  const shown = new Set(rows.filter((uri) => named.has(uri)));
  return shown.size === 0 ? op.uris : op.uris.filter((uri) => shown.has(uri));
}

/** Number of entries of an operation; each row that is moved and each detail that is set is one. */
export function entryCount(op: ChangeOp): number {
  if ('uris' in op) return op.uris.length;
  if (op.op === 'move') return op.length;
  return op.op === 'details' ? Object.values(op.set).filter((value) => value !== undefined).length : 1;
}

export function requestCount(ops: readonly ChangeOp[]): number {
  return requestsOf(ops).length;
}

function applyOp(rows: readonly string[], op: ChangeOp): readonly string[] {
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

/** The rows after the operations of a plan, or after the first `op` of them. */
export function rowsAfter({ rows, ops }: Plan, op = ops.length): readonly string[] {
  return ops.slice(0, op).reduce(applyOp, rows);
}

/** The rows before the first operation and after each of the first `op` ones. */
export function statesUntil({ rows, ops }: Plan, op: number): Array<readonly string[]> {
  const states = [rows];
  for (const one of ops.slice(0, op)) states.push(applyOp(states.at(-1) ?? [], one));
  return states;
}

export function onlyAppends(ops: readonly ChangeOp[]): boolean {
  return ops.every(({ op }) => op === 'append');
}

export function writtenUris(ops: readonly ChangeOp[]): Set<string> {
  return new Set(
    ops.flatMap((op) => (op.op === 'append' || op.op === 'insert' || op.op === 'put' ? op.uris : [])),
  );
}

/** True for an operation that goes by positions, or replaces what is there. */
export function isPlaced({ op }: ChangeOp): boolean {
  return op === 'insert' || op === 'move' || op === 'put';
}

/** True for an operation that adds rows to those that are there. */
export function addsRows(op: ChangeOp | undefined): boolean {
  return op?.op === 'insert' || op?.op === 'append';
}

/** True for an operation on the rows of an existing playlist. */
export function writesRows({ op }: ChangeOp): boolean {
  return op === 'append' || op === 'insert' || op === 'remove' || op === 'put' || op === 'move';
}

/** Where `block` stands in `rows`, in one piece. */
export function placesOf(block: readonly string[], rows: readonly string[]): number[] {
  const begins = (at: number) => block.every((uri, index) => rows[at + index] === uri);
  return block.length === 0 ? [] : rows.flatMap((uri, at) => (uri === block[0] && begins(at) ? [at] : []));
}
