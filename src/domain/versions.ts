/** Versions of playlists: the rows as relay read them once. Answers of tools are zod schemas, as in `shapes.ts`. */
import * as z from 'zod';

/** One version. `added` and `removed` count the rows that came and went since the version kept before it. */
const PlaylistVersion = z.object({
  version: z.number(),
  /** When the rows were read, ISO 8601. */
  seen_at: z.string(),
  total: z.number(),
  added: z.number(),
  removed: z.number(),
});
export type PlaylistVersion = z.infer<typeof PlaylistVersion>;

/** A row of a version. All but `added_at` are null if the provider named no item. */
export interface VersionRow {
  uri: string | null;
  name: string | null;
  artist: string | null;
  album: string | null;
  kind: 'track' | 'episode' | 'local' | null;
  /** ISO 8601; null if it is not known. */
  added_at: string | null;
}

/** The versions of one playlist, newest first. */
export const PlaylistVersions = z.object({
  playlist_id: z.string(),
  name: z.string(),
  present: z.boolean().describe('false: it is not in the account any more'),
  items: z.array(PlaylistVersion),
});
export type PlaylistVersions = z.infer<typeof PlaylistVersions>;

const UnsupportedRow = z.object({
  /** 0-based position in the version or, for a row that would be removed, in the present playlist. */
  position: z.number(),
  uri: z.string().nullable(),
  name: z.string().nullable(),
  /** `local`: a local file. `gone`: Spotify no longer offers it. */
  reason: z.enum(['local', 'gone']),
});
export type UnsupportedRow = z.infer<typeof UnsupportedRow>;

/** What bringing back a version does, or would do. */
export const RestoreAnswer = z.object({
  ok: z.boolean(),
  playlist_id: z.string(),
  version: z.number(),
  dry_run: z.boolean(),
  added_count: z.number(),
  removed_count: z.number(),
  /** Number of rows that only change their position. */
  moved_count: z.number(),
  /** Rows that cannot be written. They are left out if that was asked for; otherwise nothing is written. */
  unsupported: z.array(UnsupportedRow),
  change_id: z.string().optional(),
  job_id: z.string().optional(),
  note: z.string().optional(),
});
export type RestoreAnswer = z.infer<typeof RestoreAnswer>;
