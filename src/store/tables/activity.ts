/** What relay has done for an account: kept playlists, jobs, changes, names of playlists and errors. */
import type { Store } from '../types.ts';

/** Forgets all activity. Remembered matches, the login and the clients stay. */
export function forgetActivity(store: Store): void {
  store.transaction(() => {
    for (const table of ['keeps', 'changes', 'job_items', 'jobs', 'playlist_names', 'api_errors']) {
      store.run(`delete from ${table}`);
    }
  });
  store.saveSoon();
}
