/** Builds the requests that change playlists, for the provider's current endpoints (`/items`, not `/tracks`). */
import type { DetailValues } from '../../domain/change.ts';
import { type ProviderRequest, requestFor } from '../api.ts';

function itemsRequest(
  method: ProviderRequest['method'],
  id: string,
  body: Record<string, unknown>,
): ProviderRequest {
  return requestFor(method, '/playlists/{id}/items', 'playlists.write', { values: { id }, body });
}

/** Builds the request that appends at most 100 URIs, or inserts them at a 0-based position. */
export function insertRequest(id: string, uris: readonly string[], position?: number): ProviderRequest {
  return itemsRequest('POST', id, { uris, ...(position === undefined ? {} : { position }) });
}

/** Builds the request that removes every occurrence of each of at most 100 URIs: the provider has no other removal. */
export function removeRequest(id: string, uris: readonly string[]): ProviderRequest {
  return itemsRequest('DELETE', id, { items: uris.map((uri) => ({ uri })) });
}

/** Builds the request that replaces all rows with at most 100 URIs; an empty list empties the playlist. */
export function replaceRequest(id: string, uris: readonly string[]): ProviderRequest {
  return itemsRequest('PUT', id, { uris });
}

/** A move of rows; positions are 0-based. */
export interface Move {
  range_start: number;
  /** Position in the list as it is before the move. */
  insert_before: number;
  range_length: number;
  /** The snapshot that the positions refer to; by default the present one. */
  snapshot_id?: string | undefined;
}

export function moveRequest(id: string, { snapshot_id, ...range }: Move): ProviderRequest {
  return itemsRequest('PUT', id, snapshot_id === undefined ? range : { ...range, snapshot_id });
}

export function createRequest(details: DetailValues & { name: string }): ProviderRequest {
  const body = {
    name: details.name,
    // Spotify has shown an omitted description as the text "null".
    description: details.description ?? '',
    public: details.public ?? false,
    collaborative: details.collaborative ?? false,
  };
  return requestFor('POST', '/me/playlists', 'playlists.write', { body });
}

export function detailsRequest(id: string, details: DetailValues): ProviderRequest {
  const body = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
  return requestFor('PUT', '/playlists/{id}', 'playlists.write', { values: { id }, body });
}

/** `PUT` adds a playlist to the account's list, `DELETE` removes it from the list: Spotify cannot delete a playlist otherwise. */
export function followRequest(method: 'PUT' | 'DELETE', id: string): ProviderRequest {
  return requestFor(method, '/me/library', 'library.write', { query: { uris: `spotify:playlist:${id}` } });
}
