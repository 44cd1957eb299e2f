/** SQL statements for tracks, episodes and local files, each stored once, and for the songs that group them. */
import { type RecordingFacts, recordingOf } from '../../domain/recordings.ts';
import type { Media, Track } from '../../domain/shapes.ts';
import { readBilling } from '../../music/names.ts';
import { groupSongs, hashOfKey, type Recording } from '../../music/songs.ts';
import type { TrackQuery } from '../../music/trackQuery.ts';
import type { Sql } from '../../store/sql/sql.ts';

type Cell = string | number | null;

const TRACK_COLUMNS = [
  'uri',
  'id',
  'name',
  'artist',
  'album',
  'album_uri',
  'released',
  'duration_ms',
  'explicit',
  'isrc',
  'kind',
] as const;

const COLUMNS = [...TRACK_COLUMNS, 'artists'] as const;

const ARTISTS = `(select json_group_array(json_array(artist_uri, artist)) from
  (select artist_uri, artist from track_artists where track_uri = tracks.uri order by place))`;

export const MEDIA_COLUMNS = COLUMNS.map((column) =>
  column === 'artists' ? `${ARTISTS} as artists` : `tracks.${column} as ${column}`,
).join(', ');

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

/** Returns the item in one row of `MEDIA_COLUMNS`; null if no track is joined to the row. */
export function mediaOf(cells: readonly Cell[]): Media | null {
  const row = Object.fromEntries(COLUMNS.map((column, index) => [column, cells[index] ?? null])) as Record<
    (typeof COLUMNS)[number],
    Cell
  >;
  if (row.uri === null) return null;
  const text = (cell: Cell) => (typeof cell === 'string' ? cell : null);
  const idOf = (of: string | null) => of?.split(':').at(-1) ?? null;
  const [id, kind, released] = [text(row.id), row.kind, text(row.released)];
  const album = { uri: text(row.album_uri), name: text(row.album) };
  const common = {
    id,
    uri: String(row.uri),
    name: text(row.name) ?? '',
    duration_ms: typeof row.duration_ms === 'number' ? row.duration_ms : null,
    explicit: row.explicit === null ? null : row.explicit === 1,
    url: id === null ? null : `https://open.spotify.com/${kind === 'episode' ? 'episode' : 'track'}/${id}`,
  };
  if (kind === 'episode') {
    const show = { id: idOf(album.uri), name: album.name, uri: album.uri };
    return { ...common, type: 'episode', show, release_date: released };
  }
  return {
    ...common,
    type: 'track',
    artists: (JSON.parse(String(row.artists)) as Array<[string | null, string]>).map(([of, called]) => ({
      id: idOf(of),
      name: called,
    })),
    album: { id: idOf(album.uri), name: album.name, release_date: released },
    is_local: kind === 'local',
    isrc: text(row.isrc),
  };
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

/** Returns what `read` makes of the rows of those tracks that are in the copy, by URI. */
function byUri<T>(sql: Sql, uris: readonly string[], read: (row: RecordingFacts) => T): Map<string, T> {
  const rows = sql.all<RecordingFacts & { uri: string }>(
    'select uri, isrc, name, artist, duration_ms from tracks where uri in (select value from json_each(?))',
    [JSON.stringify(uris)],
  );
  return new Map(rows.map((row) => [row.uri, read(row)]));
}

export function namesOf(sql: Sql, uris: readonly string[]): Map<string, { name: string; artist: string }> {
  return byUri(sql, uris, ({ name, artist }) => ({ name, artist }));
}

export function recordingsOf(sql: Sql, uris: readonly string[]): Map<string, string> {
  return byUri(sql, uris, recordingOf);
}

/** Returns those `uris` whose tracks are in the copy. */
export function knownTracks(sql: Sql, uris: readonly string[]): string[] {
  const known = byUri(sql, uris, () => true);
  return uris.filter((uri) => known.has(uri));
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

/**
 * Deletes the tracks to which no row refers any more, and groups the others into songs, if tracks or rows have changed since
 * (`noteTracks`). The column `song` is the lowest row number of the tracks of a song. 20,000 tracks take about a tenth of a second.
 */
export function tidyTracks(sql: Sql): void {
  if (!areTracksDue(sql)) return;
  sql.transaction(() => {
    sql.run(`delete from tracks where not exists (select 1 from saved where saved.uri = tracks.uri)
      and not exists (select 1 from playlist_rows where playlist_rows.uri = tracks.uri)`);
    sql.run('delete from track_artists where track_uri not in (select uri from tracks)');
    sql.run('delete from song_keys where track not in (select rowid from tracks)');
    const all = sql.all<Recording & { song: number | null }>(
      'select tracks.rowid as track, hash, isrc, duration_ms, song from tracks left join song_keys on track = tracks.rowid',
    );
    const songs = groupSongs(all);
    for (const { track, song } of all)
      if (songs.get(track) !== song)
        sql.run('update tracks set song = ? where rowid = ?', [songs.get(track) ?? null, track]);
    sql.run("delete from meta where name = 'tracks_due'");
  });
}

/** Notes that tracks or rows have changed, for `tidyTracks`. */
export function noteTracks(sql: Sql): void {
  sql.run("insert or ignore into meta (name, value) values ('tracks_due', '1')");
}

export function areTracksDue(sql: Sql): boolean {
  return sql.get("select 1 from meta where name = 'tracks_due'") !== undefined;
}
