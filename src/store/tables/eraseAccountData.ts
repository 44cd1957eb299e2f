/** Erases everything about an account but its login. */
import type { Store } from '../types.ts';

/** Tables that refer to others come before them. Deleting a job deletes its items. */
const TABLES = ['keeps', 'jobs', 'changes', 'aliases', 'tracks', 'playlist_names'];

export function eraseAccountData(store: Store): void {
  store.transaction(() => {
    for (const table of TABLES) store.run(`delete from ${table}`);
  });
}
