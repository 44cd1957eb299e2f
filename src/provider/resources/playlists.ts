/** Playlists: reading. */
import type { Item, Page, Playlist } from '../../domain/shapes.ts';
import { type Call, type ProviderApi, requestFor } from '../api.ts';
import { invalidResponse } from '../http/failure.ts';
import { notePlaylist, noteSong } from '../knownNames.ts';
import { type PageRequest, readAll, readPage } from './paging.ts';
import { asObject, coverOf, numberOf, parseItem, parsePlaylist, textOf } from './parse.ts';

/** The provider's largest page of playlists and of playlist items. */
export const PLAYLIST_PAGE = 50;

const MINE = requestFor('GET', '/me/playlists', 'playlists.read');
/** Without this parameter, episode rows lack their item. */
const WITH_EPISODES = { additional_types: 'track,episode' };

/** A page of the account's own and followed playlists; null rows are dropped. */
export function getMyPlaylists(
  api: ProviderApi,
  window: PageRequest,
  call: Pick<Call, 'signal' | 'account'>,
): Promise<Page<Playlist>> {
  const parse = (row: unknown): Playlist | null => {
    const playlist = parsePlaylist(row);
    if (playlist) notePlaylist(api, playlist, coverOf(row));
    return playlist;
  };
  return readPage(api, MINE, window, parse, call);
}

/** Every playlist up to `cap`. */
export function getAllMyPlaylists(
  api: ProviderApi,
  cap: number,
  call: Call,
): Promise<{ items: Playlist[]; total: number; truncated: boolean }> {
  return readAll((window) => getMyPlaylists(api, window, call), PLAYLIST_PAGE, cap, call);
}

export async function getPlaylist(api: ProviderApi, id: string, call: Call): Promise<Playlist> {
  return (await getPlaylistBegin(api, id, call)).playlist;
}

/** A row with who added it: the user's ID, null where the provider does not say. */
export type AddedItem = Item & { added_by: string | null };

/** For `getPlaylistBegin` and `getPlaylistItems`. */
export function parseAddedItem(row: unknown, position: number): AddedItem {
  const raw = asObject(row);
  return { ...parseItem(row, position), added_by: textOf(asObject(raw?.added_by)?.id) };
}

/** A playlist and its first rows, which come with it; null where Spotify does not send them. */
export function getPlaylistBegin(
  api: ProviderApi,
  id: string,
  call: Pick<Call, 'signal' | 'account'>,
): Promise<{ playlist: Playlist; first: Pick<Page<Item>, 'items' | 'total'> | null }>;
export function getPlaylistBegin<T extends Item>(
  api: ProviderApi,
  id: string,
  call: Pick<Call, 'signal' | 'account'>,
  parse: (row: unknown, position: number) => T,
): Promise<{ playlist: Playlist; first: Pick<Page<T>, 'items' | 'total'> | null }>;
export async function getPlaylistBegin(
  api: ProviderApi,
  id: string,
  call: Pick<Call, 'signal' | 'account'>,
  parse: (row: unknown, position: number) => Item = parseItem,
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
  const items = rows?.map((row, position) => noted(api, parse(row, position)));
  return { playlist, first: items && total !== null ? { items, total } : null };
}

/** The rows of the page in a playlist; null unless they are its first ones, without a gap. */
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
  call: Pick<Call, 'signal' | 'account'>,
): Promise<Page<Item>>;
export function getPlaylistItems<T extends Item>(
  api: ProviderApi,
  id: string,
  window: PageRequest,
  call: Pick<Call, 'signal' | 'account'>,
  parse: (row: unknown, position: number) => T,
): Promise<Page<T>>;
export function getPlaylistItems(
  api: ProviderApi,
  id: string,
  window: PageRequest,
  call: Pick<Call, 'signal' | 'account'>,
  parse: (row: unknown, position: number) => Item = parseItem,
): Promise<Page<Item>> {
  const request = requestFor('GET', '/playlists/{id}/items', 'playlists.read', {
    values: { id },
    query: WITH_EPISODES,
  });
  return readPage(api, request, window, (row, position) => noted(api, parse(row, position)), call);
}

function noted<T extends Item>(api: ProviderApi, item: T): T {
  noteSong(api, item.item);
  return item;
}
