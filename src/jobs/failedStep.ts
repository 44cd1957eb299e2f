/** What happens to a job that could not begin to write, or to search: it waits, or it fails. */
import { errorFacts } from '../changes/record.ts';
import type { RelayError } from '../domain/errors.ts';
import { isRefusal } from '../domain/failureClass.ts';
import { isWorking } from '../domain/job.ts';
import { pauseAfter } from '../domain/pause.ts';
import { getJobBySeq, type Job } from '../store/tables/jobs.ts';
import { type JobContext, move } from './context.ts';

/** @throws RelayError `STORE_ERROR` */
export async function afterFailure(context: JobContext, before: Job, error: RelayError): Promise<void> {
  const job = getJobBySeq(context.store, before.seq);
  if (!job || !isWorking(job.status)) return;
  const now = context.clock.now();
  const stepAttempts = job.stepAttempts + 1;
  const pause = pauseAfter(error, { failures: stepAttempts, now, fraction: context.random.fraction() });
  const attempts = pause.spendsAttempt ? Math.max(job.attempts, stepAttempts) : job.attempts;
  if (!pause.spendsAttempt || (mayPass(error) && stepAttempts < job.maxAttempts)) {
    const facts = { runAfter: pause.until, reason: pause.reason, stepAttempts, attempts };
    await move(context, job, 'waiting', facts);
    return;
  }
  await move(context, job, 'failed', {
    error: errorFacts(error),
    reviewRequired: false,
    result: {
      ...(job.targetId === null ? {} : { playlist_id: job.targetId }),
      written: job.written,
    },
    stepAttempts,
    attempts,
    completedAt: now,
  });
}

/** A refusal of the whole request is final, unless it is our own fault or that of a list that lags. */
function mayPass(error: RelayError): boolean {
  return !isRefusal(error) || PASSING.has(error.code);
}

const PASSING: ReadonlySet<string> = new Set(['NOT_FOUND', 'INTERNAL']);
