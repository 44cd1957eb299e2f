/** Lists filtered by words, answered from the copy of the library. */
import * as z from 'zod';
import type { Item, Media, Page, Playlist } from '../domain/shapes.ts';
import { foldLetters } from '../music/letters.ts';
import type { Call } from '../provider/api.ts';
import type { SavedTrack } from '../provider/resources/savedTracks.ts';
import type { Services } from './tool.ts';

/** @param what of a row the words are looked for in */
export function queryArgument(what: string) {
  return z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe(`Only rows with all of these words in ${what}`);
}

/** What is not in the answer, and why. */
export const Note = z.string().optional();

interface Window {
  limit: number;
  offset: number;
}

type Filtered<T> = Page<T> & { note?: string };

/** Saved tracks with all of the words in title, artists or album. */
export async function filteredSaved(
  { library }: Services,
  query: string,
  window: Window,
  call: Call,
): Promise<Filtered<SavedTrack>> {
  const from = 'saved as row join tracks using (uri)';
  const find = (one: Window) => library.view({ kind: 'saved' }, selectOf(from, query, one), call);
  const { rows, total, note } = await pageOf(find, window);
  const items = rows.map(({ added_at, media }) => ({
    added_at,
    track: media?.type === 'track' ? media : null,
  }));
  return { ...paged(items, total, window), ...(note === null ? {} : { note }) };
}

/** Rows of a playlist with all of the words in title, artists or album, each with its position in the playlist. */
export async function filteredPlaylist(
  services: Services,
  playlistId: string,
  query: string,
  window: Window,
  call: Call,
): Promise<Filtered<Item>> {
  const { library, rows: playlistRows } = services;
  const from = `playlist_rows as row join tracks using (uri)`;
  const condition = `row.playlist_id = ${quoted(playlistId)}`;
  const find = (one: Window) =>
    library.view({ kind: 'playlist', id: playlistId }, selectOf(from, query, one, condition), call);
  const found = await find(window);
  if (found === null) {
    // One that is not in the library has no copy.
    const { items } = await playlistRows.read(playlistId, call);
    const words = wordsOf(query);
    const matching = items.filter(({ item }) => item !== null && hasWords(wordsIn(item), words));
    return paged(matching.slice(window.offset, window.offset + window.limit), matching.length, window);
  }
  const { rows, total, note } = await pageOf(find, window, found);
  const items = rows.map(({ position, added_at, media }) => ({
    position,
    added_at,
    item_type: media.type,
    is_local: media.type === 'track' && media.is_local,
    item: media,
  }));
  return { ...paged(items, total, window), ...(note === null ? {} : { note }) };
}

/** Playlists of the library with all of the words in name or description. */
export async function filteredPlaylists(
  { library }: Services,
  query: string,
  window: Window,
  call: Call,
): Promise<Page<Playlist>> {
  const words = wordsOf(query);
  const all = await library.playlists(call);
  const matching = all.filter(({ name, description }) => hasWords(`${name} ${description ?? ''}`, words));
  return paged(matching.slice(window.offset, window.offset + window.limit), matching.length, window);
}

function paged<T>(items: T[], total: number, { limit, offset }: Window): Page<T> {
  return { items, total, limit, offset, next_offset: offset + limit < total ? offset + limit : null };
}

function wordsOf(query: string): string[] {
  return foldLetters(query)
    .split(/\s+/)
    .filter((word) => word !== '');
}

function hasWords(text: string, words: readonly string[]): boolean {
  const folded = foldLetters(text);
  return words.every((word) => folded.includes(word));
}

function wordsIn(media: Media): string {
  if (media.type === 'episode') return `${media.name} ${media.show.name ?? ''}`;
  return `${media.name} ${media.artists.map(({ name }) => name).join(', ')} ${media.album.name ?? ''}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const COLUMNS = 'uri, id, name, album, album_uri, released, duration_ms, explicit, isrc, kind';
const ARTISTS = `(select json_group_array(json_array(artist_uri, artist)) from
  (select artist_uri, artist from track_artists where track_uri = uri order by place))`;

function selectOf(from: string, query: string, { limit, offset }: Window, condition = '1'): string {
  const text = "fold(tracks.name || ' ' || tracks.artist || ' ' || ifnull(tracks.album, ''))";
  const words = wordsOf(query).map((word) => `instr(${text}, ${quoted(word)}) > 0`);
  return `select row.position, row.added_at, count(*) over (), ${COLUMNS}, ${ARTISTS}
    from ${from} where ${[condition, ...words].join(' and ')} order by row.position limit ${limit} offset ${offset}`;
}

type Cells = ReadonlyArray<string | number | null>;
type Found = { rows: ReadonlyArray<Cells>; note: string | null } | null;

interface FoundRow {
  position: number;
  added_at: string | null;
  media: Media;
}

async function pageOf(
  find: (window: Window) => Promise<Found>,
  window: Window,
  known?: Found,
): Promise<{ rows: FoundRow[]; total: number; note: string | null }> {
  const found = known ?? (await find(window));
  const rows = found?.rows ?? [];
  // Beyond the end no row tells how many there are.
  const first = rows[0] ?? (window.offset > 0 ? (await find({ limit: 1, offset: 0 }))?.rows[0] : undefined);
  return { rows: rows.map(rowOf), total: Number(first?.[2] ?? 0), note: found?.note ?? null };
}

function rowOf(cells: Cells): FoundRow {
  const [
    position,
    added,
    ,
    uri,
    id,
    name,
    album,
    albumUri,
    released,
    duration,
    explicit,
    isrc,
    kind,
    artists,
  ] = cells;
  const text = (cell: Cells[number] | undefined) => (typeof cell === 'string' ? cell : null);
  const idOf = (of: string | null) => of?.split(':').at(-1) ?? null;
  const common = {
    id: text(id),
    uri: String(uri),
    name: text(name) ?? '',
    duration_ms: typeof duration === 'number' ? duration : null,
    explicit: explicit === null ? null : explicit === 1,
    url: id === null ? null : `https://open.spotify.com/${kind === 'episode' ? 'episode' : 'track'}/${id}`,
  };
  const media: Media =
    kind === 'episode'
      ? {
          ...common,
          type: 'episode',
          show: { id: idOf(text(albumUri)), name: text(album), uri: text(albumUri) },
          release_date: text(released),
        }
      : {
          ...common,
          type: 'track',
          artists: (JSON.parse(String(artists)) as Array<[string | null, string]>).map(([of, called]) => ({
            id: idOf(of),
            name: called,
          })),
          album: { id: idOf(text(albumUri)), name: text(album), release_date: text(released) },
          is_local: kind === 'local',
          isrc: text(isrc),
        };
  return { position: Number(position), added_at: text(added), media };
}
