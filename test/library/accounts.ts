/** Accounts of any size, and what a copy of them must hold. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoAccount, DemoPlaylist, PlaylistRow } from '../../src/demo/state.ts';
import { loadSqlite } from '../../src/store/sql/sqlite.ts';
import { at, owner } from '../support/entries.ts';
import type { Relay, RelayOptions } from '../support/world.ts';
import type { Cell } from './queries.ts';

/** Options with a high limit of requests per minute, so that the first reading ends soon. */
export const QUICK: RelayOptions = {
  env: { RELAY_ACCESS: 'everything', RELAY_LIBRARY_REQUESTS_PER_MINUTE: '10000' },
};

/** Minutes before a fixed time, as the provider writes them. */
export function minutesAgo(minutes: number): string {
  return `${new Date(Date.UTC(2026, 10, 1) - minutes * 60_000).toISOString().slice(0, 19)}Z`;
}

/** Gives the account `saved` saved tracks, and `playlists` playlists of its own with 30 rows each. */
export function resize(relay: Relay, saved: number, playlists: number): DemoAccount {
  const account = owner(relay.provider);
  const { tracks } = relay.provider.catalogue;
  account.saved = tracks.slice(0, saved).map(({ uri }, index) => ({ uri, addedAt: minutesAgo(index) }));
  account.playlists = Array.from({ length: playlists }, (_, index) =>
    playlistOf(account, index, rowsFrom(relay, index * 7, 30)),
  );
  return account;
}

/** `count` rows with tracks of the catalogue, from track `first` on. */
export function rowsFrom(relay: Relay, first: number, count: number): PlaylistRow[] {
  const { tracks } = relay.provider.catalogue;
  return Array.from({ length: count }, (_, index) => ({
    uri: at(tracks, (first + index) % tracks.length).uri,
    addedAt: minutesAgo(index),
    addedBy: null,
  }));
}

/** A playlist that the account owns. Its ID and name follow from `index`. */
export function playlistOf(account: DemoAccount, index: number, rows: PlaylistRow[]): DemoPlaylist {
  return {
    id: `list${String(index).padStart(18, '0')}`,
    name: `List ${index}`,
    description: null,
    public: false,
    collaborative: false,
    ownerId: account.id,
    ownerName: account.displayName,
    collaboratorIds: [],
    version: 1,
    rows,
  };
}

/** The whole copy, as another program reads it from the file. */
export async function copyOf(relay: Relay): Promise<{ saved: Cell[][]; rows: Cell[][] }> {
  const SQL = await loadSqlite();
  const db = new SQL.Database(await readFile(join(relay.home, 'library.db')));
  try {
    const all = (sql: string) => (db.exec(sql)[0]?.values ?? []) as Cell[][];
    assert.deepEqual(all('pragma integrity_check'), [['ok']]);
    return {
      saved: all('select position, uri, added_at from saved order by position'),
      rows: all('select playlist_id, position, uri from playlist_rows order by playlist_id, position'),
    };
  } finally {
    db.close();
  }
}

/** What the provider holds, in the same form. */
export function truthOf({ provider }: Relay): { saved: Cell[][]; rows: Cell[][] } {
  const account = owner(provider);
  const readable = account.playlists.filter(
    (one) => one.ownerId === account.id || (one.collaborative && one.collaboratorIds.includes(account.id)),
  );
  return {
    saved: account.saved.map(({ uri, addedAt }, position) => [position, uri, addedAt]),
    rows: [...readable]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .flatMap(({ id, rows }) =>
        rows.map((row, position) => [id, position, row.unavailable ? null : row.uri]),
      ),
  };
}
