/** Which track a title and an artist mean: learned from a match, or set by a person with `remember_track`. */
import type { Track } from '../../domain/shapes.ts';
import { defineTable, integer, json, nullable, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';

/** Approximate maximum number of learned aliases. Those stored longest ago are dropped first. Aliases set by a person stay. */
const MAX_LEARNED = 20_000;

const TRACKS = defineTable('tracks', {
  /** Spotify ID of the track, or its URI if it has none. */
  id: text(),
  data: json<Track>(),
  updatedAt: integer,
});

const COLUMNS = {
  /** Normalised title, artist and album as one text. */
  key: text(),
  trackId: text(),
  title: text(),
  artist: text(),
  album: nullable(text()),
  source: text(['learned', 'person']),
  /** Who set the alias: `command-line`, `stdio`, `page`, `api-key`, or `client` and its ID; null if learned or not known. */
  settledBy: nullable(text()),
  /** 1 if the track was confirmed although title, artist or album differ. */
  confirmed: integer,
  /** Time of the last change, in Unix milliseconds. */
  updatedAt: integer,
};
const ALIASES = defineTable('aliases', COLUMNS);

type AliasRow = RowOf<typeof COLUMNS>;

export type NewAlias = Omit<AliasRow, 'trackId' | 'updatedAt' | 'settledBy' | 'confirmed'> &
  Partial<Pick<AliasRow, 'settledBy' | 'confirmed'>> & { track: Track };

/** Returns the track for a key; null if the key has no alias. */
export function getAlias(
  store: Store,
  key: string,
): { track: Track; source: NewAlias['source']; isConfirmed: boolean } | null {
  const row = store.get<{ data: string; source: NewAlias['source']; confirmed: number }>(
    'select tracks.data, aliases.source, aliases.confirmed from aliases join tracks on tracks.id = aliases.track_id where aliases.key = ?',
    [key],
  );
  return row
    ? { track: JSON.parse(row.data) as Track, source: row.source, isConfirmed: row.confirmed === 1 }
    : null;
}

export type StoredAlias = AliasRow & { track: Track };

/** Lists aliases that a person set, then learned ones, each newest first. @param limit maximum number; -1 for all */
export function listAliases(store: Store, limit: number): StoredAlias[] {
  return ALIASES.all(store, 'order by source desc, updated_at desc, key limit ?', [limit]).map((alias) => {
    const row = store.get<{ data: string }>('select data from tracks where id = ?', [alias.trackId]);
    return { ...alias, track: JSON.parse(row?.data ?? 'null') as Track };
  });
}

/** Deletes aliases, and the tracks that no other alias means. @param keys null for all */
export function deleteAliases(store: Store, keys: readonly string[] | null): void {
  store.transaction(() => {
    if (keys === null) store.run('delete from aliases');
    else
      store.run('delete from aliases where key in (select value from json_each(?))', [JSON.stringify(keys)]);
    store.run('delete from tracks where not exists (select 1 from aliases where track_id = tracks.id)');
  });
}

/** Stores the alias. Returns true if it replaced an alias with the same key. */
export function putAlias(store: Store, alias: NewAlias, now: number): boolean {
  return store.transaction(() => {
    const replaced = store.get('select 1 from aliases where key = ?', [alias.key]) !== undefined;
    const { track, ...given } = alias;
    const rest = { settledBy: null, confirmed: 0, ...given };
    const trackId = track.id ?? track.uri;
    // Not `insert or replace`: it would delete the aliases that refer to the track.
    store.run(
      `insert into tracks (id, data, updated_at) values (:id, :data, :now)
       on conflict (id) do update set data = excluded.data, updated_at = excluded.updated_at`,
      { id: trackId, data: JSON.stringify(track), now },
    );
    ALIASES.insert(store, { ...rest, trackId, updatedAt: now }, 'or replace');
    if (alias.source === 'learned') dropOldest(store);
    return replaced;
  });
}

export function countAliases(store: Store): number {
  return ALIASES.count(store);
}

export function countTracks(store: Store): number {
  return TRACKS.count(store);
}

/** Number of learned aliases added since the last count. Counting many takes milliseconds, so not every call counts. */
const uncounted = new WeakMap<Store, number>();
const COUNTED_EVERY = 50;

function dropOldest(store: Store): void {
  const since = (uncounted.get(store) ?? COUNTED_EVERY) + 1;
  uncounted.set(store, since < COUNTED_EVERY ? since : 0);
  if (since < COUNTED_EVERY) return;
  const dropped = store.all<{ track_id: string }>(
    `delete from aliases where key in (
       select key from aliases where source = 'learned' order by updated_at, key
       limit max(0, (select count(*) from aliases where source = 'learned') - ?))
     returning track_id`,
    [MAX_LEARNED],
  );
  for (const { track_id: id } of dropped) {
    store.run(
      'delete from tracks where id = :id and not exists (select 1 from aliases where track_id = :id)',
      { id },
    );
  }
}
