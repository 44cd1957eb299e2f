/** Plans how to get from the present rows to those of a version, and finds rows that cannot be restored. Pure. */
import { differenceOf, withNames } from '../../domain/rows.ts';
import type { UnsupportedRow, VersionRow } from '../../domain/versions.ts';

export interface RestorePlan {
  /** The present rows. A row that Spotify no longer names has the URI that the version has for it; '' if it has none. */
  present: string[];
  /** The rows of the version without those that cannot be restored. */
  wanted: string[];
  /** Rows of the version that cannot be restored, and the rows in `lost`. */
  unsupported: UnsupportedRow[];
  /** The rows in `unsupported` because of which nothing can be written. */
  blocking: UnsupportedRow[];
  /** The present rows in `blocking`. The restore would remove them, and nothing could bring them back. */
  lost: UnsupportedRow[];
  added: number;
  removed: number;
  moved: number;
}

/**
 * @param shown URIs of the present rows; '' for a row for which Spotify names no item
 * @param gone URIs of tracks that Spotify does not know any more
 * @param skipsUnsupported true to leave out the rows of the version that cannot be restored
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
    unsupported.push({ position, uri: uri || null, name: version[position]?.name ?? null, reason });
  }
  // A local file, or a row for which Spotify names no item, may have been added after the version. Once removed, it could not be
  // brought back.
  for (const [position, uri] of present.entries()) {
    const isLocal = uri.startsWith('spotify:local:');
    if ((uri !== '' && !isLocal) || !take(left, uri)) continue;
    lost.push({ position, uri: uri || null, name: null, reason: isLocal ? 'local' : 'gone' });
  }
  const blocking = skipsUnsupported ? lost : [...unsupported, ...lost];
  return {
    present,
    wanted,
    unsupported: [...unsupported, ...lost],
    blocking,
    lost,
    ...differenceOf(present, wanted),
  };
}

/** Returns the URIs that a restore has to write: those of the version that the playlist does not hold. */
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
