/** How many requests to the provider a job will take. */
import { ROWS_PER_REQUEST } from '../changes/rowOps.ts';
import type { BulkJobType } from '../domain/job.ts';
import { TRACKS_PER_REQUEST } from '../provider/resources/savedTracks.ts';
import type { Store } from '../store/file/open.ts';
import { getAlias } from '../store/tables/aliases.ts';
import type { NewJobItem } from '../store/tables/jobItems.ts';

/**
 * One search for each song without an alias, one read of the target, and the writes. It takes more if the first search of
 * a song finds nothing, if the target is long (50 rows per request), and after failures.
 */
export function estimateRequests(
  store: Store,
  type: BulkJobType,
  items: readonly NewJobItem[],
  dryRun: boolean,
): number {
  const keys = new Set(
    items.flatMap(({ key, status }) => (key !== null && status === 'pending' ? [key] : [])),
  );
  const searches = [...keys].filter((key) => getAlias(store, key) === null).length;
  if (dryRun) return searches;
  const isLibrary = type === 'save_tracks' || type === 'remove_saved_tracks';
  const writes = Math.ceil(items.length / (isLibrary ? TRACKS_PER_REQUEST : ROWS_PER_REQUEST));
  return searches + writes + READS[type](items.length);
}

const READS: Record<BulkJobType, (items: number) => number> = {
  add_to_playlist: () => 1,
  create_playlist: () => 2,
  replace_playlist: () => 1,
  save_tracks: () => 0,
  remove_saved_tracks: (items) => Math.ceil(items / TRACKS_PER_REQUEST),
};
