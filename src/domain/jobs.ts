/** Names and plain shapes of durable jobs, which the state, the runner and the tools share. */

export const JOB_TYPES = [
  'add_to_playlist',
  'create_playlist',
  'replace_playlist',
  'save_tracks',
  'remove_saved_tracks',
] as const;
export type JobType = (typeof JOB_TYPES)[number];

export const JOB_STATUSES = [
  'pending',
  'resolving',
  'waiting',
  'ready',
  'committing',
  'completed',
  'failed',
  'cancelled',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Which half of its life a job is in; a job that waits or has failed goes on with this one. */
export type JobPhase = 'resolve' | 'commit';

export const ITEM_STATUSES = [
  /** Not looked up yet. */
  'pending',
  /** Found for sure, not written yet. */
  'matched',
  'ambiguous',
  'unmatched',
  /** Given up: searching for it failed too often, or the provider refuses to take it. */
  'failed',
  /** Found, but left out: the target holds it already, or the list names it twice. */
  'skipped_existing',
  'written',
] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** A type, not an interface: it is stored and answered as any JSON object is. */
export type JobPayload = {
  /** Of the playlist to write to; `add_to_playlist` and `replace_playlist` only. */
  playlist_id?: string | undefined;
  /** Of the playlist to make; `create_playlist` only, like the next two. */
  name?: string | undefined;
  description?: string | undefined;
  public?: boolean | undefined;
  /** true: nothing is written unless every item resolves. */
  strict: boolean;
  /** true: resolve only. */
  dry_run: boolean;
  /** true: what the playlist holds already is left out; `add_to_playlist` only. */
  skip_existing: boolean;
  /** true: what the list names twice is written once. */
  skip_duplicates: boolean;
};
