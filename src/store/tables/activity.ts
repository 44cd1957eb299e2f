/** What relay has done for an account: its kept playlists, its jobs, its changes and the names of its playlists. */
import type { Store } from '../types.ts';

/** Forgets all of it; what was learned of songs, the login and the clients stay. */
export function forgetActivity(store: Store): void {
  store.transaction(() => {
    for (const table of ['keeps', 'changes', 'job_items', 'jobs', 'playlist_names', 'api_errors']) {
      store.run(`delete from ${table}`);
    }
  });
  store.saveSoon();
}
