/** Rows of a playlist as lists of URIs, and comparisons of the rows that were read with the expected rows. Pure. */
import { placesBy } from '../base/lists.ts';
import { longestIncreasing } from '../base/longestIncreasing.ts';
import type { Item } from './shapes.ts';

/** Maximum number of rows of a playlist; a full one refuses new rows until others are removed. */
export const MAX_ROWS = 10_000;

/** Returns the URI of a row; '' for a row that Spotify no longer offers. */
export function uriOf({ item }: Item): string {
  return item?.uri ?? '';
}

/** Returns the URIs that name a row: the one that Spotify shows, and the one that the row was added with, if that differs. */
export function urisOf(item: Item): string[] {
  return item.linked_from ? [uriOf(item), item.linked_from] : [uriOf(item)];
}

/** True for the same URIs in the same order. */
export function sameRows(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((uri, index) => uri === b[index]);
}

/** True if a row may be the expected one. An empty row was not read, or Spotify no longer offers it, so it may be any row. */
function mayBe(expected: string, shown: string): boolean {
  return expected === shown || expected === '' || shown === '';
}

/** True if both lists have the same length, and each row may be the expected one. */
export function mayBeRows(expected: readonly string[], shown: readonly string[]): boolean {
  return expected.length === shown.length && expected.every((uri, index) => mayBe(uri, shown[index] ?? ''));
}

/** The positions of the rows of `shown` that cannot be the expected ones. */
export function differingRows(expected: readonly string[], shown: readonly string[]): number[] {
  return shown.flatMap((uri, at) => (mayBe(expected[at] ?? '', uri) ? [] : [at]));
}

/** Returns `list` without the entries in `taken`. Each entry of `taken` takes out one occurrence, the first ones first. */
export function without<T>(list: readonly T[], taken: readonly T[]): T[] {
  const counts = new Map<T, number>();
  for (const entry of taken) counts.set(entry, (counts.get(entry) ?? 0) + 1);
  return list.filter((entry) => {
    const count = counts.get(entry) ?? 0;
    counts.set(entry, count - 1);
    return count <= 0;
  });
}

/** Counts rows that come, rows that go, and rows that stay but move. Each repeat counts. */
export function differenceOf(
  present: readonly string[],
  wanted: readonly string[],
): { added: number; removed: number; moved: number } {
  const order = placesIn(present, wanted).filter((place) => place >= 0);
  return {
    added: wanted.length - order.length,
    removed: present.length - order.length,
    moved: order.length - longestIncreasing(order).size,
  };
}

/** Returns the place in `list` of each of `rows`, or -1 for a row without one. Repeats of a URI are paired in order. */
export function placesIn(list: readonly string[], rows: readonly string[]): number[] {
  const places = placesBy(list, (uri) => uri);
  return rows.map((uri) => places.get(uri)?.shift() ?? -1);
}

/**
 * Returns `shown` with its empty rows filled in from `known`, where rows that both lists name leave no doubt which row it is.
 * Others stay empty.
 */
export function withNames(shown: readonly string[], known: readonly string[]): string[] {
  if (!shown.includes('')) return [...shown];
  if (mayBeRows(shown, known)) return shown.map((uri, at) => uri || (known[at] ?? ''));
  const places = placesIn(known, shown);
  const named = places.flatMap((place, at) => (place >= 0 && shown[at] !== '' ? [at] : []));
  const inOrder = longestIncreasing(named.map((at) => places[at] ?? 0));
  const anchors = named.filter((_, index) => inOrder.has(index));
  const result = [...shown];
  let [from, fromKnown] = [0, 0];
  for (const end of [...anchors, shown.length]) {
    const endKnown = places[end] ?? known.length;
    // Stretches of different lengths do not tell which row is which.
    if (end - from === endKnown - fromKnown)
      for (let at = from; at < end; at++) result[at] ||= known[fromKnown + at - from] ?? '';
    [from, fromKnown] = [end + 1, endKnown + 1];
  }
  return result;
}
