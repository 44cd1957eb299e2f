/**
 * Zod schemas for the music data in tool results. Each gives the TypeScript type, the check of every result and the JSON
 * Schema in `tools/list`. What the provider leaves out is `null` here; lean results leave it out.
 */
import * as z from 'zod';

const Url = z.string().nullable().describe('Link that opens it in Spotify');
const Uri = z.string().describe('Spotify URI');

export const ArtistRef = z.object({ id: z.string().nullable(), name: z.string() });

export const Track = z.object({
  id: z.string().nullable().describe('null for local files'),
  uri: Uri,
  type: z.literal('track'),
  name: z.string(),
  artists: z.array(ArtistRef),
  album: z.object({
    id: z.string().nullable(),
    name: z.string().nullable(),
    release_date: z.string().nullable(),
  }),
  duration_ms: z.number().nullable(),
  explicit: z.boolean().nullable(),
  is_local: z.boolean(),
  isrc: z.string().nullable(),
  url: Url,
});

export const Episode = z.object({
  id: z.string().nullable(),
  uri: Uri,
  type: z.literal('episode'),
  name: z.string(),
  show: z.object({ id: z.string().nullable(), name: z.string().nullable(), uri: z.string().nullable() }),
  duration_ms: z.number().nullable(),
  release_date: z.string().nullable(),
  explicit: z.boolean().nullable(),
  url: Url,
});

export const Artist = z.object({
  id: z.string().nullable(),
  uri: Uri,
  name: z.string(),
  genres: z.array(z.string()).nullable(),
  url: Url,
});

export const Album = z.object({
  id: z.string().nullable(),
  uri: Uri,
  name: z.string(),
  artists: z.array(ArtistRef),
  album_type: z.string().nullable(),
  release_date: z.string().nullable(),
  total_tracks: z.number().nullable(),
  url: Url,
});

/** A row of an album. */
export const AlbumTrack = z.object({
  id: z.string().nullable(),
  uri: Uri,
  name: z.string(),
  artists: z.array(ArtistRef),
  disc_number: z.number().nullable(),
  track_number: z.number().nullable(),
  duration_ms: z.number().nullable(),
  explicit: z.boolean().nullable(),
  url: Url,
});

export const Playlist = z.object({
  id: z.string(),
  uri: Uri,
  name: z.string(),
  description: z.string().nullable(),
  public: z.boolean().nullable().describe('Shown on the profile; Spotify does not keep this reliably'),
  collaborative: z.boolean().nullable(),
  owner: z.object({ id: z.string().nullable(), name: z.string().nullable() }),
  snapshot_id: z.string().nullable(),
  total_items: z.number().nullable(),
  url: Url,
});

/** A track or an episode. */
export const Media = z.union([Track, Episode]);

export const Item = z.object({
  position: z.number().describe('0-based position in the playlist'),
  added_at: z.string().nullable(),
  item_type: z.enum(['track', 'episode', 'unknown']).describe('"unknown" where Spotify names no item'),
  is_local: z.boolean(),
  item: Media.nullable().describe('null if Spotify no longer offers the item'),
});

export const Context = z.object({
  type: z.string().nullable(),
  uri: z.string().nullable(),
  url: Url,
});

export const Device = z.object({
  id: z.string().nullable(),
  name: z.string(),
  type: z.string().nullable(),
  is_active: z.boolean(),
  is_restricted: z.boolean().describe('true: takes no commands'),
  is_private_session: z.boolean(),
  volume_percent: z.number().nullable(),
  supports_volume: z.boolean().nullable(),
});

export type ArtistRef = z.infer<typeof ArtistRef>;
export type Track = z.infer<typeof Track>;
export type Episode = z.infer<typeof Episode>;
export type Media = z.infer<typeof Media>;
export type Artist = z.infer<typeof Artist>;
export type Album = z.infer<typeof Album>;
export type AlbumTrack = z.infer<typeof AlbumTrack>;
export type Playlist = z.infer<typeof Playlist>;
/**
 * `linked_from`: the URI that the row was added with, if Spotify shows the row under another URI. `added_by`: ID of the user
 * who added the row, if Spotify names one. Tool results omit both.
 */
export type Item = z.infer<typeof Item> & { linked_from?: string; added_by?: string };
export type Context = z.infer<typeof Context>;
export type Device = z.infer<typeof Device>;

/** Makes the schema for one page of a list. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    total: z.number(),
    limit: z.number(),
    offset: z.number(),
    next_offset: z.number().nullable().describe('Give this as offset for the next page; null at the end'),
  });
}

export interface Page<T> {
  items: T[];
  total: number;
  limit: number;
  offset: number;
  next_offset: number | null;
  /** The offset of each item, if some of the provider's rows were dropped. Tool results omit this. */
  places?: number[];
}

export type KeepRow = KeepPreview['added'][number];
export type KeepPreview = z.infer<ReturnType<typeof keepPreview>>;

/** Makes the schema for what a run of a kept playlist would do. */
export function keepPreview() {
  const rows = z
    .array(z.object({ uri: z.string(), name: z.string().optional(), artist: z.string().optional() }))
    .describe('The first 10');
  return z.object({
    total: z.number().describe('Rows afterwards'),
    added: rows,
    removed: rows,
    added_count: z.number(),
    removed_count: z.number(),
    moved_count: z.number().optional().describe('Rows that only change their position, if any do'),
    left_out: z
      .number()
      .describe(
        'Rows left out: local files, songs that are gone, and what is neither a track nor an episode',
      ),
  });
}

/** Returns the year that a release date begins with; null without a year, or if the provider does not know the year ("0000"). */
export function yearOf(releaseDate: string | null): string | null {
  const year = /^\d{4}/u.exec(releaseDate ?? '')?.[0];
  return year === undefined || year === '0000' ? null : year;
}
