/** Plans how to remove duplicates from a playlist: which requests, in which order. Sends nothing. */
import { chunk } from '../base/lists.ts';

/** Maximum number of URIs in one request to `/playlists/{id}/items`, whatever the method. */
const MAX_URIS = 100;
/**
 * Removing duplicates in place may take this many requests (a few seconds). Above that, fewer requests are worth losing
 * the `added_at` dates of all rows.
 */
const REQUESTS_TO_KEEP_DATES = 20;

/** The rows that repeat the URI of an earlier one. Rows without a URI, no longer available, repeat nothing. */
export function repeatedRows<T>(rows: readonly T[], uriOf: (row: T) => string | null): T[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const uri = uriOf(row);
    if (uri === null) return false;
    const repeats = seen.has(uri);
    seen.add(uri);
    return repeats;
  });
}

/** One provider request; each holds at most 100 URIs. */
export type PlaylistRequest =
  /** DELETE: removes every occurrence of each URI. */
  | { kind: 'delete'; uris: string[] }
  /** POST with a position: the rows from there on move back. */
  | { kind: 'insert'; position: number; uris: string[] }
  /** PUT: replaces all rows. */
  | { kind: 'replace'; uris: string[] }
  /** POST without a position. */
  | { kind: 'append'; uris: string[] };

export interface DeduplicatePlan {
  /** `none`: there is nothing to remove. */
  strategy: 'none' | 'delete_and_reinsert' | 'rewrite';
  /** To be sent one after the other. */
  requests: PlaylistRequest[];
}

/**
 * How to remove later duplicates from a playlist with the rows `uris`, keeping the order. DELETE removes every
 * occurrence, so the first one has to be inserted again; only those rows get a new `added_at`. Rewriting gives all rows
 * a new one, and is chosen only if it takes fewer requests and the other way takes more than 20.
 */
export function planDeduplicate(uris: readonly string[]): DeduplicatePlan {
  const repeated = new Set(repeatedRows(uris, (uri) => uri));
  if (repeated.size === 0) return { strategy: 'none', requests: [] };
  const wanted = [...new Set(uris)];
  const inPlace = deleteAndReinsert(wanted, repeated);
  const rewritten = rewrite(wanted);
  return inPlace.length <= Math.max(rewritten.length, REQUESTS_TO_KEEP_DATES)
    ? { strategy: 'delete_and_reinsert', requests: inPlace }
    : { strategy: 'rewrite', requests: rewritten };
}

function deleteAndReinsert(wanted: readonly string[], repeated: ReadonlySet<string>): PlaylistRequest[] {
  const deletes = chunk([...repeated], MAX_URIS).map((uris) => ({ kind: 'delete' as const, uris }));
  return [...deletes, ...inserts(wanted, repeated)];
}

/** From front to back, so that each position is right when its request is sent. */
function inserts(wanted: readonly string[], repeated: ReadonlySet<string>): PlaylistRequest[] {
  const runs: { kind: 'insert'; position: number; uris: string[] }[] = [];
  wanted.forEach((uri, position) => {
    if (!repeated.has(uri)) return;
    const run = runs.at(-1);
    const isNext = run && run.position + run.uris.length === position && run.uris.length < MAX_URIS;
    if (isNext) run.uris.push(uri);
    else runs.push({ kind: 'insert', position, uris: [uri] });
  });
  return runs;
}

function rewrite(wanted: readonly string[]): PlaylistRequest[] {
  return chunk(wanted, MAX_URIS).map((uris, n) => ({ kind: n === 0 ? 'replace' : 'append', uris }));
}
