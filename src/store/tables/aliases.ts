/** Which track a title and an artist mean: learned from a match, or set by a person with `remember_track`. */
import { Track } from '../../domain/shapes.ts';
import type { Store } from '../types.ts';

/** Learned aliases beyond this make room, least recently used first; those that a person set stay. */
const MAX_LEARNED = 20_000;

export interface NewAlias {
  /** Normalised title, artist and album in one. */
  key: string;
  title: string;
  artist: string;
  album: string | null;
  track: Track;
  source: 'learned' | 'person';
}

/** The track behind a key. */
export function getAlias(store: Store, key: string): { track: Track; source: NewAlias['source'] } | null {
  const row = store.get<{ data: string; source: NewAlias['source'] }>(
    'select tracks.data, aliases.source from aliases join tracks on tracks.id = aliases.track_id where aliases.key = ?',
    [key],
  );
  return row ? { track: Track.parse(JSON.parse(row.data)), source: row.source } : null;
}

/** Those of `keys` that have an alias. */
export function knownKeys(store: Store, keys: readonly string[]): Set<string> {
  const rows = store.all<{ key: string }>(
    'select key from aliases where key in (select value from json_each(?))',
    [JSON.stringify(keys)],
  );
  return new Set(rows.map(({ key }) => key));
}

/** Stores the alias, replacing one with the same key; true when there was one. */
export function putAlias(store: Store, alias: NewAlias, now: number): boolean {
  return store.transaction(() => {
    const replaced = store.get('select 1 from aliases where key = ?', [alias.key]) !== undefined;
    const { track, ...rest } = alias;
    store.run(
      `insert into tracks (id, data, updated_at) values (:id, :data, :now)
       on conflict (id) do update set data = excluded.data, updated_at = excluded.updated_at`,
      { id: track.id ?? track.uri, data: JSON.stringify(track), now },
    );
    store.run(
      `insert or replace into aliases (key, track_id, title, artist, album, source, updated_at)
       values (:key, :trackId, :title, :artist, :album, :source, :now)`,
      { ...rest, trackId: track.id ?? track.uri, now },
    );
    if (alias.source === 'learned') dropOldest(store);
    return replaced;
  });
}

export function countAliases(store: Store): number {
  return store.get<{ total: number }>('select count(*) as total from aliases')?.total ?? 0;
}

export function countTracks(store: Store): number {
  return store.get<{ total: number }>('select count(*) as total from tracks')?.total ?? 0;
}

function dropOldest(store: Store): void {
  const { changes } = store.run(
    `delete from aliases where key in (
       select key from aliases where source = 'learned' order by updated_at, key
       limit max(0, (select count(*) from aliases where source = 'learned') - ?))`,
    [MAX_LEARNED],
  );
  if (changes > 0) store.run('delete from tracks where id not in (select track_id from aliases)');
}
