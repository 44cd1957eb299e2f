/**
 * The lean form of every shape that tools answer with: what a model needs to continue, since each token costs. A lean form
 * leaves out members that are null, that are false by default, or that follow from others; `detail: "full"` has everything.
 */
import * as z from 'zod';
import { playingTime } from '../../base/clock.ts';
import {
  type Album,
  type AlbumTrack,
  type Artist,
  type ArtistRef,
  type Context,
  type Device,
  type Episode,
  type Item,
  type Media,
  type Playlist,
  type Track,
  yearOf,
} from '../../domain/shapes.ts';

/** How the IDs of a list become links; sent once per list. */
export const TRACK_LINKS = 'https://open.spotify.com/track/{id}';

const text = z.string().optional();
const flag = z.boolean().optional();
const number = z.number().optional();

export const LeanTrack = z.object({
  id: text,
  name: z.string(),
  artists: text,
  album: text,
  duration: text,
  explicit: flag,
  local: flag,
});

/** A track, or an episode, which also has `type` and `show`. */
export const LeanMedia = LeanTrack.extend({ type: text, show: text });

export const LeanArtist = z.object({ id: text, name: z.string(), genres: z.array(z.string()).optional() });

export const LeanAlbum = z.object({
  id: text,
  name: z.string(),
  artists: text,
  year: text,
  tracks: number,
});

export const LeanAlbumTrack = z.object({
  id: text,
  name: z.string(),
  artists: text,
  disc: number,
  track: number,
  duration: text,
  explicit: flag,
});

export const LeanPlaylist = z.object({
  id: z.string(),
  name: z.string(),
  items: number,
  owner: text,
  public: flag,
  collaborative: flag,
  description: text,
});

export const LeanItem = LeanMedia.extend({
  position: z.number(),
  name: text,
  added: text,
  unavailable: flag,
});

export const LeanSaved = LeanTrack.extend({ name: text, added: text, unavailable: flag });

export const LeanDevice = z.object({
  id: text,
  name: z.string(),
  type: text,
  volume_percent: number,
  is_active: flag,
  is_restricted: flag,
  is_private_session: flag,
  supports_volume: flag,
});

export function leanTrack(track: Track): z.infer<typeof LeanTrack> {
  return compact({
    id: track.id,
    name: track.name,
    artists: artistNames(track.artists),
    album: track.album.name,
    duration: durationText(track.duration_ms),
    explicit: track.explicit,
    local: track.is_local,
  });
}

function leanEpisode(episode: Episode): z.infer<typeof LeanMedia> {
  return compact({
    id: episode.id,
    type: episode.type,
    name: episode.name,
    show: episode.show.name,
    duration: durationText(episode.duration_ms),
  });
}

export function leanMedia(media: Media): z.infer<typeof LeanMedia> {
  return media.type === 'track' ? leanTrack(media) : leanEpisode(media);
}

export function leanArtist({ id, name, genres }: Artist): z.infer<typeof LeanArtist> {
  return compact({ id, name, genres: genres?.length ? genres : null });
}

export function leanAlbum(album: Album): z.infer<typeof LeanAlbum> {
  return compact({
    id: album.id,
    name: album.name,
    artists: artistNames(album.artists),
    year: yearOf(album.release_date),
    tracks: album.total_tracks,
  });
}

export function leanAlbumTrack(track: AlbumTrack): z.infer<typeof LeanAlbumTrack> {
  return compact({
    id: track.id,
    name: track.name,
    artists: artistNames(track.artists),
    disc: track.disc_number === 1 ? null : track.disc_number,
    track: track.track_number,
    duration: durationText(track.duration_ms),
    explicit: track.explicit,
  });
}

export function leanPlaylist(playlist: Playlist): z.infer<typeof LeanPlaylist> {
  return compact({
    id: playlist.id,
    name: playlist.name,
    items: playlist.total_items,
    owner: playlist.owner.name ?? playlist.owner.id,
    public: playlist.public,
    collaborative: playlist.collaborative,
    description: playlist.description,
  });
}

export function leanItem({ position, added_at, is_local, item }: Item): z.infer<typeof LeanItem> {
  return compact({
    position,
    ...(item ? leanMedia(item) : {}),
    local: is_local,
    added: dateOf(added_at),
    unavailable: item === null,
  });
}

export function leanSaved({
  added_at,
  track,
}: {
  added_at: string | null;
  track: Track | null;
}): z.infer<typeof LeanSaved> {
  return compact({
    ...(track ? leanTrack(track) : {}),
    added: dateOf(added_at),
    unavailable: track === null,
  });
}

export function leanDevice(device: Device): z.infer<typeof LeanDevice> {
  const { supports_volume, ...rest } = device;
  return { ...compact(rest), ...(supports_volume === false ? { supports_volume } : {}) };
}

/** URI of the album, playlist or other context that something is played from. */
export function leanContext(context: Context | null): string | null {
  return context?.uri ?? null;
}

function artistNames(artists: readonly ArtistRef[]): string {
  return artists.map(({ name }) => name).join(', ');
}

/** Returns a length as a person reads it: `3:45`; null stays null. */
export function durationText(ms: number | null): string | null {
  return ms === null ? null : playingTime(ms);
}

/** The date of a time from the provider. */
function dateOf(time: string | null): string | null {
  return time?.slice(0, 10) ?? null;
}

/** Drops empty members: null, undefined, false and ''. */
export function compact<T extends object>(object: T): Compact<T> {
  return Object.fromEntries(
    Object.entries(object).filter(
      ([, value]) => value !== null && value !== undefined && value !== false && value !== '',
    ),
  ) as Compact<T>;
}

type Says<T> = Exclude<T, null | undefined | false>;
/** A member stays required unless its value may be null, undefined or false. A text counts as required, although '' is dropped. */
type Compact<T> = {
  [K in keyof T as [T[K]] extends [Says<T[K]>] ? K : never]: T[K];
} & {
  [K in keyof T as [T[K]] extends [Says<T[K]>] ? never : K]?: Says<T[K]>;
};
