/** Playlists: reading. */
import type { Item, Page, Playlist } from '../../domain/shapes.ts';
import { type Call, type ProviderApi, type ProviderRequest, pathOf } from '../api.ts';
import { invalidResponse } from '../http/failure.ts';
import { type PageRequest, readAll, readPage } from './paging.ts';
import { parseItem, parsePlaylist } from './parse.ts';

/** The provider's largest page of playlists and of playlist items. */
export const PLAYLIST_PAGE = 50;

const MINE: ProviderRequest = {
  method: 'GET',
  path: '/me/playlists',
  template: '/me/playlists',
  scope: 'playlists.read',
};

/** A page of the account's own and followed playlists; null rows are dropped. */
export function getMyPlaylists(api: ProviderApi, window: PageRequest, call: Call): Promise<Page<Playlist>> {
  return readPage(api, MINE, window, parsePlaylist, call);
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
  const template = '/playlists/{id}';
  const request: ProviderRequest = {
    method: 'GET',
    path: pathOf(template, { id }),
    template,
    scope: 'playlists.read',
    query: { additional_types: 'track,episode' },
  };
  const playlist = parsePlaylist((await api.send(request, call)).body);
  if (!playlist) throw invalidResponse(request, 'no playlist in it');
  return playlist;
}

/** A page of rows. Unavailable rows are kept with `item: null`. */
export function getPlaylistItems(
  api: ProviderApi,
  id: string,
  window: PageRequest,
  call: Call,
): Promise<Page<Item>> {
  const template = '/playlists/{id}/items';
  const request: ProviderRequest = {
    method: 'GET',
    path: pathOf(template, { id }),
    template,
    scope: 'playlists.read',
    // Without it, episode rows lack their item.
    query: { additional_types: 'track,episode' },
  };
  return readPage(api, request, window, parseItem, call);
}
