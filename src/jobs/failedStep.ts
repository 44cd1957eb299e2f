/** What happens to a job whose step failed: it waits, or it fails. */

import type { RelayError } from '../domain/errors.ts';
import { type FailureClass, failureClassOf } from '../domain/failureClass.ts';
import { isWorking } from '../domain/job.ts';
import { growingDelay, pauseAfter } from '../domain/pause.ts';
import { getPlan } from '../store/tables/jobIntents.ts';
import { getJobBySeq, type Job, type JobChange } from '../store/tables/jobs.ts';
import { errorFacts, type JobContext, move } from './context.ts';

/** Maximum previous rows that a failed replacement lists. */
const MAX_LISTED = 1_000;

const PARKED: readonly FailureClass[] = ['limit', 'login', 'account'];

/** @throws RelayError `STORE_ERROR` */
export async function afterFailure(context: JobContext, before: Job, error: RelayError): Promise<void> {
  const job = getJobBySeq(context.store, before.seq);
  if (!job || !isWorking(job.status)) return;
  const now = context.clock.now();
  const failureClass = failureClassOf(error);
  if (PARKED.includes(failureClass)) {
    const { until } = pauseAfter(error, { failures: 1, now, fraction: context.random.fraction() });
    await move(context, job, 'waiting', { runAfter: until, reason: error.code });
    return;
  }
  const stepAttempts = job.stepAttempts + 1;
  const attempts = Math.max(job.attempts, stepAttempts);
  const mayPass =
    failureClass === 'connectivity' || error.code === 'PARTIAL_WRITE' || error.code === 'INTERNAL';
  if (mayPass && stepAttempts < job.maxAttempts) {
    const runAfter = now + growingDelay(stepAttempts, context.random.fraction());
    await move(context, job, 'waiting', { runAfter, reason: error.code, stepAttempts, attempts });
    return;
  }
  await move(context, job, 'failed', {
    ...failed(context, job, error),
    stepAttempts,
    attempts,
    completedAt: now,
  });
}

function failed(context: JobContext, job: Job, error: RelayError): JobChange {
  const review = error.code === 'CONFLICT' && error.details?.expected_uris !== undefined;
  const result = review
    ? { ...error.details }
    : {
        ...(job.targetId === null ? {} : { playlist_id: job.targetId }),
        written: job.written,
        ...former(context, job),
      };
  return { error: errorFacts(error), reviewRequired: review, result };
}

/** What a replacement that stopped part-way removed, so that it can be restored. */
function former({ store }: JobContext, job: Job): Record<string, unknown> {
  if (job.type !== 'replace_playlist' || job.written === 0) return {};
  const base = getPlan(store, job.seq)?.base ?? [];
  return { former_count: base.length, former_uris: base.slice(0, MAX_LISTED) };
}
