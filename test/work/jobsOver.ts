/** A job service over a store, without a provider. */
import { type Clock, systemClock, systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createPlaylistRows } from '../../src/provider/resources/playlistRows.ts';
import type { Store } from '../../src/store/store.ts';
import type { NewItem } from '../../src/store/tables/items.ts';
import type { ListRequest } from '../../src/work/newWork.ts';
import type { Resolver } from '../../src/work/resolve/resolver.ts';
import { createWorks, type Works } from '../../src/work/works.ts';
import { createWrites } from '../../src/work/write/writes.ts';

const PAYLOAD = { strict: false, dry_run: false, skip_existing: false, skip_duplicates: true };

/** A job service over a store, without a provider: every request fails. Songs are looked up in `resolver` instead. */
export function jobsOver(store: Store, resolver: Partial<Resolver> = {}, clock: Clock = systemClock): Works {
  const unexpected = () => Promise.reject(new Error('this test makes no such request'));
  const provider = { send: unexpected, serverTime: () => null };
  const rows = createPlaylistRows(provider, clock, () => []);
  const context = { provider, rows, store, clock, random: systemRandom, log: silentLog };
  const writes = createWrites(context);
  return createWorks({
    ...context,
    writes,
    resolver: { resolve: unexpected, keep: () => false, knows: () => false, ...resolver },
  });
}

/** A request for a job of `count` songs to search for. */
export function songsRequest(count: number): ListRequest {
  const items = Array.from({ length: count }, (_, index): NewItem => {
    const title = `Song number ${index}`;
    return { input: { title, artist: 'Someone' }, key: title, uri: null, status: 'pending' };
  });
  return { type: 'save_tracks', payload: PAYLOAD, items, maxAttempts: 5, askedBy: 'a test' };
}
