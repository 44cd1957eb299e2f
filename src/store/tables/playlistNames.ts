/** Last known names and covers of playlists, by ID, so that jobs and changes can name them. */
import { defineTable, integer, nullable, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';

/** Maximum number of names to keep. The names first seen longest ago are dropped. */
const MAX_NAMES = 2_000;

const COLUMNS = {
  id: text(),
  name: text(),
  /** When the playlist was first seen under this name, Unix milliseconds. */
  seenAt: integer,
  /** Last known address of the cover image; null if none is known. */
  cover: nullable(text()),
};
const NAMES = defineTable('playlist_names', COLUMNS);

export function getPlaylistName(store: Store, id: string): RowOf<typeof COLUMNS> | null {
  return NAMES.first(store, 'where id = ?', [id]);
}

/** Notes a name and a cover. Unchanged values are not written, and a missing cover keeps the known one. */
export function putPlaylistName(
  store: Store,
  id: string,
  { name, cover }: { name: string; cover: string | null },
  now: number,
): void {
  const { changes } = store.run(
    `insert into playlist_names (id, name, seen_at, cover) values (?, ?, ?, ?)
     on conflict (id) do update set
       name = excluded.name,
       seen_at = iif(name <> excluded.name, excluded.seen_at, seen_at),
       cover = coalesce(excluded.cover, cover)
     where name <> excluded.name or (excluded.cover is not null and cover is not excluded.cover)`,
    [id, name, now, cover],
  );
  if (changes === 0) return;
  store.run(
    'delete from playlist_names where id in (select id from playlist_names order by seen_at desc limit -1 offset ?)',
    [MAX_NAMES],
  );
  store.saveSoon();
}
