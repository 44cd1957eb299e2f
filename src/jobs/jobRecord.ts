/** A job and its items as tools return them: times in ISO 8601, names in snake case. */
import { isoOf } from '../base/clock.ts';
import type { JobPayload } from '../domain/job.ts';
import { hasOwnWords, type Remedy, readRemedy, remedyText } from '../domain/remedy.ts';
import type { Track } from '../domain/shapes.ts';
import type { JobCandidate, JobItem } from '../store/tables/jobItems.ts';
import type { Job, JobError } from '../store/tables/jobs.ts';

interface JobErrorRecord {
  code: string;
  message: string;
  /** Plain text, as a model reads it. */
  remedy?: string;
  /** The same as a value, for surfaces that write commands in their own way. */
  fix?: Remedy;
}

export interface JobRecord {
  job_id: string;
  type: Job['type'];
  status: Job['status'];
  payload: JobPayload;
  /** The playlist written to; null for the library, and until a new playlist is created. */
  playlist_id: string | null;
  /** Of the playlist that it makes. */
  name?: string;
  total_items: number;
  pending: number;
  resolved: number;
  ambiguous: number;
  unmatched: number;
  failed: number;
  /** Left out by a person's decision. */
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

/** Items that wait for a person's decision. */
export function unresolvedOf({ ambiguous, unmatched, failed }: Job): number {
  return ambiguous + unmatched + failed;
}

export function jobRecord(job: Job): JobRecord {
  return {
    job_id: job.id,
    type: job.type,
    status: job.status,
    payload: job.payload,
    playlist_id: job.targetId,
    ...(job.payload.name === undefined ? {} : { name: job.payload.name }),
    total_items: job.totalItems,
    pending: job.totalItems - job.resolved - job.passedOver - unresolvedOf(job),
    resolved: job.resolved,
    ambiguous: job.ambiguous,
    unmatched: job.unmatched,
    failed: job.failed,
    skipped: job.passedOver,
    skipped_existing: job.skipped,
    written: job.written,
    attempts: job.attempts,
    max_attempts: job.maxAttempts,
    run_after: isoOf(job.runAfter),
    reason: job.reason,
    review_required: job.reviewRequired,
    error: job.error && withFix(job.error),
    result: job.result,
    created_at: new Date(job.createdAt).toISOString(),
    updated_at: new Date(job.updatedAt).toISOString(),
    started_at: isoOf(job.startedAt),
    completed_at: isoOf(job.completedAt),
  };
}

export interface ItemRecord {
  position: number;
  input: unknown;
  status: JobItem['status'];
  uri: string | null;
  track: Track | null;
  candidates?: JobCandidate[];
  error?: JobErrorRecord;
}

export function itemRecord({ candidates, error, ...item }: JobItem): ItemRecord {
  return {
    position: item.position,
    input: item.input,
    status: item.status,
    uri: item.uri,
    track: item.track,
    ...(candidates === null || candidates.length === 0 ? {} : { candidates }),
    ...(error === null ? {} : { error: errorRecord(error) }),
  };
}

function errorRecord({ code, message, remedy: stored }: JobError): JobErrorRecord {
  const remedy = readRemedy(stored);
  return { code, message, ...(remedy ? { remedy: remedyText(remedy) } : {}) };
}

function withFix(error: JobError): JobErrorRecord {
  const fix = readRemedy(error.remedy);
  return { ...errorRecord(error), ...(fix && hasOwnWords(fix) ? { fix } : {}) };
}
