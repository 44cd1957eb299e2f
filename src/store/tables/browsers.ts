/** Browsers that the owner has signed in, by the hash of the secret that each keeps. Times are Unix milliseconds. */
import { defineTable, integer, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';

const COLUMNS = {
  /** The ID for `relay clients revoke`. */
  id: text(),
  /** Scheme, host and port of the pages that hold the secret. */
  origin: text(),
  /** Name that the server gives the browser: `Firefox on Linux`. */
  label: text(),
  createdAt: integer,
  lastUsedAt: integer,
  expiresAt: integer,
};
const BROWSERS = defineTable('browsers', COLUMNS);
/** The hash is written and compared, never read. */
const ROW = defineTable('browsers', { ...COLUMNS, hash: text() });

export type RememberedBrowser = RowOf<typeof COLUMNS>;

/** Adds a browser. Expired ones are dropped, and then those unused for longest, so that at most `max` are left. */
export function putBrowser(store: Store, browser: RememberedBrowser, hash: string, max: number): void {
  store.transaction(() => {
    store.run('delete from browsers where expires_at <= ?', [browser.createdAt]);
    store.run(
      `delete from browsers where id in (
         select id from browsers order by last_used_at desc, created_at desc, id limit -1 offset ?)`,
      [max - 1],
    );
    ROW.insert(store, { ...browser, hash });
  });
}

/** Finds the browser whose secret has this hash; null if there is none at `origin`, or if it has expired. */
export function findBrowser(
  store: Store,
  hash: string,
  origin: string,
  now: number,
): RememberedBrowser | null {
  return BROWSERS.first(store, 'where hash = ? and origin = ? and expires_at > ?', [hash, origin, now]);
}

/** Lists the browsers that have not expired, most recently used first. */
export function listBrowsers(store: Store, now: number): RememberedBrowser[] {
  return BROWSERS.all(store, 'where expires_at > ? order by last_used_at desc, created_at desc, id', [now]);
}

export function touchBrowser(store: Store, id: string, now: number, expiresAt: number): void {
  store.run('update browsers set last_used_at = ?, expires_at = ? where id = ?', [now, expiresAt, id]);
}

/** @returns true if there was such a browser */
export function forgetBrowser(store: Store, id: string): boolean {
  return store.run('delete from browsers where id = ?', [id]).changes > 0;
}

/** Forgets all browsers, so that each has to sign in again. @returns how many there were */
export function forgetAllBrowsers(store: Store): number {
  return store.run('delete from browsers').changes;
}
