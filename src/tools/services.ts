/** What tools may use. */
import type { Clock } from '../base/clock.ts';
import type { Library } from '../library/library.ts';
import type { ProviderApi } from '../provider/api.ts';
import type { PlaylistRows } from '../provider/resources/playlistRows.ts';
import type { Store } from '../store/store.ts';
import type { Keeps } from '../work/keeps/keeps.ts';
import type { Resolver } from '../work/resolve/resolver.ts';
import type { Works } from '../work/works.ts';
import type { Writes } from '../work/write/writes.ts';

/** What handlers may use. All effects go through these, so that all tools read alike. */
export interface Services {
  provider: ProviderApi;
  /** Whole playlists, with relay's own recent writes. */
  rows: PlaylistRows;
  /** Finds the track for a title and an artist. */
  resolver: Resolver;
  /** The one way to write to playlists and the library. */
  writes: Writes;
  /** Works as jobs: lists that are looked up and written, and writes that outlast their call. */
  works: Works;
  keeps: Keeps;
  /** The copy of the account's library, and queries of it. */
  library: Library;
  store: Store;
  clock: Clock;
  /** Milliseconds since the program started. */
  uptimeMs(): number;
}
