/** Names and plain shapes of changes: what relay writes to a playlist, to the library or to a playlist's details. */
import * as z from 'zod';
import type { BulkJobType, JobType } from './job.ts';

/** The facts that all changes of a kind share. */
interface KindFacts {
  /** Type of the job that continues the change after its call has ended. */
  job: JobType;
  /** What the change did, in the words of `relay history`: `added 12 songs to "Evening"`. */
  words: (change: { songs: string; count: number; playlist: string; requested: number }) => string;
  /** True if the entries of the change are rows or tracks that it writes. */
  isListed?: true;
  /** True if the change writes to the library, and to no playlist. */
  isOfLibrary?: true;
  /** What the entries are, if not songs. */
  entry?: 'album';
  /** True if the change is never left half done: if it cannot be finished, the former rows are written back. */
  isRewriting?: true;
}

const KINDS = {
  add: {
    job: 'add_to_playlist',
    words: ({ songs, playlist }) => `added ${songs} to ${playlist}`,
    isListed: true,
  },
  remove: {
    job: 'remove_from_playlist',
    words: ({ songs, playlist }) => `removed ${songs} from ${playlist}`,
    isListed: true,
  },
  reorder: { job: 'reorder_playlist', words: ({ playlist }) => `moved songs in ${playlist}` },
  replace: {
    job: 'replace_playlist',
    words: ({ songs, count, playlist, requested }) => {
      if (requested === 0) return `emptied ${playlist}`;
      // None is known to be written: the answer may be lost, or others may have written.
      if (count === 0) return `began to replace the songs of ${playlist}`;
      return `replaced the songs of ${playlist} with ${songs}`;
    },
    isListed: true,
    isRewriting: true,
  },
  deduplicate: {
    job: 'deduplicate_playlist',
    words: ({ playlist }) => `removed duplicates from ${playlist}`,
    isRewriting: true,
  },
  create: {
    job: 'create_playlist',
    words: ({ songs, count, playlist }) => `created ${playlist}${count === 0 ? '' : ` with ${songs}`}`,
    isListed: true,
  },
  delete: { job: 'delete_playlist', words: ({ playlist }) => `deleted ${playlist}` },
  details: { job: 'update_playlist_details', words: ({ playlist }) => `changed the details of ${playlist}` },
  save: { job: 'save_tracks', words: ({ songs }) => `saved ${songs}`, isListed: true, isOfLibrary: true },
  unsave: {
    job: 'remove_saved_tracks',
    words: ({ songs }) => `removed ${songs} from Liked Songs`,
    isListed: true,
    isOfLibrary: true,
  },
  save_albums: {
    job: 'save_albums',
    words: ({ songs }) => `saved ${songs}`,
    ...{ isListed: true, isOfLibrary: true, entry: 'album' },
  },
  unsave_albums: {
    job: 'remove_saved_albums',
    words: ({ songs }) => `removed ${songs} from the library`,
    ...{ isListed: true, isOfLibrary: true, entry: 'album' },
  },
  /** Undoes another change. */
  undo: { job: 'undo', words: () => 'undid a change', isRewriting: true },
  /** Brings back a version of a playlist. */
  restore: {
    job: 'replace_playlist',
    words: ({ playlist }) => `brought back an earlier version of ${playlist}`,
    isRewriting: true,
  },
  /** Makes the rows of a playlist those of a query. */
  edit: {
    job: 'replace_playlist',
    words: ({ playlist }) => `rearranged ${playlist} by a query`,
    isRewriting: true,
  },
  /** Updates a kept playlist to the result of its query. */
  keep: {
    job: 'replace_playlist',
    words: ({ playlist }) => `updated ${playlist} by its rule`,
    isRewriting: true,
  },
} satisfies Readonly<Record<string, KindFacts>>;

/** What was asked for, as `relay history` shows it. */
export type ChangeKind = keyof typeof KINDS;
export const CHANGE_KINDS = Object.keys(KINDS) as [ChangeKind, ...ChangeKind[]];

export function kindFacts(kind: ChangeKind): KindFacts {
  return KINDS[kind];
}

/** The kind of change that a job of this type makes. */
export function kindOfJob(type: BulkJobType): ChangeKind {
  return CHANGE_KINDS.find((kind) => KINDS[kind].job === type) ?? 'add';
}

/** How a change ended. A change without an outcome is still open; its job says when it continues. */
export const CHANGE_OUTCOMES = [
  'done',
  /** Stopped part-way: what was written stays. */
  'partial',
  'rolled_back',
  /** Ended before anything was written. */
  'unchanged',
] as const;
export type ChangeOutcome = (typeof CHANGE_OUTCOMES)[number];

/** The state of a change as it is shown: its outcome or, while it is open, what it and its job are doing. */
const SHOWN_STATES = [
  'writing',
  /** What was there is being written back, since the change cannot be finished. */
  'rolling_back',
  /** The change's job was cancelled; a request is still on its way. */
  'cancelling',
  /** The change waits until a time, or for a login or the network. */
  'waiting',
  /** The change's job has failed. The change waits until somebody resumes the job, or undoes the change. */
  'stopped',
  /** Someone else changed the target: a person decides. */
  'review',
  ...CHANGE_OUTCOMES,
] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

/** Details of a playlist. An undefined detail is left as it is when details are written, and was not read when they are read. */
export interface DetailValues {
  name?: string | undefined;
  description?: string | undefined;
  public?: boolean | undefined;
  collaborative?: boolean | undefined;
}

/** One operation of a change. What is planned may have long lists; they are cut into one operation for each request. */
export type ChangeOp =
  | { op: 'append'; uris: readonly string[] }
  /** Inserts at most 100 rows at a 0-based position. */
  | { op: 'insert'; uris: readonly string[]; at: number }
  /** Removes every occurrence of each URI; at most 100 URIs. */
  | { op: 'remove'; uris: readonly string[] }
  /** Replaces all rows with these; at most 100. */
  | { op: 'put'; uris: readonly string[] }
  /** Moves `length` rows from `start` to before the row at `before`. Positions are 0-based, as before the move. */
  | { op: 'move'; start: number; length: number; before: number; snapshot?: string | undefined }
  /** `mayFail`: if Spotify refuses the values, the old ones stay and the change continues. */
  | { op: 'details'; set: DetailValues; mayFail?: boolean }
  /**
   * `known`: IDs of the playlists that had this name before, so that the new one can be told apart if the answer is lost; null
   * if they were not read.
   */
  | { op: 'create'; details: DetailValues & { name: string }; known: readonly string[] | null }
  /** `playlist`: its ID, where one work takes several playlists off the list. */
  | { op: 'follow' | 'unfollow'; playlist?: string }
  | { op: 'save'; uris: readonly string[] }
  | { op: 'unsave'; uris: readonly string[] };

/** What was there before a change. Parts that are not known are left out. */
export interface Former {
  /** URIs of all rows in order; an empty string for a row that Spotify no longer offers, or that was not read. */
  rows?: readonly string[];
  details?: DetailValues;
  /** The tracks of the change that were saved before it. */
  saved?: readonly string[];
}

/** A change as `list_changes` and `relay history` show it. */
export const ChangeSummary = z.object({
  change_id: z.string(),
  kind: z.enum(CHANGE_KINDS),
  state: z.enum(SHOWN_STATES),
  /** ID of the playlist; null for the library, and for a playlist that is not created yet. */
  playlist_id: z.string().nullable(),
  /** Left out if not known. */
  playlist_name: z.string().optional(),
  /** `tool NAME`, `job ID`, `keep ID`, `relay undo` or `owner page`. */
  asked_by: z.string(),
  requested: z.number(),
  written: z.number(),
  /** When the change was recorded, ISO 8601. */
  at: z.string(),
  /** ID of the change that this one undid. */
  undoes: z.string().optional(),
  undone_by: z.string().optional(),
  can_undo: z.boolean(),
});
export type ChangeSummary = z.infer<typeof ChangeSummary>;

/** The number of songs, and the names of the first ones. */
const Songs = z.object({ count: z.number(), first: z.array(z.string()) });

/** What an undo did or would do. */
export const UndoResult = z.object({
  ok: z.boolean(),
  summary: z.string().describe('What it does, in a sentence'),
  undone: z.string().describe('The change that was taken back'),
  change_id: z.string().optional().describe('The undo itself'),
  job_id: z.string().optional().describe('The job that continues the undo by itself'),
  reason: z.string().optional().describe('Why the undo is not finished yet'),
  playlist_id: z.string().nullable(),
  together: z.number().optional().describe('Playlists of one import that it takes back together'),
  dry_run: z.boolean(),
  requests: z.number().describe('Requests that change something'),
  /** null if the undo changes no rows, or if the number is not known yet. */
  rows: z.number().nullable().describe('Rows of the playlist afterwards'),
  removed: z.number().nullable().describe('Rows of the playlist that go'),
  notes: z.array(z.string()).describe('What does not come back'),
  added: Songs.describe('Songs that come back'),
  taken: Songs.describe('Songs that go'),
});
export type UndoResult = z.infer<typeof UndoResult>;
