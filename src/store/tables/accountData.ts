/** Deletes what is stored about an account besides its login: everything, or only what relay has done. */
import type { Store } from '../store.ts';

/** Forgets what relay has done: kept playlists, works, names of playlists and errors. Saved soon. */
export function forgetActivity(store: Store): void {
  empty(store, ['keeps', 'items', 'works', 'playlist_names', 'api_errors']);
  store.saveSoon();
}

/** Erases everything about an account but its login. Deleting a work deletes its items. */
export function eraseAccountData(store: Store): void {
  empty(store, ['keeps', 'works', 'aliases', 'tracks', 'playlist_names']);
}

/** @param tables a table that refers to another comes before it */
function empty(store: Store, tables: readonly string[]): void {
  store.transaction(() => {
    for (const table of tables) store.run(`delete from ${table}`);
  });
}
