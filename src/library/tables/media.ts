/** Turns rows of the copy into the tracks, episodes and local files that the rest of the program knows. */
import type { Media } from '../../domain/shapes.ts';

type Cell = string | number | null;

/** Columns of `tracks`, without those derived from other tables. */
export const TRACK_COLUMNS = [
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

/** What to select from `tracks` for `mediaOf`, in this order. */
export const MEDIA_COLUMNS = COLUMNS.map((column) =>
  column === 'artists' ? `${ARTISTS} as artists` : `tracks.${column} as ${column}`,
).join(', ');

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
