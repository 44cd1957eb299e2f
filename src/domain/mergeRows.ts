/** Merges what others did to the rows of a list with what relay does to them. Pure. */
import { longestIncreasing } from '../base/longestIncreasing.ts';
import { mayBe, placesIn, without } from './rows.ts';

/**
 * Maximum number of comparisons for two stretches. Longer stretches are divided at rows that both lists name. Parts that are
 * too long even then are not compared.
 */
const MAX_COMPARED = 1_000_000;

/**
 * Finds a longest common subsequence, or nearly: pairs of positions in `a` and `b` that hold the same row. An empty row was not
 * read, or Spotify no longer offers it. An empty row is paired with another one, or with a row that only the other list has.
 */
export function commonRows(a: readonly string[], b: readonly string[]): Array<[number, number]> {
  const isSame = (x: string, y: string) => x === y;
  const [start, endA, endB] = bounds(a, b, [0, a.length, b.length], isSame);
  // With too many rows to compare every pair, empty rows at both ends are paired with whatever is opposite.
  const isLong = (endA - start) * (endB - start) > MAX_COMPARED;
  const [first, lastA, lastB] = isLong ? bounds(a, b, [start, endA, endB], mayBe) : [start, endA, endB];
  const head = Array.from({ length: first }, (_, index): [number, number] => [index, index]);
  const tail = Array.from({ length: a.length - lastA }, (_, index): [number, number] => [
    lastA + index,
    lastB + index,
  ]);
  const middle = between(a.slice(first, lastA), b.slice(first, lastB), [new Set(a), new Set(b)]);
  return [...head, ...middle.map(([x, y]): [number, number] => [x + first, y + first]), ...tail];
}

/**
 * Finds how far both lists fit row by row, from the beginning and from the end of a stretch. Returns where the beginning stops,
 * and where the end begins in `a` and in `b`.
 */
function bounds(
  a: readonly string[],
  b: readonly string[],
  [from, toA, toB]: readonly [number, number, number],
  fits: (x: string, y: string) => boolean,
): [number, number, number] {
  let [start, endA, endB] = [from, toA, toB];
  while (start < endA && start < endB && fits(a[start] ?? '', b[start] ?? '')) start++;
  while (endA > start && endB > start && fits(a[endA - 1] ?? '', b[endB - 1] ?? '')) {
    endA -= 1;
    endB -= 1;
  }
  return [start, endA, endB];
}

/** The URIs that each list names anywhere. */
type Named = readonly [ReadonlySet<string>, ReadonlySet<string>];

function between(a: readonly string[], b: readonly string[], named: Named): Array<[number, number]> {
  if (a.length === 0 || b.length === 0) return [];
  if (a.length * b.length <= MAX_COMPARED) return compared(a, b, named);
  const anchors = namedByBoth(a, b);
  const result: Array<[number, number]> = [];
  let [fromA, fromB] = [0, 0];
  for (const [endA, endB] of [...anchors, [a.length, b.length] as [number, number]]) {
    const [partA, partB] = [a.slice(fromA, endA), b.slice(fromB, endB)];
    if (partA.length * partB.length <= MAX_COMPARED) {
      for (const [x, y] of compared(partA, partB, named)) result.push([x + fromA, y + fromB]);
    }
    if (endA < a.length) result.push([endA, endB]);
    [fromA, fromB] = [endA + 1, endB + 1];
  }
  return result;
}

/** Finds a longest common subsequence. Of two that are equally long, takes the one with more pairs that are certain or likely. */
function compared(a: readonly string[], b: readonly string[], named: Named): Array<[number, number]> {
  const width = b.length + 1;
  const best = new Uint32Array((a.length + 1) * width);
  // An empty row can only stand for a row that its own list lacks.
  const [onlyA, onlyB] = [new Set(without(a, b)), new Set(without(b, a))];
  const [namedByA, namedByB] = named;
  const worth = (x: string, y: string) => {
    if (x === y) return CERTAIN;
    if (x === '' && onlyB.has(y)) return namedByA.has(y) ? POSSIBLE : LIKELY;
    if (y === '' && onlyA.has(x)) return namedByB.has(x) ? POSSIBLE : LIKELY;
    return 0;
  };
  const paired = (x: number, y: number) => {
    const one = worth(a[x] ?? '', b[y] ?? '');
    return one === 0 ? 0 : one + (best[(x + 1) * width + y + 1] ?? 0);
  };
  const unpaired = (x: number, y: number) =>
    Math.max(best[(x + 1) * width + y] ?? 0, best[x * width + y + 1] ?? 0);
  for (let x = a.length - 1; x >= 0; x--) {
    for (let y = b.length - 1; y >= 0; y--) best[x * width + y] = Math.max(paired(x, y), unpaired(x, y));
  }
  const pairs: Array<[number, number]> = [];
  for (let x = 0, y = 0; x < a.length && y < b.length; ) {
    const pair = paired(x, y);
    if (pair > 0 && pair >= unpaired(x, y)) pairs.push([x++, y++]);
    else if ((best[(x + 1) * width + y] ?? 0) >= (best[x * width + y + 1] ?? 0)) x++;
    else y++;
  }
  return pairs;
}

/**
 * Weights of a pair: first the number of pairs counts. An empty row may hold another copy of a song that its own list names, but
 * more likely holds one that it does not name.
 */
const POSSIBLE = 3_000;
const LIKELY = POSSIBLE + 1;
const CERTAIN = POSSIBLE + 2;

/**
 * Pairs equal occurrences of a URI, the first with the first and so on. Keeps the most pairs that are in the same order in both
 * lists.
 */
function namedByBoth(a: readonly string[], b: readonly string[]): Array<[number, number]> {
  const order = placesIn(a, b).map((place, index) => (b[index] === '' ? -1 : place));
  return [...longestIncreasing(order)]
    .toSorted((x, y) => x - y)
    .flatMap((index) => (order[index] === -1 ? [] : [[order[index] ?? 0, index] as [number, number]]));
}

/**
 * Returns how far two lists are apart. A row that came or went counts one, and a row that only changed its place counts a half.
 * So two lists that share a song are nearer to each other, wherever the song is.
 */
export function distance(a: readonly string[], b: readonly string[]): number {
  const common = commonRows(a, b);
  const [commonA, commonB] = [new Set(common.map(([at]) => at)), new Set(common.map(([, at]) => at))];
  const restA = a.filter((_, at) => !commonA.has(at));
  const restB = b.filter((_, at) => !commonB.has(at));
  const inOrder = restA.length + restB.length;
  const came = without(restA, restB).length + without(restB, restA).length;
  return came + (inOrder - came) / 4;
}

/** Returns `shown` with its empty rows filled in from `known`. A row without a counterpart in `known` stays empty. */
export function withNames(shown: readonly string[], known: readonly string[]): string[] {
  if (!shown.includes('')) return [...shown];
  const result = [...shown];
  for (const [at, place] of commonRows(known, shown)) result[place] = shown[place] || (known[at] ?? '');
  return result;
}

/** What one side did to the rows of `base`: relay, or others. */
interface Edits {
  /** New position of each row of `base`; -1 if the row is gone. */
  place: number[];
  /** Added rows, by the number of rows of `base` that come before them. */
  added: Map<number, string[]>;
  /** Number of rows, by URI, that only changed their place. `removed` has the number of rows that are gone. */
  moved: Map<string, number>;
  removed: Map<string, number>;
  /** Number of rows, by URI, that were not in `base`. It counts a row that is there for an empty one of `base`. */
  fresh: Map<string, number>;
}

/**
 * @param isTheirs true to count rows after the last common row as added at the end, even if rows of `base` are missing before
 * them
 */
function editsOf(base: readonly string[], side: readonly string[], isTheirs: boolean): Edits {
  const place = new Array<number>(base.length).fill(-1);
  const added = new Map<number, string[]>();
  const [moved, removed] = [new Map<string, number>(), new Map<string, number>()];
  const came = new Map<string, number>();
  let [next, gap] = [0, 0];
  const addUntil = (end: number) => {
    for (; next < end; next++) {
      const uri = side[next] ?? '';
      added.set(gap, [...(added.get(gap) ?? []), uri]);
      came.set(uri, (came.get(uri) ?? 0) + 1);
    }
  };
  for (const [at, index] of commonRows(base, side)) {
    addUntil(index);
    place[at] = index;
    next = index + 1;
    gap = at + 1;
  }
  if (isTheirs && gap > 0) gap = base.length;
  addUntil(side.length);
  base.forEach((uri, at) => {
    if (place[at] !== -1) return;
    const counts = (came.get(uri) ?? 0) > (moved.get(uri) ?? 0) ? moved : removed;
    counts.set(uri, (counts.get(uri) ?? 0) + 1);
  });
  const fresh = new Map([...came].map(([uri, times]) => [uri, times - (moved.get(uri) ?? 0)]));
  base.forEach((uri, at) => {
    const named = uri === '' && side[place[at] ?? -1];
    if (named) fresh.set(named, (fresh.get(named) ?? 0) + 1);
  });
  return { place, added, moved, removed, fresh };
}

/** Counts, by URI, the rows of `base` that both sides have moved or removed. Each occurrence of a song counts. */
function touchedByBoth(base: readonly string[], own: Edits, other: Edits): Map<string, number> {
  const counts = new Map<string, number>();
  base.forEach((uri, at) => {
    if (own.place[at] === -1 && other.place[at] === -1) counts.set(uri, (counts.get(uri) ?? 0) + 1);
  });
  return counts;
}

/**
 * Merges what both sides did to the rows of `base`. What others did stays: their rows keep their places, and the rows that they
 * took out stay out. Where both add rows at one place, the rows of others come first: they are in the list already.
 * @param isDoubtful true if a write of ours may be in `theirs` already, so rows that both sides added count as the same
 */
export function mergeRows(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
  isDoubtful = false,
): string[] {
  const [own, other] = [editsOf(base, ours, false), editsOf(base, theirs, true)];
  const present = withNames(theirs, base);
  const count = (counts: ReadonlyMap<string, number>, uri: string) => counts.get(uri) ?? 0;
  const [ownLeft, otherLeft] = [new Map<string, number>(), new Map<string, number>()];
  for (const [uri, times] of touchedByBoth(base, own, other)) {
    // A row that both sides moved stays where the others put it. Our move does not restore a row that they removed.
    const notMoved = Math.min(times, count(own.moved, uri));
    ownLeft.set(uri, notMoved);
    otherLeft.set(uri, Math.min(times - notMoved, count(own.removed, uri), count(other.moved, uri)));
  }
  if (isDoubtful) {
    for (const [uri, times] of other.fresh)
      ownLeft.set(uri, count(ownLeft, uri) + Math.min(times, count(own.fresh, uri)));
  }
  const result: string[] = [];
  const add = (rows: readonly string[] | undefined, left: Map<string, number>) => {
    for (const uri of rows ?? []) {
      const rest = count(left, uri);
      if (rest > 0) left.set(uri, rest - 1);
      else result.push(uri);
    }
  };
  for (let gap = 0; gap <= base.length; gap++) {
    add(other.added.get(gap), otherLeft);
    add(own.added.get(gap), ownLeft);
    const place = other.place[gap];
    const isKept = gap < base.length && place !== undefined && place >= 0 && (own.place[gap] ?? -1) >= 0;
    if (isKept) result.push(present[place] || (ours[own.place[gap] ?? 0] ?? ''));
  }
  return result;
}
