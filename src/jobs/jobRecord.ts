/** A job and its items as tools return them: times in ISO 8601, names in snake case. */
import { isoOf } from '../base/clock.ts';
import { type ItemRecord, type JobErrorRecord, type JobRecord, unresolvedOf } from '../domain/job.ts';
import { hasOwnWords, readRemedy, remedyText } from '../domain/remedy.ts';
import type { JobItem } from '../store/tables/jobItems.ts';
import type { Job, JobError } from '../store/tables/jobs.ts';

export { type ItemRecord, type JobRecord, unresolvedOf } from '../domain/job.ts';

export function jobRecord(job: Job): JobRecord {
  return {
    job_id: job.id,
    type: job.type,
    status: job.status,
    phase: job.phase,
    payload: job.payload,
    playlist_id: job.targetId,
    // If the payload also has the ID of a playlist, `name` is not the name of that playlist.
    ...(job.payload.name === undefined || job.payload.playlist_id !== undefined
      ? {}
      : { name: job.payload.name }),
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
    reason: job.status === 'waiting' ? job.reason : null,
    review_required: job.reviewRequired,
    error: job.error && withFix(job.error),
    result: job.result,
    created_at: isoOf(job.createdAt),
    updated_at: isoOf(job.updatedAt),
    started_at: isoOf(job.startedAt),
    completed_at: isoOf(job.completedAt),
  };
}

export function itemRecord({ candidates, error, confirmed, ...item }: JobItem): ItemRecord {
  return {
    position: item.position,
    input: item.input,
    status: item.status,
    uri: item.uri,
    track: item.track,
    ...(confirmed === 1 ? { confirmed: true as const } : {}),
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
