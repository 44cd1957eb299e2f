/** Deletes what is stored about an account besides its login: everything, or only what relay has done. */
import type { Store } from '../types.ts';

/** Forgets what relay has done: kept playlists, jobs, changes, names of playlists and errors. Saved soon. */
export function forgetActivity(store: Store): void {
  empty(store, ['keeps', 'changes', 'job_items', 'jobs', 'playlist_names', 'api_errors']);
  store.saveSoon();
}

/** Erases everything about an account but its login. Deleting a job deletes its items. */
export function eraseAccountData(store: Store): void {
  empty(store, ['keeps', 'jobs', 'changes', 'aliases', 'tracks', 'playlist_names']);
}

/** @param tables a table that refers to another comes before it */
function empty(store: Store, tables: readonly string[]): void {
  store.transaction(() => {
    for (const table of tables) store.run(`delete from ${table}`);
  });
}
