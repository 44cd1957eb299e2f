/** Playlists: the requests that change them (the provider's current `/items` endpoints). */
import { chunk } from '../../base/lists.ts';
import type { Playlist } from '../../domain/shapes.ts';
import { type Call, type ProviderApi, type ProviderRequest, pathOf } from '../api.ts';
import { invalidResponse } from '../http/failure.ts';
import { asObject, parsePlaylist, textOf } from '../resources/parse.ts';
import type { Chunk } from './chunkedWrite.ts';

/** The provider's limit for one write of playlist items. */
export const PLAYLIST_CHUNK = 100;

const ITEMS = '/playlists/{id}/items';

function itemsRequest(
  method: ProviderRequest['method'],
  id: string,
  body: Record<string, unknown>,
): ProviderRequest {
  return { method, path: pathOf(ITEMS, { id }), template: ITEMS, scope: 'playlists.write', body };
}

/** Appends, or inserts at a 0-based position, in order. */
export function insertChunks(id: string, uris: readonly string[], position?: number): Chunk[] {
  return chunk(uris, PLAYLIST_CHUNK).map((part, index) => {
    const at = position === undefined ? {} : { position: position + index * PLAYLIST_CHUNK };
    return { request: itemsRequest('POST', id, { uris: part, ...at }), count: part.length };
  });
}

/** Removes every occurrence of each URI: the provider has no other removal. URIs are distinct. */
export function removeChunks(
  id: string,
  uris: readonly string[],
  countOf: (uri: string) => number = () => 1,
): Chunk[] {
  return chunk(uris, PLAYLIST_CHUNK).map((part) => ({
    request: itemsRequest('DELETE', id, { items: part.map((uri) => ({ uri })) }),
    count: part.reduce((sum, uri) => sum + countOf(uri), 0),
  }));
}

/** Replaces all rows with `uris`: the first hundred replace, the rest is appended. Not atomic. */
export function replaceChunks(id: string, uris: readonly string[]): Chunk[] {
  const first = uris.slice(0, PLAYLIST_CHUNK);
  return [
    { request: itemsRequest('PUT', id, { uris: first }), count: first.length },
    ...insertChunks(id, uris.slice(PLAYLIST_CHUNK)),
  ];
}

export interface Move {
  range_start: number;
  /** Counts in the list before the move. */
  insert_before: number;
  range_length: number;
  snapshot_id?: string | undefined;
}

export async function reorder(
  api: ProviderApi,
  id: string,
  move: Move,
  call: Pick<Call, 'signal'>,
): Promise<string | null> {
  const { snapshot_id, ...range } = move;
  const body = snapshot_id === undefined ? range : { ...range, snapshot_id };
  const response = await api.send(itemsRequest('PUT', id, body), call);
  return textOf(asObject(response.body)?.snapshot_id);
}

export interface PlaylistDetails {
  name?: string | undefined;
  description?: string | undefined;
  public?: boolean | undefined;
  collaborative?: boolean | undefined;
}

export async function createPlaylist(
  api: ProviderApi,
  details: PlaylistDetails & { name: string },
  call: Pick<Call, 'signal'>,
): Promise<Playlist> {
  const request: ProviderRequest = {
    method: 'POST',
    path: '/me/playlists',
    template: '/me/playlists',
    scope: 'playlists.write',
    body: {
      name: details.name,
      // Omitted, it has been shown as the text "null".
      description: details.description ?? '',
      public: details.public ?? false,
      collaborative: details.collaborative ?? false,
    },
  };
  const playlist = parsePlaylist((await api.send(request, call)).body);
  if (!playlist) throw invalidResponse(request, 'no playlist in it');
  return playlist;
}

export async function updateDetails(
  api: ProviderApi,
  id: string,
  details: PlaylistDetails,
  call: Pick<Call, 'signal'>,
): Promise<void> {
  const template = '/playlists/{id}';
  const body = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
  await api.send(
    { method: 'PUT', path: pathOf(template, { id }), template, scope: 'playlists.write', body },
    call,
  );
}

/**
 * Takes a playlist off the account's list. Spotify knows no other way to delete one: its ID keeps working, and
 * `followPlaylist` brings it back. Takes nothing away when it is not on the list.
 */
export function unfollowPlaylist(api: ProviderApi, id: string, call: Pick<Call, 'signal'>): Promise<void> {
  return keepPlaylist(api, 'DELETE', id, call);
}

/** Puts a playlist on the account's list; one that is there stays. @internal */
export function followPlaylist(api: ProviderApi, id: string, call: Pick<Call, 'signal'>): Promise<void> {
  return keepPlaylist(api, 'PUT', id, call);
}

async function keepPlaylist(
  api: ProviderApi,
  method: 'PUT' | 'DELETE',
  id: string,
  call: Pick<Call, 'signal'>,
): Promise<void> {
  const path = '/me/library';
  const query = { uris: `spotify:playlist:${id}` };
  await api.send({ method, path, template: path, scope: 'library.write', query }, call);
}
