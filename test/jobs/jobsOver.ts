/** A job service over a store, without a provider. */
import { type Clock, systemClock, systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createChanges } from '../../src/changes/changes.ts';
import { createJobs, type Jobs } from '../../src/jobs/jobService.ts';
import type { JobRequest } from '../../src/jobs/newJob.ts';
import { createPlaylistRows } from '../../src/provider/resources/playlistRows.ts';
import type { Resolver } from '../../src/resolve/resolver.ts';
import type { Store } from '../../src/store/file/open.ts';
import type { NewJobItem } from '../../src/store/tables/jobItems.ts';

const PAYLOAD = { strict: false, dry_run: false, skip_existing: false, skip_duplicates: true };

/** A job service over a store, without a provider: every request fails. Songs are looked up in `resolver` instead. */
export function jobsOver(store: Store, resolver: Partial<Resolver> = {}, clock: Clock = systemClock): Jobs {
  const unexpected = () => Promise.reject(new Error('this test makes no such request'));
  const provider = { send: unexpected, serverTime: () => null };
  const rows = createPlaylistRows(provider, clock, () => []);
  const context = { provider, rows, store, clock, random: systemRandom, log: silentLog };
  const changes = createChanges(context);
  return createJobs({
    ...context,
    changes,
    resolver: { resolve: unexpected, keep: () => false, ...resolver },
  });
}

/** A request for a job of `count` songs to search for. */
export function songsRequest(count: number): JobRequest {
  const items = Array.from({ length: count }, (_, index): NewJobItem => {
    const title = `Song number ${index}`;
    return { input: { title, artist: 'Someone' }, key: title, uri: null, status: 'pending' };
  });
  return { type: 'save_tracks', payload: PAYLOAD, items, maxAttempts: 5 };
}
