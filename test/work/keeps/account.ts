/** The account of a kept playlist: the rows of its playlists, edits in Spotify, and the requests that relay sends. */
import { at, owner } from '../../support/entries.ts';
import type { Relay } from '../../support/world.ts';

export const LIST_0 = `list${'0'.repeat(18)}`;

/** Rows of a playlist at Spotify. */
export function rowsOf(relay: Relay, id: string): string[] {
  const playlist = owner(relay.provider).playlists.find((one) => one.id === id);
  if (!playlist) throw new Error(`There is no playlist ${id}.`);
  return playlist.rows.map(({ uri }) => uri);
}

/** Changes a playlist as somebody does in Spotify. */
export function edit(relay: Relay, id: string, change: (uris: string[]) => string[]): void {
  const playlist = owner(relay.provider).playlists.find((one) => one.id === id);
  if (!playlist) throw new Error(`There is no playlist ${id}.`);
  playlist.rows = change(playlist.rows.map(({ uri }) => uri)).map((uri) => ({
    uri,
    addedAt: '2026-10-01T00:00:00Z',
    addedBy: null,
  }));
  playlist.version += 1;
}

/** Tracks of the catalogue that are in no playlist and not saved. */
export function spare(relay: Relay, first: number, count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => at(relay.provider.catalogue.tracks, 2_000 + first + index).uri,
  );
}

export function save(relay: Relay, uris: readonly string[]): void {
  const account = owner(relay.provider);
  account.saved = [...uris.map((uri) => ({ uri, addedAt: '2026-11-01T00:00:00Z' })), ...account.saved];
}

export function unsave(relay: Relay, count: number): void {
  const account = owner(relay.provider);
  account.saved = account.saved.slice(count);
}

/** Requests to the Web API, without those that renew the token. */
export function asked(relay: Relay): Array<{ method: string; path: string }> {
  return relay.provider.requests.filter(({ path }) => path !== '/api/token');
}

/** Requests that change something. */
export function writes(relay: Relay): string[] {
  return asked(relay)
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`);
}
