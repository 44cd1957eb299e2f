/**
 * The objects of the Web API as applications created since February 2026 get them: without `popularity`, `genres`,
 * `available_markets`, `linked_from` and `followers`.
 */
import { percentDecoded } from '../../base/parsing.ts';
import type { DemoAlbum, DemoArtist, DemoEpisode, DemoTrack, Named } from '../catalogue/types.ts';
import { type DemoPlaylist, type DemoWorld, type PlaylistRow, snapshotOf, stateAt } from '../state.ts';

type Shape = Record<string, unknown>;

function common(type: string, { id, uri, name }: Named): Shape {
  return { external_urls: webUrl(type, id), href: apiUrl(type, id), id, name, type, uri };
}

/** The address at Spotify, which nobody follows. */
function apiUrl(type: string, id: string): string {
  return `https://api.spotify.com/v1/${type}s/${encodeURIComponent(id)}`;
}

function webUrl(type: string, id: string) {
  return { spotify: `https://open.spotify.com/${type}/${encodeURIComponent(id)}` };
}

export function artistObject(artist: DemoArtist): Shape {
  return { ...common('artist', artist), images: [] };
}

export function simplifiedAlbum(album: DemoAlbum): Shape {
  return {
    ...common('album', album),
    album_type: album.type,
    total_tracks: album.tracks.length,
    images: [],
    release_date: album.releaseDate,
    artists: album.artists.map((artist) => common('artist', artist)),
  };
}

export function trackObject(track: DemoTrack): Shape {
  const album = simplifiedAlbum(track.album);
  return { ...simplifiedTrack(track), album, external_ids: { isrc: track.isrc } };
}

export function simplifiedTrack(track: DemoTrack): Shape {
  return {
    ...common('track', track),
    artists: track.artists.map((artist) => common('artist', artist)),
    disc_number: 1,
    duration_ms: track.durationMs,
    explicit: track.explicit,
    is_local: false,
    track_number: track.trackNumber,
  };
}

function episodeObject({ show, ...episode }: DemoEpisode): Shape {
  return {
    ...common('episode', episode),
    duration_ms: episode.durationMs,
    explicit: episode.explicit,
    images: [],
    release_date: episode.releaseDate,
    show: { ...common('show', show), images: [], total_episodes: show.episodes.length },
  };
}

/** A file on someone's machine, of which only the tags are known: `spotify:local:{artist}:{album}:{title}:{seconds}`. */
function localTrack(uri: string): Shape {
  const tags = uri.split(':').slice(2);
  const [artist = '', album = '', title = '', seconds = '0'] = tags.map((tag) =>
    percentDecoded(tag.replaceAll('+', ' ')),
  );
  const unknown = { external_urls: {}, href: null, id: null };
  const undated = { album_type: null, release_date: null, total_tracks: null };
  return {
    ...unknown,
    album: { ...unknown, ...undated, artists: [], images: [], name: album, type: 'album', uri: null },
    artists: artist === '' ? [] : [{ ...unknown, name: artist, type: 'artist', uri: null }],
    duration_ms: Number(seconds) * 1_000,
    explicit: false,
    external_ids: {},
    is_local: true,
    name: title,
    track_number: 0,
    type: 'track',
    uri,
  };
}

/**
 * Returns the object for a URI in a playlist or in the player; null if the catalogue does not have the item.
 * @param withEpisodes false to return null for episodes too
 */
export function mediaObject(world: DemoWorld, uri: string, withEpisodes: boolean): Shape | null {
  if (uri.startsWith('spotify:local:')) return localTrack(uri);
  const track = world.catalogue.trackByUri.get(uri);
  if (track) return trackObject(track);
  const episode = withEpisodes ? world.catalogue.episodeByUri.get(uri) : undefined;
  return episode ? episodeObject(episode) : null;
}

/** A user, as in `owner` and `added_by`. */
export function userRef(id: string): Shape {
  const [href, external_urls] = [apiUrl('user', id), webUrl('user', id)];
  return { external_urls, href, id, type: 'user', uri: `spotify:user:${id}` };
}

/** The context that something was played from, or null. */
export function contextObject(uri: string | null): Shape | null {
  if (uri === null) return null;
  const [, kind = '', id = ''] = uri.split(':');
  const type = uri.endsWith(':collection') ? 'collection' : kind;
  return { type, href: apiUrl(type, id), external_urls: webUrl(type, id), uri };
}

/**
 * A playlist as reads show it.
 * @param rows the paging object of its rows; by default only their number; null for accounts that may not read them
 */
export function playlistObject(world: DemoWorld, present: DemoPlaylist, rows?: Shape | null): Shape {
  const { id, name, description, collaborative, rows: shown, ...playlist } = stateAt(world, present);
  const counted = { href: `${apiUrl('playlist', id)}/items`, total: totalOf(world, present) };
  const cover = `${world.apiUrl.replace(/\/v1$/, '')}/image/${id}`;
  return {
    collaborative,
    description: description === null ? null : escapeHtml(description),
    external_urls: webUrl('playlist', id),
    href: apiUrl('playlist', id),
    id,
    // A mosaic of four covers comes in one size, and Spotify does not say which.
    images: shown.length === 0 ? [] : [{ url: cover, height: null, width: null }],
    name,
    owner: { ...userRef(playlist.ownerId), display_name: playlist.ownerName },
    public: playlist.public,
    snapshot_id: snapshotOf(stateAt(world, present, world.lags.snapshots)),
    type: 'playlist',
    uri: `spotify:playlist:${id}`,
    ...(rows === null ? {} : { items: rows ?? counted }),
  };
}

export function totalOf(world: DemoWorld, playlist: DemoPlaylist): number {
  return stateAt(world, playlist, world.lags.totals).rows.length;
}

/** @param withEpisodes true if the query's `additional_types` includes episodes; otherwise rows of episodes have no item */
export function rowObject(world: DemoWorld, row: PlaylistRow, withEpisodes: boolean): Shape {
  return {
    added_at: row.addedAt,
    added_by: row.addedBy === null ? null : userRef(row.addedBy),
    is_local: row.uri.startsWith('spotify:local:'),
    item: row.unavailable ? null : mediaObject(world, row.uri, withEpisodes),
  };
}

const ENTITIES: Record<string, string> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": '#x27',
  '/': '#x2F',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"'/]/g, (sign) => `&${ENTITIES[sign]};`);
}

/** A time as Spotify writes it, without milliseconds. */
export function secondsOf(unixMs: number): string {
  return `${new Date(unixMs).toISOString().slice(0, 19)}Z`;
}
