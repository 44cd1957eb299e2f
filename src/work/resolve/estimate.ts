/** How many requests to the provider a list will take. */
import { createTurns } from '../../base/turns.ts';
import type { BulkJobType } from '../../domain/job.ts';
import type { TrackQuery } from '../../music/trackQuery.ts';
import { TRACKS_PER_REQUEST } from '../../provider/resources/savedTracks.ts';
import type { NewItem } from '../../store/tables/items.ts';
import type { ListRequest } from '../newWork.ts';
import { ROWS_PER_REQUEST } from '../write/states.ts';
import type { Resolver } from './resolver.ts';
import { mostSearches } from './search.ts';

type Knowing = Pick<Resolver, 'knows'>;

/**
 * The searches for the songs of a list, and the keys of those that are remembered. The first search may find a song; one that is
 * misspelled or missing takes a second one. An album and a recording code may each take one more.
 */
export async function searchesFor(resolver: Knowing, items: readonly NewItem[]) {
  const queries = new Map<string, TrackQuery>();
  for (const { key, status, input } of items)
    if (key !== null && status === 'pending') queries.set(key, input as TrackQuery);
  const known = new Set<string>();
  const searches = { least: 0, most: 0 };
  const turn = createTurns();
  for (const [key, query] of queries) {
    if (resolver.knows(query, key)) known.add(key);
    else {
      searches.least += 1;
      searches.most += mostSearches(query);
    }
    await turn();
  }
  return { ...searches, known };
}

/** The fewest requests: the searches, the reads of the target if its rows fit into one page, and the writes. */
export async function estimateRequests(
  resolver: Knowing,
  { type, items, payload }: ListRequest,
): Promise<number> {
  const { least } = await searchesFor(resolver, items);
  if (payload.dry_run) return least;
  const written = payload.skip_duplicates
    ? new Set(items.map(({ key, uri }) => uri ?? key)).size
    : items.length;
  const isLibrary = type === 'save_tracks' || type === 'remove_saved_tracks';
  const writes = Math.ceil(written / (isLibrary ? TRACKS_PER_REQUEST : ROWS_PER_REQUEST));
  return least + writes + READS[type](written);
}

/** The fewest requests for reading, by type of job and number of items. */
const READS: Record<BulkJobType, (items: number) => number> = {
  add_to_playlist: () => 1,
  create_playlist: () => 2,
  replace_playlist: () => 1,
  save_tracks: () => 0,
  remove_saved_tracks: (items) => Math.ceil(items / TRACKS_PER_REQUEST),
};
