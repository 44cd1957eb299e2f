/** Everything that is about one account, apart from its login: what was found, done and planned for it. */
import type { Store } from '../types.ts';

/** A table comes after those that refer to it. Deleting a job deletes its items. */
const TABLES = ['keeps', 'jobs', 'changes', 'aliases', 'tracks', 'playlist_names'];

export function eraseAccountData(store: Store): void {
  store.transaction(() => {
    for (const table of TABLES) store.run(`delete from ${table}`);
  });
}
