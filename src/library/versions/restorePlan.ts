/** From the rows that are there to those of a version, and which of them cannot be had. Pure. */
import { longestIncreasing } from '../../base/longestIncreasing.ts';
import { withNames } from '../../domain/mergeRows.ts';
import type { UnsupportedRow, VersionRow } from '../../domain/versions.ts';

export interface RestorePlan {
  /** The rows that are there, those that Spotify no longer names by what they were. */
  present: string[];
  wanted: string[];
  /** Rows that cannot be had. */
  unsupported: UnsupportedRow[];
  /** Those of them for which nothing may be written. */
  blocking: UnsupportedRow[];
  added: number;
  removed: number;
  moved: number;
}

/**
 * @param shown URIs of the rows that are there; an empty string for one that Spotify names no item for
 * @param gone URIs of tracks that Spotify does not know any more
 */
export function restorePlan(
  shown: readonly string[],
  version: readonly VersionRow[],
  gone: ReadonlySet<string>,
  skipsUnsupported: boolean,
): RestorePlan {
  const all = version.map(({ uri }) => uri ?? '');
  const present = withNames(shown, all);
  const left = countsOf(present);
  const unsupported: UnsupportedRow[] = [];
  const lost: UnsupportedRow[] = [];
  const wanted: string[] = [];
  for (const [position, uri] of all.entries()) {
    const reason = uri.startsWith('spotify:local:') ? 'local' : uri === '' || gone.has(uri) ? 'gone' : null;
    const isHere = take(left, uri);
    if (reason === null || isHere) {
      wanted.push(uri);
      continue;
    }
    if (!skipsUnsupported) wanted.push(uri);
    unsupported.push({ position, uri: uri || null, name: version[position]?.name ?? null, reason });
  }
  // A local file that came since: taking it out could not be taken back.
  for (const [position, uri] of present.entries()) {
    if (!uri.startsWith('spotify:local:') || !take(left, uri)) continue;
    lost.push({ position, uri, name: null, reason: 'local' });
  }
  const blocking = skipsUnsupported ? lost : [...unsupported, ...lost];
  return {
    present,
    wanted,
    unsupported: [...unsupported, ...lost],
    blocking,
    ...differenceOf(present, wanted),
  };
}

/** URIs of the version that the playlist does not hold: those that would have to be written. */
export function missingUris(shown: readonly string[], version: readonly VersionRow[]): string[] {
  const held = new Set(shown);
  return [...new Set(version.flatMap(({ uri }) => (uri === null || held.has(uri) ? [] : [uri])))];
}

function countsOf(rows: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const uri of rows) counts.set(uri, (counts.get(uri) ?? 0) + 1);
  return counts;
}

function take(left: Map<string, number>, uri: string): boolean {
  const count = left.get(uri) ?? 0;
  if (count === 0) return false;
  left.set(uri, count - 1);
  return true;
}

/** Rows that come, rows that go, and those that stay and change their place; repeats count each. */
function differenceOf(
  present: readonly string[],
  wanted: readonly string[],
): { added: number; removed: number; moved: number } {
  const places = new Map<string, number[]>();
  present.forEach((uri, index) => {
    const list = places.get(uri);
    if (list) list.push(index);
    else places.set(uri, [index]);
  });
  const order = wanted.flatMap((uri) => places.get(uri)?.shift() ?? []);
  return {
    added: wanted.length - order.length,
    removed: present.length - order.length,
    moved: order.length - longestIncreasing(order).size,
  };
}
