/** Answers from the copy of the library: lists filtered by words, or a whole playlist. */
import * as z from 'zod';
import { quoted } from '../domain/library.ts';
import type { Item, Media, Page, Playlist } from '../domain/shapes.ts';
import { MEDIA_COLUMNS, mediaOf } from '../library/tables/media.ts';
import { foldLetters } from '../music/names.ts';
import type { Call } from '../provider/api.ts';
import { noteSong } from '../provider/knownNames.ts';
import type { PageRequest } from '../provider/resources/paging.ts';
import type { SavedTrack } from '../provider/resources/savedTracks.ts';
import type { Services } from './tool.ts';

/** @param what names the part of a row that is searched for the words */
export function queryArgument(what: string) {
  return z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe(`Only rows with all of these words in ${what}`);
}

/** Says what is missing from the answer, and why. */
export const Note = z.string().optional();

type Filtered<T> = Page<T> & { note?: string };

/** Saved tracks with all of the words in title, artists or album. */
export async function filteredSaved(
  { library }: Services,
  query: string,
  window: PageRequest,
  call: Call,
): Promise<Filtered<SavedTrack>> {
  const from = 'saved as row join tracks using (uri)';
  const find = (one: PageRequest) => library.view({ kind: 'saved' }, selectOf(from, query, one), call);
  const { rows, total, note } = await pageOf(await find(window), window, find);
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
  window: PageRequest,
  call: Call,
): Promise<Filtered<Item>> {
  const { library, provider, rows: playlistRows } = services;
  const from = `playlist_rows as row join tracks using (uri)`;
  const condition = `row.playlist_id = ${quoted(playlistId)}`;
  const find = (one: PageRequest) =>
    library.view({ kind: 'playlist', id: playlistId }, selectOf(from, query, one, condition), call);
  const found = await find(window);
  if (found === null) {
    // The copy has no rows of a playlist that is not in the library.
    const { items } = await playlistRows.read(playlistId, call);
    const words = wordsOf(query);
    const matching = items.filter(({ item }) => item !== null && hasWords(wordsIn(item), words));
    return paged(matching.slice(window.offset, window.offset + window.limit), matching.length, window);
  }
  const { rows, total, note } = await pageOf(found, window, find);
  const items = rows.map(itemOf);
  for (const { item } of items) noteSong(provider, item);
  return { ...paged(items, total, window), ...(note === null ? {} : { note }) };
}

/**
 * All rows of a playlist, to be counted. If the copy has them, one request checks that they are current. Only a changed
 * playlist is read again.
 */
export async function wholePlaylist(
  { library, rows: playlistRows }: Services,
  playlistId: string,
  call: Call,
): Promise<{ playlist: Pick<Playlist, 'name' | 'snapshot_id'>; items: Item[] }> {
  const select = `select row.position, row.added_at, playlists.name, playlists.snapshot_id, ${MEDIA_COLUMNS}
    from playlists left join playlist_rows as row on row.playlist_id = playlists.id
      left join tracks on tracks.uri = row.uri
    where playlists.id = ${quoted(playlistId)} order by row.position`;
  const found = await library.view({ kind: 'playlist', id: playlistId, isKnown: true }, select, call);
  const [first] = found?.rows ?? [];
  if (!found || !first) return playlistRows.read(playlistId, call);
  const text = (cell: Cells[number] | undefined) => (typeof cell === 'string' ? cell : null);
  return {
    playlist: { name: text(first[2]) ?? '', snapshot_id: text(first[3]) },
    items: found.rows
      .filter(([position]) => position !== null)
      .map(([position, added, , , ...media]) =>
        itemOf({ position: Number(position), added_at: text(added), media: mediaOf(media) }),
      ),
  };
}

function itemOf({ position, added_at, media }: Omit<FoundRow, 'media'> & { media: Media | null }): Item {
  return {
    position,
    added_at,
    item_type: media?.type ?? 'unknown',
    is_local: media?.type === 'track' && media.is_local,
    item: media,
  };
}

/** Playlists of the library with all of the words in name or description. */
export async function filteredPlaylists(
  { library }: Services,
  query: string,
  window: PageRequest,
  call: Call,
): Promise<Page<Playlist>> {
  const words = wordsOf(query);
  const all = await library.playlists(call);
  const matching = all.filter(({ name, description }) => hasWords(`${name} ${description ?? ''}`, words));
  return paged(matching.slice(window.offset, window.offset + window.limit), matching.length, window);
}

function paged<T>(items: T[], total: number, { limit, offset }: PageRequest): Page<T> {
  return { items, total, limit, offset, next_offset: offset + limit < total ? offset + limit : null };
}

function wordsOf(query: string): string[] {
  // SQLite would take a zero character for the end of the query.
  return foldLetters(query.replaceAll('\0', ' '))
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

function selectOf(from: string, query: string, { limit, offset }: PageRequest, condition = '1'): string {
  const text = "fold(tracks.name || ' ' || tracks.artist || ' ' || ifnull(tracks.album, ''))";
  const words = wordsOf(query).map((word) => `instr(${text}, ${quoted(word)}) > 0`);
  return `select row.position, row.added_at, count(*) over (), ${MEDIA_COLUMNS}
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
  found: Found,
  window: PageRequest,
  find: (window: PageRequest) => Promise<Found>,
): Promise<{ rows: FoundRow[]; total: number; note: string | null }> {
  const rows = found?.rows ?? [];
  // An offset beyond the end returns no row, and so no total. The total is then read with the first row.
  const first = rows[0] ?? (window.offset > 0 ? (await find({ limit: 1, offset: 0 }))?.rows[0] : undefined);
  return { rows: rows.map(rowOf), total: Number(first?.[2] ?? 0), note: found?.note ?? null };
}

function rowOf([position, added, , ...media]: Cells): FoundRow {
  const found = mediaOf(media);
  if (found === null) throw new RangeError('A row that was found by its words has a track.');
  return { position: Number(position), added_at: typeof added === 'string' ? added : null, media: found };
}
