/** Kept playlists, each of which follows the result of a query. */
import { MAX_ROWS } from './rows.ts';
import type { KeepPreview } from './shapes.ts';

export type { KeepPreview } from './shapes.ts';

export const KEEP_INTERVALS = ['hour', 'day', 'week'] as const;
export type KeepInterval = (typeof KEEP_INTERVALS)[number];

/**
 * `active`: runs when it is due. `waiting`: waits until the library can be read, a limit or a write is over, or the owner logs
 * in. `review`: waits for a person's decision. `paused`: does not run until it is resumed.
 */
export const KEEP_STATUSES = ['active', 'waiting', 'review', 'paused'] as const;
type KeepStatus = (typeof KEEP_STATUSES)[number];

export const KEEP_ACTIONS = ['run', 'pause', 'resume', 'stop', 'accept'] as const;
export type KeepAction = (typeof KEEP_ACTIONS)[number];

/** A kept playlist as tools, the command line and the page show it. Times are ISO 8601. */
export interface KeepRecord {
  /** ID of the kept playlist; null in a dry run. */
  id: string | null;
  /** ID of the playlist at Spotify; null until it is created. */
  playlist_id: string | null;
  name: string;
  /** The query, as it would run now. */
  sql: string;
  /** The ready rule that makes the query, in words; none for a query that was written by hand. */
  rule?: string;
  every: KeepInterval;
  /** `stopped` only in the answer to `stop`. */
  status: KeepStatus | 'stopped';
  /** null before the first run. */
  last_run_at: string | null;
  /** When the next run is due, or a failed run is tried again; null if paused, in a dry run, and after `stop`. */
  next_run_at: string | null;
  /** Why the kept playlist waits, or what a person has to review. */
  reason?: string;
  /** What the last run did. */
  last_result?: string;
  /** ID of the last change that a run made. */
  last_change_id?: string;
  /** What the run in review would do; only in review. */
  preview?: KeepPreview;
}

export const EMPTY_PREVIEW: KeepPreview = {
  total: 0,
  added: [],
  removed: [],
  added_count: 0,
  removed_count: 0,
  left_out: 0,
};

/** True if the preview tells nothing, for example because the query failed. */
export function isEmptyPreview({ total, added_count, removed_count, left_out }: KeepPreview): boolean {
  return total + added_count + removed_count + left_out === 0;
}

/** True if a kept playlist waits for a run that a person can approve. Otherwise something else has to change first. */
export function isApprovable({ status, preview = EMPTY_PREVIEW }: KeepRecord): boolean {
  return status === 'review' && !isEmptyPreview(preview) && preview.total <= MAX_ROWS;
}

export const INTERVAL_MS: Readonly<Record<KeepInterval, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};
