/**
 * Turns the provider's JSON into relay's shapes. Some field names depend on when the owner's app was created in Spotify's
 * dashboard, so both names are read: `items` and `tracks`, `item` and `track`. A missing field becomes null if the shape allows
 * null; otherwise an empty string, an empty list or false. Something without its URI, or a playlist without its ID, becomes null
 * as a whole. Pure.
 */
import { isObject, withoutEntities } from '../../base/parsing.ts';
import { isEpisodeUri } from '../../domain/ids.ts';
import type {
  Album,
  AlbumTrack,
  Artist,
  ArtistRef,
  Context,
  Device,
  Episode,
  Item,
  Media,
  Playlist,
  Track,
} from '../../domain/shapes.ts';

export type Json = Record<string, unknown>;

export function asObject(value: unknown): Json | null {
  return isObject(value) ? value : null;
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function flagOf(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

function urlOf(raw: Json): string | null {
  return textOf(asObject(raw.external_urls)?.spotify);
}

function artistRefs(value: unknown): ArtistRef[] {
  return asArray(value).flatMap((entry) => {
    const raw = asObject(entry);
    return raw ? [{ id: textOf(raw.id), name: textOf(raw.name) ?? '' }] : [];
  });
}

/** Reads the fields that tracks, episodes, artists and albums share, and those that `rest` reads; null if there is no URI. */
function withCommonFields<T>(value: unknown, rest: (raw: Json, uri: string) => T) {
  const raw = asObject(value);
  const uri = textOf(raw?.uri);
  if (!raw || !uri) return null;
  return { id: textOf(raw.id), uri, name: textOf(raw.name) ?? '', url: urlOf(raw), ...rest(raw, uri) };
}

export function parseTrack(value: unknown): Track | null {
  return withCommonFields(value, (raw, uri) => {
    const album = asObject(raw.album);
    return {
      type: 'track',
      artists: artistRefs(raw.artists),
      album: {
        id: textOf(album?.id),
        name: textOf(album?.name),
        release_date: textOf(album?.release_date),
      },
      duration_ms: numberOf(raw.duration_ms),
      explicit: flagOf(raw.explicit),
      is_local: raw.is_local === true || uri.startsWith('spotify:local:'),
      // An empty ISRC becomes null. Otherwise all tracks with an empty ISRC would count as one recording.
      isrc: textOf(asObject(raw.external_ids)?.isrc) || null,
    };
  });
}

function parseEpisode(value: unknown): Episode | null {
  return withCommonFields(value, (raw) => {
    const show = asObject(raw.show);
    return {
      type: 'episode',
      show: { id: textOf(show?.id), name: textOf(show?.name), uri: textOf(show?.uri) },
      duration_ms: numberOf(raw.duration_ms),
      release_date: textOf(raw.release_date),
      explicit: flagOf(raw.explicit),
    };
  });
}

/** Reads an episode if `type` or the URI says so, otherwise a track; null if there is no URI. */
export function parseMedia(value: unknown): Media | null {
  const raw = asObject(value);
  if (!raw) return null;
  const isEpisode = raw.type === 'episode' || isEpisodeUri(textOf(raw.uri) ?? '');
  return isEpisode ? parseEpisode(raw) : parseTrack(raw);
}

export function parseArtist(value: unknown): Artist | null {
  return withCommonFields(value, (raw) => ({
    genres: Array.isArray(raw.genres) ? raw.genres.filter((genre) => typeof genre === 'string') : null,
  }));
}

export function parseAlbum(value: unknown): Album | null {
  return withCommonFields(value, (raw) => ({
    artists: artistRefs(raw.artists),
    album_type: textOf(raw.album_type),
    release_date: textOf(raw.release_date),
    total_tracks: numberOf(raw.total_tracks),
  }));
}

/** A track as an album lists it: without the album and without an ISRC. */
export function parseAlbumTrack(value: unknown): AlbumTrack | null {
  return withCommonFields(value, (raw) => ({
    artists: artistRefs(raw.artists),
    disc_number: numberOf(raw.disc_number),
    track_number: numberOf(raw.track_number),
    duration_ms: numberOf(raw.duration_ms),
    explicit: flagOf(raw.explicit),
  }));
}

export function parsePlaylist(value: unknown): Playlist | null {
  const raw = asObject(value);
  const id = textOf(raw?.id);
  if (!raw || !id) return null;
  const owner = asObject(raw.owner);
  const description = textOf(raw.description);
  return {
    id,
    uri: textOf(raw.uri) ?? `spotify:playlist:${id}`,
    name: textOf(raw.name) ?? '',
    // Spotify sends it HTML-escaped.
    description: description === null ? null : withoutEntities(description),
    public: flagOf(raw.public),
    collaborative: flagOf(raw.collaborative),
    owner: { id: textOf(owner?.id), name: textOf(owner?.display_name) },
    snapshot_id: textOf(raw.snapshot_id),
    total_items: numberOf(asObject(raw.items)?.total) ?? numberOf(asObject(raw.tracks)?.total),
    url: urlOf(raw),
  };
}

/** Width in pixels from which a cover looks sharp: the page shows it 44 CSS pixels wide, on screens with up to two pixels for each. */
const MIN_SHARP_WIDTH = 96;

/**
 * Address of the smallest cover that is large enough, or else of the largest; null if there is none. An image without a width, as
 * Spotify sends for mosaics, counts as large.
 */
export function coverOf(playlist: unknown): string | null {
  const images = asArray(asObject(playlist)?.images).flatMap((value) => {
    const image = asObject(value);
    const url = textOf(image?.url);
    return url === null ? [] : [{ url, width: numberOf(image?.width) ?? Number.MAX_SAFE_INTEGER }];
  });
  images.sort((one, other) => one.width - other.width);
  return (images.find(({ width }) => width >= MIN_SHARP_WIDTH) ?? images.at(-1))?.url ?? null;
}

/** Reads a playlist row. A row without a usable item becomes one with `item: null`, so that positions stay right. */
export function parseItem(value: unknown, position: number): Item {
  const raw = asObject(value);
  const media = asObject(raw?.item ?? raw?.track);
  const item = parseMedia(media);
  const linkedFrom = textOf(asObject(media?.linked_from)?.uri);
  const addedBy = textOf(asObject(raw?.added_by)?.id);
  return {
    position,
    added_at: textOf(raw?.added_at),
    item_type: item?.type ?? 'unknown',
    is_local: raw?.is_local === true || (item?.type === 'track' && item.is_local),
    item,
    ...(linkedFrom === null ? {} : { linked_from: linkedFrom }),
    ...(addedBy === null ? {} : { added_by: addedBy }),
  };
}

export function parseContext(value: unknown): Context | null {
  const raw = asObject(value);
  return raw ? { type: textOf(raw.type), uri: textOf(raw.uri), url: urlOf(raw) } : null;
}

export function parseDevice(value: unknown): Device | null {
  const raw = asObject(value);
  if (!raw) return null;
  return {
    id: textOf(raw.id),
    name: textOf(raw.name) ?? '',
    type: textOf(raw.type),
    is_active: raw.is_active === true,
    is_restricted: raw.is_restricted === true,
    is_private_session: raw.is_private_session === true,
    volume_percent: numberOf(raw.volume_percent),
    supports_volume: flagOf(raw.supports_volume),
  };
}
