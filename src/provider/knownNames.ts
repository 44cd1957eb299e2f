/**
 * Remembers the names of playlists and songs from most of Spotify's answers since the program started. Texts for a person can
 * then name a playlist or a song without a request.
 */
import type { Media } from '../domain/shapes.ts';
import type { ProviderApi } from './api.ts';

/** Maximum number of songs to remember, more than most playlists have. The song that was read longest ago is dropped first. */
const MAX_SONGS = 5_000;
const MAX_PLAYLISTS = 1_000;

interface Known {
  /** By playlist ID, the name and cover from the last answer that had the playlist, as JSON. */
  playlists: Map<string, string>;
  /** By URI, what `titleOf` returns. */
  songs: Map<string, string>;
  keep: KeepPlaylist;
}

/** @param told.cover address of the image; null if none came with the answer */
type KeepPlaylist = (id: string, told: { name: string; cover: string | null }) => void;

const knownBy = new WeakMap<ProviderApi, Known>();

function knownOf(api: ProviderApi): Known {
  let known = knownBy.get(api);
  if (!known) {
    known = { playlists: new Map(), songs: new Map(), keep() {} };
    knownBy.set(api, known);
  }
  return known;
}

/** Sets the function to call with each new or changed name or cover of a playlist. */
export function keepPlaylistNames(api: ProviderApi, keep: KeepPlaylist): void {
  knownOf(api).keep = keep;
}

/** @param cover address of the image; null if none came with the answer */
export function notePlaylist(
  api: ProviderApi,
  { id, name }: { id: string; name: string },
  cover: string | null,
): void {
  const { playlists, keep } = knownOf(api);
  const told = JSON.stringify([name, cover]);
  if (playlists.get(id) === told) return;
  put(playlists, id, told, MAX_PLAYLISTS);
  keep(id, { name, cover });
}

/** Forgets all names, for an account of which nothing is to stay. */
export function forgetNames(api: ProviderApi): void {
  const { playlists, songs } = knownOf(api);
  playlists.clear();
  songs.clear();
}

export function noteSong(api: ProviderApi, media: Media | null): void {
  if (media === null) return;
  put(knownOf(api).songs, media.uri, titleOf(media), MAX_SONGS);
}

/** `Title – Artist, Artist` of a song, or `Title – Show` of an episode; null if relay does not remember the URI. */
export function knownSong(api: ProviderApi, uri: string): string | null {
  return knownOf(api).songs.get(uri) ?? null;
}

/** `Title – Artist, Artist`, or `Title – Show` for an episode; only the title if there is no artist or show. */
function titleOf(media: Media): string {
  const by = media.type === 'track' ? media.artists.map(({ name }) => name).join(', ') : media.show.name;
  return by ? `${media.name} – ${by}` : media.name;
}

function put(map: Map<string, string>, key: string, value: string, max: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) break;
    map.delete(oldest);
  }
}
