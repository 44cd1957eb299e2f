/** How many requests to the provider a job will take. */
import type { JobType } from '../domain/job.ts';
import type { Store } from '../store/file/open.ts';
import { getAlias } from '../store/tables/aliases.ts';
import type { NewJobItem } from '../store/tables/jobItems.ts';
import { KINDS } from './kinds/index.ts';

/**
 * One search for each song without an alias, one read of the target, and the writes. It takes more if the first search of
 * a song finds nothing, if the target is long (50 rows per request), and after failures.
 */
export function estimateRequests(
  store: Store,
  type: JobType,
  items: readonly NewJobItem[],
  dryRun: boolean,
): number {
  const keys = new Set(
    items.flatMap(({ key, status }) => (key !== null && status === 'pending' ? [key] : [])),
  );
  const searches = [...keys].filter((key) => getAlias(store, key) === null).length;
  if (dryRun) return searches;
  const { chunkSize, target, makeTarget } = KINDS[type];
  const writes = Math.ceil(items.length / chunkSize);
  return searches + writes + (target === 'playlist' ? 1 : 0) + (makeTarget ? 2 : 0);
}
