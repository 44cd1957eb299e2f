/** How to turn the rows of a playlist into others with few requests, keeping the rows that stay. Pure. */
import { chunk, counted } from '../../base/lists.ts';
import { longestIncreasing } from '../../base/longestIncreasing.ts';
import type { ChangeOp } from '../../domain/change.ts';
import { RelayError } from '../../domain/errors.ts';
import { MAX_ROWS, placesIn, sameRows } from '../../domain/rows.ts';
import { ROWS_PER_REQUEST, requestCount } from './states.ts';

/** Maximum number of requests to spend on keeping the dates of rows (`added_at`). */
const REQUESTS_TO_KEEP_DATES = 20;

/**
 * The operations that turn `present` into `wanted`; null if there is no way. Local files and rows that Spotify no longer offers (an
 * empty string) cannot be written, so they stay where nothing has to move them.
 */
export function planRows(present: readonly string[], wanted: readonly string[]): ChangeOp[] | null {
  if (sameRows(present, wanted)) return [];
  const move = singleMove(present, wanted);
  if (move) return [move];
  const inPlace = insertOnly(present, wanted) ?? removeAndInsert(present, wanted);
  const rewritten = wanted.every(isWritable) ? replaceOps(wanted) : null;
  if (!inPlace || !rewritten) return inPlace ?? rewritten;
  // Replacing all rows also removes rows that others have added since the reading.
  return requestCount(inPlace) <= Math.max(requestCount(rewritten), REQUESTS_TO_KEEP_DATES)
    ? inPlace
    : rewritten;
}

export function isWritable(uri: string): boolean {
  return uri !== '' && !uri.startsWith('spotify:local:');
}

/** The error for rows that no plan can make. @param rows the rows as they should be */
export function unwritable(rows: readonly string[], remedy: string): RelayError {
  const count = rows.filter((uri) => !isWritable(uri)).length;
  return new RelayError(
    'UNSUPPORTED_ITEMS',
    `relay cannot put ${counted(count, 'row')} in place: local files and songs that Spotify no longer offers cannot be written again.`,
    { remedy },
  );
}

/** Replaces all rows: the `put` writes the first hundred, and the others are appended. */
export function replaceOps(uris: readonly string[]): ChangeOp[] {
  const rest = uris.slice(ROWS_PER_REQUEST);
  const first: ChangeOp = { op: 'put', uris: uris.slice(0, ROWS_PER_REQUEST) };
  return rest.length === 0 ? [first] : [first, { op: 'append', uris: rest }];
}

/** The move of one block of rows that makes `present` into `wanted`; null if that is not the only difference. */
function singleMove(present: readonly string[], wanted: readonly string[]): ChangeOp | null {
  const size = present.length;
  if (size !== wanted.length) return null;
  let start = 0;
  while (start < size && present[start] === wanted[start]) start++;
  let end = size;
  while (end > start && present[end - 1] === wanted[end - 1]) end--;
  const width = end - start;
  const [part, goal] = [present.slice(start, end), wanted.slice(start, end)];
  // One move rotates the part that differs: its first `left` rows come after its other rows.
  for (let left = 1; left < width; left++) {
    if (part[0] !== goal[width - left]) continue;
    if (!sameRows([...part.slice(left), ...part.slice(0, left)], goal)) continue;
    return left * 2 <= width
      ? { op: 'move', start, length: left, before: end }
      : { op: 'move', start: start + left, length: width - left, before: start };
  }
  return null;
}

/** The operations that only insert rows, if all present rows stay in their order; otherwise null. */
function insertOnly(present: readonly string[], wanted: readonly string[]): ChangeOp[] | null {
  let next = 0;
  const isMissing = wanted.map((uri) => {
    if (uri !== present[next]) return true;
    next += 1;
    return false;
  });
  const missing = wanted.filter((_, index) => isMissing[index]);
  return next === present.length && missing.every(isWritable) ? inserts(wanted, isMissing) : null;
}

/** Removes whole URIs (the provider removes every occurrence), and puts back the rows that belong there. */
function removeAndInsert(present: readonly string[], wanted: readonly string[]): ChangeOp[] | null {
  const out = withStrays(differingCounts(present, wanted), present, wanted);
  if (![...out].every(isWritable)) return null;
  const held = new Set(present);
  const removed = [...out].filter((uri) => held.has(uri));
  const removes = chunk(removed, ROWS_PER_REQUEST).map((uris): ChangeOp => ({ op: 'remove', uris }));
  const added = inserts(
    wanted,
    wanted.map((uri) => out.has(uri)),
  );
  const isApart =
    added.every((op) => op.op === 'append' && !op.uris.some((uri) => held.has(uri))) &&
    present.length + wanted.length <= MAX_ROWS;
  // If possible, no row is removed before its replacement is there.
  return isApart ? [...added, ...removes] : [...removes, ...added];
}

/** `out`, and the URIs that have to be taken out too, so that the other rows are in order. */
function withStrays(
  out: ReadonlySet<string>,
  present: readonly string[],
  wanted: readonly string[],
): Set<string> {
  const all = new Set(out);
  // Each round adds at least one URI, so this ends.
  for (;;) {
    const isKept = (uri: string) => !all.has(uri);
    const strays = outOfOrder(present.filter(isKept), wanted.filter(isKept));
    if (strays.size === 0) return all;
    for (const uri of strays) all.add(uri);
  }
}

function differingCounts(present: readonly string[], wanted: readonly string[]): Set<string> {
  const counts = new Map<string, number>();
  for (const uri of present) counts.set(uri, (counts.get(uri) ?? 0) + 1);
  for (const uri of wanted) counts.set(uri, (counts.get(uri) ?? 0) - 1);
  return new Set([...counts].filter(([, count]) => count !== 0).map(([uri]) => uri));
}

/** The URIs to move between two lists with the same rows in different orders: all outside a longest run that keeps its order. */
function outOfOrder(kept: readonly string[], goal: readonly string[]): Set<string> {
  const inOrder = longestIncreasing(placesIn(kept, goal));
  return new Set(goal.filter((_, index) => !inOrder.has(index)));
}

/**
 * Operations that insert the missing rows, from front to back so that each position is right when its request is sent.
 * Rows that are missing at the end are appended.
 */
function inserts(wanted: readonly string[], isMissing: readonly boolean[]): ChangeOp[] {
  // The position from which all rows to the end are missing.
  let tail = wanted.length;
  while (tail > 0 && isMissing[tail - 1]) tail--;
  const runs: Array<{ at: number; uris: string[] }> = [];
  wanted.forEach((uri, at) => {
    if (!isMissing[at]) return;
    const run = runs.at(-1);
    const isNext = run !== undefined && run.at + run.uris.length === at;
    if (isNext && (run.uris.length < ROWS_PER_REQUEST || run.at >= tail)) run.uris.push(uri);
    else runs.push({ at, uris: [uri] });
  });
  return runs.map(({ at, uris }) =>
    at + uris.length === wanted.length ? { op: 'append', uris } : { op: 'insert', at, uris },
  );
}
