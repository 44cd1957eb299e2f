/**
 * The objects of the Web API as applications created since February 2026 get them, without `popularity`,
 * `available_markets`, `linked_from` and `followers`. A world with legacy shapes adds `genres`.
 */
import type { DemoAlbum, DemoArtist, DemoEpisode, DemoShow, DemoTrack, Named } from '../catalogue/types.ts';
import type { World } from '../state.ts';

type Shape = Record<string, unknown>;

function common(world: World, type: string, { id, uri, name }: Named): Shape {
  const external_urls = { spotify: `https://open.spotify.com/${type}/${id}` };
  return { external_urls, href: `${world.apiUrl}/${type}s/${id}`, id, name, type, uri };
}

export function artistObject(world: World, artist: DemoArtist): Shape {
  const genres = world.legacyShapes ? { genres: artist.genres } : {};
  return { ...common(world, 'artist', artist), images: [], ...genres };
}

export function simplifiedAlbum(world: World, album: DemoAlbum): Shape {
  return {
    ...common(world, 'album', album),
    album_type: album.type,
    total_tracks: album.tracks.length,
    images: [],
    release_date: album.releaseDate,
    release_date_precision: album.precision,
    artists: album.artists.map((artist) => common(world, 'artist', artist)),
  };
}

/** @param withMarket true if the query has a market; only then does the track have `is_playable` */
export function trackObject(world: World, track: DemoTrack, withMarket = false): Shape {
  const made = withMarket ? undefined : world.shapes?.get(track.uri);
  if (made) return made;
  const shape = {
    ...simplifiedTrack(world, track, withMarket),
    album: simplifiedAlbum(world, track.album),
    external_ids: { isrc: track.isrc },
  };
  if (!withMarket) world.shapes?.set(track.uri, shape);
  return shape;
}

export function simplifiedTrack(world: World, track: DemoTrack, withMarket = false): Shape {
  return {
    ...common(world, 'track', track),
    artists: track.artists.map((artist) => common(world, 'artist', artist)),
    disc_number: 1,
    duration_ms: track.durationMs,
    explicit: track.explicit,
    is_local: false,
    ...(withMarket ? { is_playable: true } : {}),
    preview_url: null,
    track_number: track.trackNumber,
  };
}

export function simplifiedShow(world: World, show: DemoShow): Shape {
  return {
    ...common(world, 'show', show),
    description: show.description,
    explicit: false,
    images: [],
    languages: ['en'],
    media_type: 'audio',
    total_episodes: show.episodes.length,
  };
}

export function simplifiedEpisode(world: World, episode: DemoEpisode): Shape {
  return {
    ...common(world, 'episode', episode),
    description: episode.description,
    duration_ms: episode.durationMs,
    explicit: episode.explicit,
    images: [],
    is_externally_hosted: false,
    is_playable: true,
    languages: ['en'],
    release_date: episode.releaseDate,
    release_date_precision: 'day',
  };
}

/**
 * A file on someone's machine, of which only the tags are known: `spotify:local:{artist}:{album}:{title}:{seconds}`.
 */
function localTrack(uri: string): Shape {
  const [artist = '', album = '', title = '', seconds = '0'] = uri.split(':').slice(2).map(decodeLocal);
  const unknown = { external_urls: {}, href: null, id: null };
  return {
    ...unknown,
    album: {
      ...unknown,
      album_type: null,
      artists: [],
      images: [],
      name: album,
      release_date: null,
      release_date_precision: null,
      total_tracks: null,
      type: 'album',
      uri: null,
    },
    artists: artist === '' ? [] : [{ ...unknown, name: artist, type: 'artist', uri: null }],
    disc_number: 0,
    duration_ms: Number(seconds) * 1_000,
    explicit: false,
    external_ids: {},
    is_local: true,
    name: title,
    preview_url: null,
    track_number: 0,
    type: 'track',
    uri,
  };
}

function decodeLocal(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return part;
  }
}

/**
 * Returns the object for a URI in a playlist or in the player; null if the catalogue does not have the item.
 * @param withEpisodes false to return null for episodes too
 */
export function mediaObject(world: World, uri: string, withEpisodes: boolean): Shape | null {
  if (uri.startsWith('spotify:local:')) return localTrack(uri);
  const track = world.catalogue.trackByUri.get(uri);
  if (track) return trackObject(world, track);
  const episode = withEpisodes ? world.catalogue.episodeByUri.get(uri) : undefined;
  return episode ? { ...simplifiedEpisode(world, episode), show: simplifiedShow(world, episode.show) } : null;
}

/** A user, as in `owner` and `added_by`. */
export function userRef(world: World, id: string): Shape {
  const uri = `spotify:user:${id}`;
  const made = world.shapes?.get(uri);
  if (made) return made;
  const shape = {
    external_urls: { spotify: `https://open.spotify.com/user/${encodeURIComponent(id)}` },
    href: `${world.apiUrl}/users/${encodeURIComponent(id)}`,
    id,
    type: 'user',
    uri,
  };
  world.shapes?.set(uri, shape);
  return shape;
}

/** The context that something was played from, or null. */
export function contextObject(world: World, uri: string | null): Shape | null {
  if (uri === null) return null;
  const isCollection = uri.endsWith(':collection');
  const [, type = '', id = ''] = uri.split(':');
  return {
    type: isCollection ? 'collection' : type,
    href: isCollection ? `${world.apiUrl}/me/tracks` : `${world.apiUrl}/${type}s/${id}`,
    external_urls: { spotify: `https://open.spotify.com/${isCollection ? 'collection' : `${type}/${id}`}` },
    uri,
  };
}
