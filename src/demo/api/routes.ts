/** The list of all endpoints, with their scopes, except scopes that the handler checks itself. */
import type { Answer, ApiCall } from '../http.ts';
import { getAlbum, getAlbumTracks, getArtist, getArtistAlbums, getTrack, removed } from './catalogue.ts';
import { checkLibrary, listSavedTracks, removeFromLibrary, saveToLibrary } from './library.ts';
import { getMe, getRecentlyPlayed, getTopArtists, getTopTracks } from './personal.ts';
import {
  addToQueue,
  next,
  pause,
  play,
  previous,
  seek,
  setRepeat,
  setShuffle,
  setVolume,
  transfer,
} from './playerCommands.ts';
import { getCurrentlyPlaying, getDevices, getPlayer, getQueue } from './playerReads.ts';
import { getPlaylist, getPlaylistItems, listMyPlaylists } from './playlists.ts';
import { addItems, changeDetails, createPlaylist, removeItems, replaceOrReorder } from './playlistWrites.ts';
import { search } from './search.ts';

export interface ApiRoute {
  readonly method: string;
  /** `:id` stands for the variable part; there is at most one. */
  readonly path: string;
  readonly handle: (call: ApiCall) => Answer;
  readonly scope?: string;
}

const CONTROL = 'user-modify-playback-state';

export const API_ROUTES: readonly ApiRoute[] = [
  { method: 'GET', path: '/albums/:id', handle: getAlbum },
  { method: 'GET', path: '/albums/:id/tracks', handle: getAlbumTracks },
  { method: 'GET', path: '/artists/:id', handle: getArtist },
  { method: 'GET', path: '/artists/:id/albums', handle: getArtistAlbums },
  { method: 'GET', path: '/me', handle: getMe },
  { method: 'PUT', path: '/me/library', handle: saveToLibrary },
  { method: 'DELETE', path: '/me/library', handle: removeFromLibrary },
  { method: 'GET', path: '/me/library/contains', handle: checkLibrary },
  { method: 'GET', path: '/me/player', handle: getPlayer, scope: 'user-read-playback-state' },
  { method: 'PUT', path: '/me/player', handle: transfer, scope: CONTROL },
  {
    method: 'GET',
    path: '/me/player/currently-playing',
    handle: getCurrentlyPlaying,
    scope: 'user-read-currently-playing',
  },
  { method: 'GET', path: '/me/player/devices', handle: getDevices, scope: 'user-read-playback-state' },
  { method: 'POST', path: '/me/player/next', handle: next, scope: CONTROL },
  { method: 'PUT', path: '/me/player/pause', handle: pause, scope: CONTROL },
  { method: 'PUT', path: '/me/player/play', handle: play, scope: CONTROL },
  { method: 'POST', path: '/me/player/previous', handle: previous, scope: CONTROL },
  {
    method: 'GET',
    path: '/me/player/recently-played',
    handle: getRecentlyPlayed,
    scope: 'user-read-recently-played',
  },
  { method: 'GET', path: '/me/player/queue', handle: getQueue, scope: 'user-read-playback-state' },
  { method: 'POST', path: '/me/player/queue', handle: addToQueue, scope: CONTROL },
  { method: 'PUT', path: '/me/player/repeat', handle: setRepeat, scope: CONTROL },
  { method: 'PUT', path: '/me/player/seek', handle: seek, scope: CONTROL },
  { method: 'PUT', path: '/me/player/shuffle', handle: setShuffle, scope: CONTROL },
  { method: 'PUT', path: '/me/player/volume', handle: setVolume, scope: CONTROL },
  { method: 'GET', path: '/me/playlists', handle: listMyPlaylists, scope: 'playlist-read-private' },
  { method: 'POST', path: '/me/playlists', handle: createPlaylist },
  { method: 'GET', path: '/me/top/artists', handle: getTopArtists, scope: 'user-top-read' },
  { method: 'GET', path: '/me/top/tracks', handle: getTopTracks, scope: 'user-top-read' },
  { method: 'GET', path: '/me/tracks', handle: listSavedTracks, scope: 'user-library-read' },
  { method: 'GET', path: '/playlists/:id', handle: getPlaylist },
  { method: 'PUT', path: '/playlists/:id', handle: changeDetails },
  { method: 'GET', path: '/playlists/:id/items', handle: getPlaylistItems, scope: 'playlist-read-private' },
  { method: 'POST', path: '/playlists/:id/items', handle: addItems },
  { method: 'PUT', path: '/playlists/:id/items', handle: replaceOrReorder },
  { method: 'DELETE', path: '/playlists/:id/items', handle: removeItems },
  { method: 'GET', path: '/search', handle: search },
  { method: 'GET', path: '/tracks/:id', handle: getTrack },
];

const LIBRARY_KINDS = ['tracks', 'albums', 'episodes', 'shows', 'audiobooks', 'following'];
const BATCH_KINDS = ['tracks', 'albums', 'artists', 'episodes', 'shows', 'audiobooks', 'chapters'];

/** Removed in February 2026 for new applications; all answer 403 Forbidden. */
export const REMOVED_ROUTES: readonly ApiRoute[] = [
  ['GET', '/artists/:id/top-tracks'],
  ['GET', '/browse/categories'],
  ['GET', '/browse/categories/:id'],
  ['GET', '/browse/new-releases'],
  ['GET', '/markets'],
  ['GET', '/users/:id'],
  ['GET', '/users/:id/playlists'],
  ['POST', '/users/:id/playlists'],
  ['PUT', '/playlists/:id/followers'],
  ['DELETE', '/playlists/:id/followers'],
  ['GET', '/playlists/:id/followers/contains'],
  ...['GET', 'POST', 'PUT', 'DELETE'].map((method) => [method, '/playlists/:id/tracks']),
  ...BATCH_KINDS.map((kind) => ['GET', `/${kind}`]),
  ...LIBRARY_KINDS.flatMap((kind) => [
    ['PUT', `/me/${kind}`],
    ['DELETE', `/me/${kind}`],
    ['GET', `/me/${kind}/contains`],
  ]),
].map(([method = '', path = '']) => ({ method, path, handle: removed }));
