/** Names and plain shapes of durable jobs, which the state, the runner and the tools share. */
import type { Remedy } from './remedy.ts';
import type { Track } from './shapes.ts';

/** Kinds of jobs that `create_bulk_job` makes. */
export const BULK_JOB_TYPES = [
  'add_to_playlist',
  'create_playlist',
  'replace_playlist',
  'save_tracks',
  'remove_saved_tracks',
] as const;
export type BulkJobType = (typeof BULK_JOB_TYPES)[number];

/** All types. Those that are not bulk jobs continue a tool call that took too long. */
export const JOB_TYPES = [
  ...BULK_JOB_TYPES,
  'save_albums',
  'remove_saved_albums',
  'remove_from_playlist',
  'reorder_playlist',
  'deduplicate_playlist',
  'update_playlist_details',
  'delete_playlist',
  'undo',
] as const;
export type JobType = (typeof JOB_TYPES)[number];

/** How often a job tries a song or a write, unless `create_bulk_job` was given another number. */
export const JOB_ATTEMPTS = 5;

/**
 * Every state of a job, by group. `working` jobs continue by themselves; `open` jobs wait for a time, a login or `commit_job`.
 * Of the `ended` jobs, only `failed` ones can be resumed.
 */
const STATUS_GROUPS = {
  pending: 'working',
  resolving: 'working',
  waiting: 'open',
  ready: 'open',
  committing: 'working',
  completed: 'ended',
  failed: 'ended',
  cancelled: 'ended',
} as const;
export type JobStatus = keyof typeof STATUS_GROUPS;
type JobStatusGroup = (typeof STATUS_GROUPS)[JobStatus];

export const JOB_STATUSES = Object.keys(STATUS_GROUPS) as [JobStatus, ...JobStatus[]];

export function statusesIn(group: JobStatusGroup): JobStatus[] {
  return JOB_STATUSES.filter((status) => STATUS_GROUPS[status] === group);
}

export function isEnded(status: JobStatus): boolean {
  return STATUS_GROUPS[status] === 'ended';
}

/** True for a state in which the runner works on the job without being asked. */
export function isWorking(status: JobStatus): boolean {
  return STATUS_GROUPS[status] === 'working';
}

export const JOB_PHASES = ['resolve', 'commit'] as const;
/** A job first looks up its items, then writes them. A job that waits or has failed continues in the same phase. */
export type JobPhase = (typeof JOB_PHASES)[number];

/** True if nobody can decide about items any more: the job has begun to write, is completed or was cancelled. */
export function isPastSettling({ status, phase }: Pick<JobRecord, 'status' | 'phase'>): boolean {
  return status === 'completed' || status === 'cancelled' || phase === 'commit';
}

export const ITEM_STATUSES = [
  /** The item has not been looked up, or is tried again after a failed search. */
  'pending',
  /** Found for sure, not written yet. */
  'matched',
  'ambiguous',
  'unmatched',
  /** Given up: searches for the item failed too often, or the provider refuses to take it. */
  'failed',
  /** A person decided to leave the item out. */
  'skipped',
  /** Found, but left out: the target holds it already, or the list names it twice. */
  'skipped_existing',
  'written',
] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** States of items that name a track for sure. */
export const RESOLVED_STATUSES: readonly ItemStatus[] = ['matched', 'skipped_existing', 'written'];

/** States of items that wait for a person's decision. */
export const UNRESOLVED_STATUSES: readonly ItemStatus[] = ['ambiguous', 'unmatched', 'failed'];

/** A type, since an interface does not pass as a JSON object (`Record<string, unknown>`). */
export type JobPayload = {
  /** ID of the playlist to write to; `add_to_playlist` and `replace_playlist` only. */
  playlist_id?: string | undefined;
  /** Name of the playlist to make; `create_playlist` only, like the next two. */
  name?: string | undefined;
  description?: string | undefined;
  public?: boolean | undefined;
  /** True to write nothing unless every item resolves. */
  strict: boolean;
  /** True to resolve the items and write nothing. */
  dry_run: boolean;
  /** True to leave out what the playlist holds already; `add_to_playlist` only. */
  skip_existing: boolean;
  /** True to write a song only once even if the list names it several times. */
  skip_duplicates: boolean;
};

export interface JobErrorRecord {
  code: string;
  message: string;
  /** Plain text, as a model reads it. */
  remedy?: string;
  /** The remedy as a value, for surfaces that write commands in their own way. */
  fix?: Remedy;
}

/** A job as tools and the local API answer it: times in ISO 8601, names in snake case. */
export interface JobRecord {
  job_id: string;
  type: JobType;
  status: JobStatus;
  phase: JobPhase;
  payload: JobPayload;
  /** The playlist written to; null for the library, and until a new playlist is created. */
  playlist_id: string | null;
  /** Name of the playlist to create. */
  name?: string;
  total_items: number;
  pending: number;
  resolved: number;
  /**
   * How many of `resolved` were found by a remembered match that was confirmed although its names differ. Left out if 0, and in
   * lists of jobs.
   */
  confirmed?: number;
  /** How many of `resolved` were found by forgiving a typo. Left out like `confirmed`. */
  spelling?: number;
  ambiguous: number;
  unmatched: number;
  failed: number;
  /** Items that a person decided to leave out. */
  skipped: number;
  skipped_existing: number;
  written: number;
  attempts: number;
  max_attempts: number;
  run_after: string | null;
  reason: string | null;
  review_required: boolean;
  error: JobErrorRecord | null;
  result: Record<string, unknown> | null;
  created_at: string;
  updated_at: string;
  started_at: string | null;
  completed_at: string | null;
}

/** True for a dry run that has ended. Any other job has its last phase behind it once it is completed. */
export function isDryRunOver({ status, phase }: Pick<JobRecord, 'status' | 'phase'>): boolean {
  return status === 'completed' && phase === 'resolve';
}

/** Counts the items that wait for a person's decision. */
export function unresolvedOf({
  ambiguous,
  unmatched,
  failed,
}: Pick<JobRecord, 'ambiguous' | 'unmatched' | 'failed'>): number {
  return ambiguous + unmatched + failed;
}

/** A track that may be the one asked for. */
export interface JobCandidate {
  track: Track;
  /** 0 to 1, in thousandths; accepted candidates score above 0.4, near misses below. */
  score: number;
  /** Stable codes, listed in `music/README.md`. */
  reasons: string[];
}

/** True for a candidate that counts although the query has a typo in its title or artist. */
export const isBySpelling = ({ reasons }: Pick<JobCandidate, 'reasons'>): boolean =>
  reasons.includes('spelling');

export interface ItemRecord {
  position: number;
  input: unknown;
  status: ItemStatus;
  uri: string | null;
  track: Track | null;
  /** Tracks that come near; of an item that was found by forgiving a typo, that track. */
  candidates?: JobCandidate[];
  /** True if the item was found by a remembered match that was confirmed although its names differ. */
  confirmed?: true;
  error?: JobErrorRecord;
}

/** True for an item that was found by forgiving a typo, and was not refused afterwards. */
export function isForgiven({ status, candidates = [] }: ItemRecord): boolean {
  return RESOLVED_STATUSES.includes(status) && candidates.some(isBySpelling);
}

/** How many characters of the ID of a job or a change are shown to people. Commands accept these instead of the whole ID. */
const SHORT_ID = 8;

export function shortId(id: string): string {
  return id.slice(0, SHORT_ID);
}
