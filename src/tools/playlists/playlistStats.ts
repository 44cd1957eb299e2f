/** Counting a playlist's rows. Pure. */
import { lengthWords } from '../../base/clock.ts';
import { type ArtistRef, type Item, type Media, type Track, yearOf } from '../../domain/shapes.ts';

/** A longer list of duplicates would say no more than their count. */
const MAX_DUPLICATES = 100;
const TOP_ARTISTS = 10;

export function statsOf(items: readonly Item[]) {
  const media = items.flatMap(({ item }) => item ?? []);
  const tracks = media.filter((item): item is Track => item.type === 'track');
  const inCatalog = tracks.filter((track) => !track.is_local);
  const repeated = repeatedOf(media);
  const durations = media.flatMap((item) => item.duration_ms ?? []);
  const duration = durations.reduce((sum, ms) => sum + ms, 0);
  const artists = artistsOf(tracks);
  const added = items.flatMap((item) => item.added_at ?? []).sort();
  return {
    total_items: items.length,
    track_count: inCatalog.length,
    episode_count: media.filter((item) => item.type === 'episode').length,
    local_count: items.filter((item) => item.is_local).length,
    unavailable_count: items.filter((item) => item.item === null && !item.is_local).length,
    unique_track_count: new Set(inCatalog.map((track) => track.uri)).size,
    duplicate_count: repeated.reduce((sum, { count }) => sum + count - 1, 0),
    duplicates: repeated.slice(0, MAX_DUPLICATES),
    explicit_count: media.filter((item) => item.explicit === true).length,
    total_duration_ms: duration,
    total_duration: lengthWords(duration),
    average_duration_ms: durations.length === 0 ? null : Math.round(duration / durations.length),
    unique_artist_count: artists.length,
    top_artists: artists.slice(0, TOP_ARTISTS),
    release_years: decadesOf(inCatalog),
    oldest_added_at: added.at(0) ?? null,
    newest_added_at: added.at(-1) ?? null,
  };
}

function repeatedOf(media: readonly Media[]): Array<{ uri: string; name: string; count: number }> {
  const counts = new Map<string, { uri: string; name: string; count: number }>();
  for (const { uri, name } of media) {
    const entry = counts.get(uri) ?? { uri, name, count: 0 };
    entry.count += 1;
    counts.set(uri, entry);
  }
  return [...counts.values()].filter(({ count }) => count > 1).sort((a, b) => b.count - a.count);
}

/**
 * The artists of a playlist, most rows first; ties keep the order of the playlist. Artists without an ID (local files)
 * count by name.
 */
function artistsOf(tracks: readonly Track[]): Array<ArtistRef & { count: number }> {
  const counts = new Map<string, ArtistRef & { count: number }>();
  for (const { id, name } of tracks.flatMap((track) => track.artists)) {
    const key = id ?? `name:${name}`;
    const entry = counts.get(key) ?? { id, name, count: 0 };
    entry.count += 1;
    counts.set(key, entry);
  }
  return [...counts.values()].filter(({ name }) => name !== '').sort((a, b) => b.count - a.count);
}

function decadesOf(tracks: readonly Track[]): Record<string, number> {
  const decades = new Map<string, number>();
  for (const { album } of tracks) {
    const year = yearOf(album.release_date);
    const decade = year === null ? 'unknown' : `${year.slice(0, 3)}0s`;
    decades.set(decade, (decades.get(decade) ?? 0) + 1);
  }
  return Object.fromEntries([...decades].sort(([a], [b]) => (a < b ? -1 : 1)));
}
