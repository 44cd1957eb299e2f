/** Reads playlists: the account's list, the details of one, and pages of its rows. */
import type { Item, Page, Playlist } from '../../domain/shapes.ts';
import { type Call, type ProviderApi, requestFor, type SendCall } from '../api.ts';
import { invalidResponse } from '../http/failure.ts';
import { notePlaylist, noteSong } from '../knownNames.ts';
import { type AllRows, type PageRequest, readAll, readPage } from './paging.ts';
import { asObject, coverOf, numberOf, parseItem, parsePlaylist } from './parse.ts';

/** The provider's largest page of playlists and of playlist items. */
export const PLAYLIST_PAGE = 50;

const MINE = requestFor('GET', '/me/playlists', 'playlists.read');
/** Without this parameter, episode rows lack their item. */
const WITH_EPISODES = { additional_types: 'track,episode' };

/** A page of the account's own and followed playlists; rows without a playlist are dropped. */
export function getMyPlaylists(
  api: ProviderApi,
  window: PageRequest,
  call: SendCall,
): Promise<Page<Playlist>> {
  const parse = (row: unknown): Playlist | null => {
    const playlist = parsePlaylist(row);
    if (playlist) notePlaylist(api, playlist, coverOf(row));
    return playlist;
  };
  return readPage(api, MINE, window, parse, call);
}

/** Reads at most `cap` of the account's own and followed playlists, from offset `from` on. */
export function getAllMyPlaylists(
  api: ProviderApi,
  cap: number,
  call: Call,
  from = 0,
): Promise<AllRows<Playlist>> {
  return readAll((window) => getMyPlaylists(api, window, call), PLAYLIST_PAGE, cap, call, null, from);
}

export async function getPlaylist(api: ProviderApi, id: string, call: Call): Promise<Playlist> {
  return (await getPlaylistBegin(api, id, call)).playlist;
}

/** A playlist with its first rows; `first` is null if the answer lacks some of those rows, or their total. */
export async function getPlaylistBegin(
  api: ProviderApi,
  id: string,
  call: SendCall,
): Promise<{ playlist: Playlist; first: Pick<Page<Item>, 'items' | 'total'> | null }> {
  const request = requestFor('GET', '/playlists/{id}', 'playlists.read', {
    values: { id },
    query: WITH_EPISODES,
  });
  const { body } = await api.send(request, call);
  const playlist = parsePlaylist(body);
  if (!playlist) throw invalidResponse(request, 'no playlist in it');
  notePlaylist(api, playlist, coverOf(body));
  const { total_items: total } = playlist;
  const rows = rowsIn(body);
  const items = rows?.map((row, position) => notedItem(api, row, position));
  return { playlist, first: items && total !== null ? { items, total } : null };
}

/** The rows that came with a playlist; null if they are not its first rows, or fewer than a page should have. */
function rowsIn(body: unknown): unknown[] | null {
  const raw = asObject(body);
  const paging = asObject(raw?.items) ?? asObject(raw?.tracks);
  const rows = paging?.items;
  if (!Array.isArray(rows) || (numberOf(paging?.offset) ?? 0) !== 0) return null;
  const total = numberOf(paging?.total) ?? 0;
  const isWhole = rows.length >= Math.min(total, Math.max(1, numberOf(paging?.limit) ?? 1));
  return isWhole ? rows : null;
}

/** A page of rows. Unavailable rows are kept with `item: null`. */
export function getPlaylistItems(
  api: ProviderApi,
  id: string,
  window: PageRequest,
  call: SendCall,
): Promise<Page<Item>> {
  const request = requestFor('GET', '/playlists/{id}/items', 'playlists.read', {
    values: { id },
    query: WITH_EPISODES,
  });
  return readPage(api, request, window, (row, position) => notedItem(api, row, position), call);
}

function notedItem(api: ProviderApi, row: unknown, position: number): Item {
  const item = parseItem(row, position);
  noteSong(api, item.item);
  return item;
}
