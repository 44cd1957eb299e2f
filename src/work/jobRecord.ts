/** A job and its items as tools return them: times in ISO 8601, names in snake case. */
import { isoOf } from '../base/clock.ts';
import { kindFacts } from '../domain/change.ts';
import type { ItemRecord, JobErrorRecord, JobRecord } from '../domain/job.ts';
import { hasOwnWords, readRemedy, remedyText } from '../domain/remedy.ts';
import type { Store } from '../store/store.ts';
import { countItems, type ListedItem } from '../store/tables/items.ts';
import type { Work, WorkError } from '../store/tables/works.ts';

export { type ItemRecord, type JobRecord, unresolvedOf } from '../domain/job.ts';

export function jobRecord(store: Store, work: Work): JobRecord {
  const { skipped, passedOver, ...counts } = countItems(store, work.seq);
  const { payload } = work;
  return {
    job_id: work.id,
    type: kindFacts(work.kind).job,
    status: work.status,
    phase: work.phase,
    payload,
    playlist_id: work.playlistId,
    // If the payload also has the ID of a playlist, `name` is not the name of that playlist.
    ...(payload.playlist_id === undefined && payload.name !== undefined && { name: payload.name }),
    total_items: work.totalItems,
    ...counts,
    skipped: passedOver,
    skipped_existing: skipped,
    attempts: work.attempts,
    max_attempts: work.maxAttempts,
    run_after: isoOf(work.runAfter),
    reason: work.status === 'waiting' ? work.reason : null,
    review_required: work.reviewRequired,
    error: work.error && withFix(work.error),
    result: work.result,
    created_at: isoOf(work.createdAt),
    updated_at: isoOf(work.updatedAt),
    started_at: isoOf(work.startedAt),
    completed_at: isoOf(work.completedAt),
  };
}

export function itemRecord({ candidates, error, confirmed, ...item }: ListedItem): ItemRecord {
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

function errorRecord({ code, message, remedy: stored }: WorkError): JobErrorRecord {
  const remedy = readRemedy(stored);
  return { code, message, ...(remedy ? { remedy: remedyText(remedy) } : {}) };
}

function withFix(error: WorkError): JobErrorRecord {
  const fix = readRemedy(error.remedy);
  return { ...errorRecord(error), ...(fix && hasOwnWords(fix) ? { fix } : {}) };
}
