/** Browsers in which the owner has proved to be the owner, by the hash of their cookie. */
import type { Store } from './types.ts';

/** Drops the sessions that have ended by the way. Times are Unix milliseconds. */
export function putOwnerSession(store: Store, hash: string, now: number, expiresAt: number): void {
  store.transaction(() => {
    store.run('delete from owner_sessions where expires_at <= ?', [now]);
    store.run('insert into owner_sessions (hash, created_at, expires_at) values (?, ?, ?)', [
      hash,
      now,
      expiresAt,
    ]);
  });
}

export function isOwnerSession(store: Store, hash: string, now: number): boolean {
  const sql = 'select 1 from owner_sessions where hash = ? and expires_at > ?';
  return store.get(sql, [hash, now]) !== undefined;
}
