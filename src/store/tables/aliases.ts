/** Which track a title and an artist mean: learned from a match, or set by a person with `remember_track`. */
import type { Track } from '../../domain/shapes.ts';
import { defineTable, integer, json, nullable, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';

/** Approximate maximum number of learned aliases. Those stored longest ago are dropped first. Aliases set by a person stay. */
const MAX_LEARNED = 20_000;

const COLUMNS = {
  /** Normalised title, artist and album as one text. */
  key: text(),
  /** Spotify ID of the track, or its URI if it has none. */
  trackId: text(),
  track: json<Track>(),
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

type StoredAlias = RowOf<typeof COLUMNS>;
export type NewAlias = Omit<StoredAlias, 'trackId' | 'updatedAt' | 'settledBy' | 'confirmed'> &
  Partial<Pick<StoredAlias, 'settledBy' | 'confirmed'>>;

/** Returns the track for a key; null if the key has no alias. */
export function getAlias(
  store: Store,
  key: string,
): { track: Track; source: NewAlias['source']; isConfirmed: boolean } | null {
  const found = ALIASES.first(store, 'where key = ?', [key]);
  return found && { track: found.track, source: found.source, isConfirmed: found.confirmed === 1 };
}

/** The aliases that a person set, then the learned ones; of each the newest first. */
export function listAliases(store: Store, limit: number): StoredAlias[] {
  return ALIASES.all(store, 'order by source desc, updated_at desc limit ?', [limit]);
}

export function deleteAlias(store: Store, key: string): void {
  store.run('delete from aliases where key = ?', [key]);
}

/** Stores the alias. Returns true if it replaced an alias with the same key. */
export function putAlias(store: Store, alias: NewAlias, now: number): boolean {
  return store.transaction(() => {
    const replaced = ALIASES.count(store, 'where key = ?', [alias.key]) > 0;
    const trackId = alias.track.id ?? alias.track.uri;
    const row = { settledBy: null, confirmed: 0, ...alias, trackId, updatedAt: now };
    ALIASES.insert(store, row, 'or replace');
    if (alias.source === 'learned') dropOldest(store);
    return replaced;
  });
}

export function countAliases(store: Store): number {
  return ALIASES.count(store);
}

/** Counts the tracks that aliases mean. */
export function countTracks(store: Store): number {
  const sql = 'select count(distinct track_id) as total from aliases';
  return store.get<{ total: number }>(sql)?.total ?? 0;
}

/** Number of learned aliases added since the last count. Counting many takes milliseconds, so not every call counts. */
const uncounted = new WeakMap<Store, number>();
const COUNTED_EVERY = 50;

function dropOldest(store: Store): void {
  const since = (uncounted.get(store) ?? COUNTED_EVERY) + 1;
  uncounted.set(store, since < COUNTED_EVERY ? since : 0);
  if (since < COUNTED_EVERY) return;
  store.run(
    `delete from aliases where key in (
       select key from aliases where source = 'learned' order by updated_at, key
       limit max(0, (select count(*) from aliases where source = 'learned') - ?))`,
    [MAX_LEARNED],
  );
}
