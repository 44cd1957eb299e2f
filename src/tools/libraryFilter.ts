/** Answers from the copy of the library: lists filtered by words, or a whole playlist. */
import * as z from 'zod';
import { quoted } from '../domain/library.ts';
import type { Item, Media, Page, Playlist } from '../domain/shapes.ts';
import { MEDIA_COLUMNS, mediaOf } from '../library/tables/tracks.ts';
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

/** Saved tracks with all of the words in title, artists or album. */
export async function filteredSaved(
  { library }: Services,
  query: string,
  window: PageRequest,
  call: Call,
): Promise<Page<SavedTrack> & { note?: string }> {
  const select = `select row.added_at, ${MEDIA_COLUMNS}
    from saved as row join tracks using (uri) order by row.position`;
  const found = await library.view({ kind: 'saved' }, select, call);
  const rows = (found?.rows ?? []).map(([added, ...media]) => {
    const track = mediaOf(media);
    return { added_at: textOf(added), track: track?.type === 'track' ? track : null };
  });
  const matching = rows.filter(({ track }) => track && hasWords(wordsIn(track), query));
  return { ...pageOf(matching, window), ...(found?.note && { note: found.note }) };
}

/** Rows of a playlist with all of the words in title, artists or album, each with its position in the playlist. */
export async function filteredPlaylist(
  services: Services,
  playlistId: string,
  query: string,
  window: PageRequest,
  call: Call,
): Promise<Page<Item>> {
  const { items } = await wholePlaylist(services, playlistId, call, { isKnown: false });
  const page = pageOf(
    items.filter(({ item }) => item && hasWords(wordsIn(item), query)),
    window,
  );
  for (const { item } of page.items) noteSong(services.provider, item);
  return page;
}

/** Playlists of the library with all of the words in name or description. */
export async function filteredPlaylists(
  { library }: Services,
  query: string,
  window: PageRequest,
  call: Call,
): Promise<Page<Playlist>> {
  const all = await library.playlists(call);
  const matching = all.filter(({ name, description }) => hasWords(`${name} ${description ?? ''}`, query));
  return pageOf(matching, window);
}

/**
 * All rows of a playlist. If the copy has them, one request checks that they are current. Only a changed playlist is read again.
 * @param options.isKnown false to read a playlist of the library into the copy, if the copy does not have its rows yet
 */
export async function wholePlaylist(
  { library, rows: playlistRows }: Services,
  playlistId: string,
  call: Call,
  { isKnown = true }: { isKnown?: boolean } = {},
): Promise<{ playlist: Pick<Playlist, 'name' | 'snapshot_id'>; items: Item[] }> {
  const select = `select row.position, row.added_at, playlists.name, playlists.snapshot_id, ${MEDIA_COLUMNS}
    from playlists left join playlist_rows as row on row.playlist_id = playlists.id
      left join tracks on tracks.uri = row.uri
    where playlists.id = ${quoted(playlistId)} order by row.position`;
  const found = await library.view({ kind: 'playlist', id: playlistId, isKnown }, select, call);
  const [first] = found?.rows ?? [];
  if (!found || !first) return playlistRows.read(playlistId, call);
  return {
    playlist: { name: textOf(first[2]) ?? '', snapshot_id: textOf(first[3]) },
    items: found.rows
      .filter(([position]) => position !== null)
      .map(([position, added, , , ...media]) => itemOf(Number(position), textOf(added), mediaOf(media))),
  };
}

function itemOf(position: number, added_at: string | null, item: Media | null): Item {
  const is_local = item?.type === 'track' && item.is_local;
  return { position, added_at, item_type: item?.type ?? 'unknown', is_local, item };
}

function textOf(cell: string | number | null | undefined): string | null {
  return typeof cell === 'string' ? cell : null;
}

function pageOf<T>(all: readonly T[], { limit, offset }: PageRequest): Page<T> {
  const end = offset + limit;
  const total = all.length;
  return { items: all.slice(offset, end), total, limit, offset, next_offset: end < total ? end : null };
}

function hasWords(text: string, query: string): boolean {
  const folded = foldLetters(text);
  const words = foldLetters(query).split(/\s+/);
  return words.every((word) => folded.includes(word));
}

function wordsIn(media: Media): string {
  if (media.type === 'episode') return `${media.name} ${media.show.name ?? ''}`;
  return `${media.name} ${media.artists.map(({ name }) => name).join(', ')} ${media.album.name ?? ''}`;
}
