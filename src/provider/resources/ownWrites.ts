/**
 * Compares a reading of a list with what relay itself wrote to the list within the last minute, and merges the two. The reading
 * may lag, as a whole or page by page, and others may have written too. Pure.
 */
import { distance, mergeRows, withNames } from '../../domain/mergeRows.ts';
import { lacksUnnamed, mayBe, mayBeRows, sameRows, without } from '../../domain/rows.ts';
import { PLAYLIST_PAGE } from './playlists.ts';

/** How a reading agrees with relay's own writes. */
type Seen =
  /** The reading shows the state that relay's last write left, which has `length` rows. */
  | { kind: 'current'; length: number }
  /** The reading shows the rows from before some of relay's writes; `rows` is what the playlist should hold. */
  | { kind: 'behind'; rows: string[] }
  /** The reading shows none of the states of relay's writes. */
  | { kind: 'other' };

/** The rows that a reading shows, for a list of `length` rows. Rows that were not read are empty strings. */
export type PartShown = (length: number) => readonly string[];

/** Every state that a list went through during one write, beginning with the state before the write. */
export type States = ReadonlyArray<readonly string[]>;

/**
 * Fills in the rows that a write did not read, such as those that a move leaves alone, from the writes before and after it. The
 * filled-in rows may be wrong, since somebody else may have changed them between two writes.
 */
function filledIn(writes: readonly States[]): States[] {
  const all = [...writes];
  for (const [index, states] of all.entries())
    all[index] = withRowsOf(all[index - 1]?.at(-1) ?? [], states, states[0] ?? []);
  for (const [index, states] of [...all.entries()].reverse())
    all[index] = withRowsOf(all[index + 1]?.[0] ?? [], states, states.at(-1) ?? []);
  return all;
}

/**
 * @param neighbor the state that the write before this one left, or that the write after it found
 * @param edge the first or last state of this write, which should equal `neighbor`
 */
function withRowsOf(neighbor: readonly string[], states: States, edge: readonly string[]): States {
  if (!edge.includes('') || !mayBeRows(edge, neighbor)) return states;
  return states.map((rows) =>
    rows.map((uri, row) => (uri === '' && edge[row] === '' ? (neighbor[row] ?? '') : uri)),
  );
}

/**
 * Compares a reading with every state of relay's own writes, the latest first.
 * @param begin number of rows in the first page
 */
export function compareWithOwn(writes: readonly States[], shown: PartShown, begin = PLAYLIST_PAGE): Seen {
  const isPartial = writes.length > 1 && writes.some((states) => states.some((rows) => rows.includes('')));
  const seen = isPartial ? compareWithStates(filledIn(writes), shown, begin) : null;
  return seen === null || seen.kind === 'other' ? compareWithStates(writes, shown, begin) : seen;
}

function compareWithStates(writes: readonly States[], shown: PartShown, begin: number): Seen {
  const left = writes.at(-1)?.at(-1) ?? [];
  for (let index = writes.length - 1; index >= 0; index--) {
    const states = writes[index] ?? [];
    for (let place = states.length - 1; place >= 0; place--) {
      const state = states[place] ?? [];
      const rows = shown(state.length);
      if (!mayBeRows(state, rows)) continue;
      // The state only fits because a row without a URI may be any row. Somebody has removed rows, and songs that relay added
      // have taken their positions.
      if (lacksUnnamed(left, rows) || endsAsAdded(left, state, rows)) return { kind: 'other' };
      const isLast = index === writes.length - 1 && place === states.length - 1;
      return isLast
        ? { kind: 'current', length: state.length }
        : { kind: 'behind', rows: replayed(writes.slice(index), state, namedAs(state, rows)) };
    }
  }
  const rows = pagesOfOwn(writes, shown(0), begin);
  return rows === null ? { kind: 'other' } : { kind: 'behind', rows };
}

/** True if the list ends with the rows that relay added after `state`, although `state` itself does not. */
function endsAsAdded(left: readonly string[], state: readonly string[], rows: readonly string[]): boolean {
  const added = left.slice(state.length);
  const end = (of: readonly string[]) => of.slice(-added.length);
  return added.length > 0 && sameRows(end(rows), added) && !sameRows(end(state), added);
}

/**
 * Returns the rows that the playlist should hold if each page shows one of relay's own states. Pages lag separately, so each may
 * show another state. null if a page shows none.
 */
function pagesOfOwn(writes: readonly States[], shown: readonly string[], begin: number): string[] | null {
  const states = writes.flat();
  for (
    let [from, to] = [0, begin];
    from === 0 || from < shown.length;
    [from, to] = [to, to + PLAYLIST_PAGE]
  ) {
    const page = shown.slice(from, to);
    // The last page has to be the end of a state; otherwise others removed what came after it.
    const isLast = to >= shown.length;
    const pages = states.map((state) => state.slice(from, isLast ? undefined : to));
    // A row that is unknown in a state matches any row. So states with unknown rows on this page are compared only if every
    // state has some.
    const known = pages.filter((own) => own.length > 0 && own.every((uri, row) => uri !== '' || !page[row]));
    if (!(known.length > 0 ? known : pages).some((own) => mayBeRows(own, page))) return null;
  }
  // No write touched the rows before the first that a state knows, so they are where the list shows them.
  const untouched = Math.max(0, Math.min(...states.map((state) => state.findIndex((uri) => uri !== ''))));
  return withNames([...shown.slice(0, untouched), ...(states.at(-1) ?? []).slice(untouched)], shown);
}

/** Returns the rows of `shown`. A row that was not read gets the URI that `state` has at its position. */
function namedAs(state: readonly string[], shown: readonly string[]): string[] {
  return shown.map((uri, row) => uri || (state[row] ?? ''));
}

/**
 * Returns the rows of `shown`, with the writes merged into them.
 * @param base the state that `shown` is closest to; it may lie in the middle of the first write
 */
function replayed(writes: readonly States[], base: readonly string[], shown: readonly string[]): string[] {
  let [from, rows] = [base, withNames(shown, base)];
  for (const [index, all] of writes.entries()) {
    // The state that the previous write left need not be the first state of this write; it may be a later one.
    const begun = all.find((state) => sameRows(state, from)) ?? all[0] ?? [];
    const before = index === 0 ? from : begun;
    rows = mergeRows(before, all.at(-1) ?? [], rows);
    from = all.at(-1) ?? [];
  }
  return rows;
}

/** Maximum number of states of a write to compare; of a longer write, only the first and the last state are compared. */
const MAX_COMPARED = 6;

/**
 * True if the list is as relay has left it, except that some of relay's own rows show other songs. Spotify shows them under
 * other IDs, or somebody has replaced them. In both cases no row is missing.
 * @param before the rows from before relay's first write
 */
function differsInOwnRows(
  before: readonly string[],
  left: readonly string[],
  shown: readonly string[],
): boolean {
  const [former, known] = [new Set(before), new Set(left)];
  const isOther = (uri: string, row: string) => !former.has(uri) && !known.has(row);
  return (
    left.length === shown.length &&
    left.every((uri, at) => mayBe(uri, shown[at] ?? '') || isOther(uri, shown[at] ?? ''))
  );
}

/**
 * Merges the rows that a list shows with relay's own writes that the list does not show. Used when others have written too.
 */
export function mergedWithOwn(writes: readonly States[], shown: PartShown): readonly string[] {
  const goal = writes.at(-1)?.at(-1) ?? [];
  const whole = shown(goal.length);
  if (differsInOwnRows(writes[0]?.[0] ?? [], goal, whole)) return whole;
  let best: { index: number; base: readonly string[]; ours: number; far: number } | null = null;
  for (let index = writes.length - 1; index >= 0; index--) {
    const states = [...(writes[index] ?? [])].reverse();
    for (const base of states.length > MAX_COMPARED ? states.slice(0, 1).concat(states.slice(-1)) : states) {
      const rows = shown(base.length);
      // If the list shows a row that relay added after this state, the row is probably relay's own. So the state with the
      // fewest such rows fits best.
      const came = without(rows, base);
      const ours = came.length - without(came, without(goal, base)).length;
      const far = distance(base, rows);
      if (best === null || ours < best.ours || (ours === best.ours && far < best.far))
        best = { index, base, ours, far };
    }
  }
  if (best === null) return shown(0);
  const rows = shown(best.base.length);
  const named = new Set(rows.filter((uri) => uri !== ''));
  // A list with none of the rows of this state has been replaced as a whole, and relay's own rows with it.
  if (best.base.length > 0 && !best.base.some((uri) => named.has(uri))) return rows;
  return replayed(writes.slice(best.index), best.base, rows);
}
