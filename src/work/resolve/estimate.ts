/** How many requests to the provider a job will take. */
import { chunk } from '../../base/lists.ts';
import { createTurns } from '../../base/turns.ts';
import type { BulkJobType } from '../../domain/job.ts';
import type { TrackQuery } from '../../music/trackQuery.ts';
import { TRACKS_PER_REQUEST } from '../../provider/resources/savedTracks.ts';
import type { Store } from '../../store/file/open.ts';
import { knownKeys } from '../../store/tables/aliases.ts';
import type { ListRequest } from '../newWork.ts';
import { ROWS_PER_REQUEST } from '../write/states.ts';
import { mostSearches } from './search.ts';

export interface Estimate {
  /** The fewest requests: the first search finds every song, and the target's rows fit into one page. */
  least: number;
  /**
   * The most requests, unless some fail; null if that depends on the length of the target. A song that is misspelled or missing
   * takes a second search. An album and a recording code may each take one more.
   */
  most: number | null;
}

/** Number of songs whose aliases are looked up together. */
const KEYS = 50;

/** Adds up one search for each song without an alias, the reads of the target, and the writes. */
export async function estimateRequests(
  store: Store,
  { type, items, payload }: ListRequest,
): Promise<Estimate> {
  const queries = new Map<string, TrackQuery>();
  for (const { key, status, input } of items) {
    if (key !== null && status === 'pending' && !queries.has(key)) queries.set(key, input as TrackQuery);
  }
  const turn = createTurns();
  let searches = 0;
  let mostSearched = 0;
  for (const keys of chunk([...queries.keys()], KEYS)) {
    const known = knownKeys(store, keys);
    for (const key of keys) {
      const query = queries.get(key);
      if (!query || known.has(key)) continue;
      searches += 1;
      mostSearched += mostSearches(query);
    }
    await turn();
  }
  if (payload.dry_run) return { least: searches, most: mostSearched };
  const written = payload.skip_duplicates
    ? new Set(items.map(({ key, uri }) => uri ?? key)).size
    : items.length;
  const isLibrary = type === 'save_tracks' || type === 'remove_saved_tracks';
  const writes = Math.ceil(written / (isLibrary ? TRACKS_PER_REQUEST : ROWS_PER_REQUEST));
  const rest = writes + READS[type](written);
  // The first page of a long list tells how many rows it has; its last rows take another request.
  const end = type === 'add_to_playlist' ? 1 : 0;
  const isBounded = !READS_ALL.has(type) && !(type === 'add_to_playlist' && payload.skip_existing);
  return { least: searches + rest, most: isBounded ? mostSearched + rest + end : null };
}

/** The fewest requests for reading, by type of job and number of items. */
const READS: Record<BulkJobType, (items: number) => number> = {
  add_to_playlist: () => 1,
  create_playlist: () => 2,
  replace_playlist: () => 1,
  save_tracks: () => 0,
  remove_saved_tracks: (items) => Math.ceil(items / TRACKS_PER_REQUEST),
};

/** Types of jobs that first read everything in the target, 50 rows per request, so that it can be brought back. */
const READS_ALL: ReadonlySet<BulkJobType> = new Set(['replace_playlist', 'remove_saved_tracks']);
