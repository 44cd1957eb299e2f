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
  type Device,
  type Item,
  type Media,
  type Page,
  type Playlist,
  type Track,
  yearOf,
} from '../../domain/shapes.ts';

/** How the IDs of a list become links; sent once per list. */
const TRACK_LINKS = 'https://open.spotify.com/track/{id}';

const text = z.string().optional();
const flag = z.boolean().optional();
const number = z.number().optional();
const name = z.string();

/** The lean form of one shape, which a tool may answer alone: what it looks like, and how a full value becomes it. */
export interface LeanShape<F, S extends z.ZodObject = z.ZodObject> {
  schema: S;
  of(full: F): z.output<S>;
}

export function shape<F, S extends z.ZodObject>(schema: S, of: (full: F) => z.output<S>): LeanShape<F, S> {
  return { schema, of };
}

export const leanTrack = shape(
  z.object({ id: text, name, artists: text, album: text, duration: text, explicit: flag, local: flag }),
  ({ id, name, artists, album, duration_ms, explicit, is_local }: Track) =>
    compact({
      ...{ id, name, artists: artistNames(artists), album: album.name },
      ...{ duration: durationText(duration_ms), explicit, local: is_local },
    }),
);

/** A track, or an episode, which also has `type` and `show`. */
export const leanMedia = shape(
  leanTrack.schema.extend({ type: text, show: text }),
  (media: Media): z.output<typeof leanTrack.schema> & { type?: string; show?: string } => {
    if (media.type === 'track') return leanTrack.of(media);
    const { id, type, name, show, duration_ms } = media;
    return compact({ id, type, name, show: show.name, duration: durationText(duration_ms) });
  },
);

export const leanArtist = shape(
  z.object({ id: text, name, genres: z.array(z.string()).optional() }),
  ({ id, name, genres }: Artist) => compact({ id, name, genres: genres?.length ? genres : null }),
);

export const leanAlbum = shape(
  z.object({ id: text, name, artists: text, year: text, tracks: number }),
  ({ id, name, artists, release_date, total_tracks: tracks }: Album) =>
    compact({ id, name, artists: artistNames(artists), year: yearOf(release_date), tracks }),
);

export const leanAlbumTrack = shape(
  z.object({ id: text, name, artists: text, disc: number, track: number, duration: text, explicit: flag }),
  ({ id, name, artists, disc_number, track_number: track, duration_ms, explicit }: AlbumTrack) => {
    const disc = disc_number === 1 ? null : disc_number;
    const duration = durationText(duration_ms);
    return compact({ id, name, artists: artistNames(artists), disc, track, duration, explicit });
  },
);

export const leanPlaylist = shape(
  z.object({
    ...{ id: z.string(), name, items: number, owner: text },
    ...{ public: flag, collaborative: flag, description: text },
  }),
  ({ id, name, total_items: items, owner, collaborative, description, ...playlist }: Playlist) => {
    const told = { id, name, items, owner: owner.name ?? owner.id };
    return compact({ ...told, public: playlist.public, collaborative, description });
  },
);

export const leanItem = shape(
  leanMedia.schema.extend({ position: z.number(), name: text, added: text, unavailable: flag }),
  ({ position, added_at, is_local, item }: Item) => ({
    position,
    ...(item && leanMedia.of(item)),
    ...compact({ local: is_local, added: dateOf(added_at), unavailable: item === null }),
  }),
);

export const leanSaved = shape(
  leanTrack.schema.extend({ name: text, added: text, unavailable: flag }),
  ({ added_at, track }: { added_at: string | null; track: Track | null }) => ({
    ...(track && leanTrack.of(track)),
    ...compact({ added: dateOf(added_at), unavailable: track === null }),
  }),
);

export const leanSavedAlbum = shape(
  leanAlbum.schema.extend({ name: text, added: text }),
  ({ added_at, album }: { added_at: string | null; album: Album | null }) => ({
    ...(album && leanAlbum.of(album)),
    ...compact({ added: dateOf(added_at) }),
  }),
);

export const leanDevice = shape(
  z.object({
    ...{ id: text, name, type: text, volume_percent: number, is_active: flag },
    ...{ is_restricted: flag, is_private_session: flag, supports_volume: flag },
  }),
  ({ supports_volume, ...rest }: Device) => ({
    ...compact(rest),
    ...(supports_volume === false && { supports_volume }),
  }),
);

function artistNames(artists: readonly ArtistRef[]): string {
  return artists.map(({ name }) => name).join(', ');
}

/** Returns a length as a person reads it: `3:45`; null stays null. */
export function durationText(ms: number | null): string | null {
  return ms === null ? null : playingTime(ms);
}

function dateOf(time: string | null): string | null {
  return time?.slice(0, 10) ?? null;
}

/**
 * How a tool's full result becomes lean. Clients get `schema` from `tools/list`. A later version may add members to it, but
 * removes none.
 */
export interface LeanForm<F = never> {
  schema: z.ZodObject;
  of(full: F): Record<string, unknown>;
}

interface ListOptions {
  /** True if the rows hold tracks, so that the answer says how their IDs become links. */
  links?: boolean;
}

/** The lean form of a list; `next_offset` is absent at the end, and in a list without pages. */
export function leanList<F>(
  row: LeanShape<F>,
  { links = false }: ListOptions = {},
): LeanForm<Omit<Page<F>, 'limit' | 'offset' | 'next_offset'> & Partial<Page<F>>> {
  return {
    schema: z.object({
      items: z.array(row.schema),
      total: z.number(),
      next_offset: z.number().optional(),
      ...(links ? { links: z.string().optional() } : {}),
    }),
    of: ({ items, total, next_offset, ...rest }) => {
      const { truncated, note } = rest as { truncated?: boolean; note?: string };
      return {
        ...{ items: items.map(row.of), total },
        ...compact({ next_offset, truncated, note }),
        ...linksOf(links, items),
      };
    },
  };
}

/** The member `links`, if it is wanted and there is a row that is not an episode. */
export function linksOf(wanted: boolean, rows: readonly unknown[]): { links?: string } {
  const isEpisode = (row: unknown) => {
    const { type, item_type } = row as { type?: unknown; item_type?: unknown };
    return type === 'episode' || item_type === 'episode';
  };
  return wanted && !rows.every(isEpisode) ? { links: TRACK_LINKS } : {};
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
