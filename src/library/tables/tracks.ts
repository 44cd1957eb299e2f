/** SQL statements for tracks, episodes and local files. A track is stored once. */
import { type RecordingFacts, recordingOf } from '../../domain/recordings.ts';
import type { Media, Track } from '../../domain/shapes.ts';
import { readBilling } from '../../music/names.ts';
import { hashOfKey } from '../../music/songs.ts';
import type { TrackQuery } from '../../music/trackQuery.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { MEDIA_COLUMNS, mediaOf, TRACK_COLUMNS } from './media.ts';
import { noteTracks } from './songs.ts';

interface TrackRow extends RecordingFacts {
  uri: string;
  id: string | null;
  album: string | null;
  album_uri: string | null;
  released: string | null;
  explicit: number | null;
  kind: 'track' | 'episode' | 'local';
}

/** Returns a boolean as SQLite stores it: 0, 1 or null. */
export const flag = (value: boolean | null) => (value === null ? null : Number(value));

/** Returns what is stored of a track, an episode or a local file. */
export function trackRow(media: Media): TrackRow {
  const common = {
    uri: media.uri,
    id: media.id,
    name: media.name,
    duration_ms: media.duration_ms,
    explicit: flag(media.explicit),
  };
  if (media.type === 'episode') {
    const { show, release_date: released } = media;
    return {
      ...common,
      artist: show.name ?? '',
      album: show.name,
      album_uri: show.uri,
      released,
      isrc: null,
      kind: 'episode',
    };
  }
  const { album } = media;
  return {
    ...common,
    artist: media.artists.map(({ name }) => name).join(', '),
    album: album.name,
    album_uri: album.id === null ? null : `spotify:album:${album.id}`,
    released: album.release_date,
    isrc: media.isrc,
    kind: media.is_local ? 'local' : 'track',
  };
}

function artistsOf(media: Media): Array<{ uri: string | null; name: string }> {
  if (media.type === 'episode') {
    const { uri, name } = media.show;
    return name === null ? [] : [{ uri, name }];
  }
  return media.artists.map(({ id, name }) => ({ uri: id === null ? null : `spotify:artist:${id}`, name }));
}

/** Adds the tracks in `rows` that are new, and updates those that have changed. */
export function putTracks(sql: Sql, rows: ReadonlyArray<{ media: Media | null }>): void {
  for (const { media } of rows) {
    if (media === null) continue;
    const row = trackRow(media);
    const artists = artistsOf(media);
    const known = sql.get<TrackRow & { track: number; names: string | null }>(
      `select rowid as track, ${TRACK_COLUMNS.join(', ')}, (select group_concat(ifnull(artist_uri, '') || ' ' || artist, char(10))
         from (select * from track_artists where track_uri = tracks.uri order by place)) as names
       from tracks where uri = ?`,
      [row.uri],
    );
    const names = artists.map(({ uri, name }) => `${uri ?? ''} ${name}`).join('\n');
    if (
      known &&
      TRACK_COLUMNS.every((column) => known[column] === row[column]) &&
      (known.names ?? '') === names
    )
      continue;
    sql.run(
      `insert into tracks (${TRACK_COLUMNS.join(', ')}) values (${TRACK_COLUMNS.map(() => '?').join(', ')})
       on conflict (uri) do update set ${TRACK_COLUMNS.slice(1)
         .map((column) => `${column} = excluded.${column}`)
         .join(', ')}`,
      TRACK_COLUMNS.map((column) => row[column]),
    );
    sql.run('delete from track_artists where track_uri = ?', [row.uri]);
    for (const [place, { uri, name }] of artists.entries()) {
      sql.run('insert into track_artists (track_uri, artist_uri, artist, place) values (?, ?, ?, ?)', [
        row.uri,
        uri,
        name,
        place,
      ]);
    }
    const track =
      known?.track ??
      sql.get<{ track: number }>('select rowid as track from tracks where uri = ?', [row.uri])?.track;
    const hash = hashOfKey({ name: row.name, first: artists[0]?.name ?? '' });
    sql.run('insert or replace into song_keys (track, hash) values (?, ?)', [track ?? 0, hash]);
    noteTracks(sql);
  }
}

/** Returns the names of those tracks that are in the copy, by URI. */
export function namesOf(sql: Sql, uris: readonly string[]): Map<string, { name: string; artist: string }> {
  const names = new Map<string, { name: string; artist: string }>();
  for (const uri of uris) {
    const found = sql.get<{ name: string; artist: string }>('select name, artist from tracks where uri = ?', [
      uri,
    ]);
    if (found) names.set(uri, { name: found.name, artist: found.artist });
  }
  return names;
}

/** Returns the recording (`recordingOf`) of those tracks that are in the copy, by URI. */
export function recordingsOf(sql: Sql, uris: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const uri of uris) {
    const facts = sql.get<RecordingFacts>(
      'select isrc, name, artist, duration_ms from tracks where uri = ?',
      [uri],
    );
    if (facts) found.set(uri, recordingOf(facts));
  }
  return found;
}

/**
 * Finds saved tracks with the ISRC of the query or, if the query has none, with a hash of its folded title and first artist.
 * Other names may have the same hash, so the caller has to compare.
 */
export function savedLike(sql: Sql, { title, artist, isrc }: TrackQuery): Track[] {
  const firsts = new Set([artist, ...readBilling(artist).main.slice(0, 1)]);
  const hashes = [...firsts].map((first) => hashOfKey({ name: title, first }));
  const select = `select ${MEDIA_COLUMNS} from tracks where kind = 'track'
    and exists (select 1 from saved where saved.uri = tracks.uri)`;
  const rows =
    isrc === undefined
      ? sql.all(
          `${select} and rowid in (select track from song_keys where hash in (select value from json_each(?)))`,
          [JSON.stringify(hashes.filter((hash) => hash !== null))],
        )
      : sql.all(`${select} and isrc = ?`, [isrc]);
  return rows.flatMap((row) => {
    const media = mediaOf(Object.values(row as Record<string, string | number | null>));
    return media?.type === 'track' ? [media] : [];
  });
}

export function isKnownTrack(sql: Sql, uri: string): boolean {
  return sql.get('select 1 from tracks where uri = ?', [uri]) !== undefined;
}
