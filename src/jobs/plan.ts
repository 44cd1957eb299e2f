/** The start of a commit: what the target holds, and which items are skipped. Saved before the first write. */
import { RelayError } from '../domain/errors.ts';
import type { Call } from '../provider/api.ts';
import { getAccount } from '../store/tables/account.ts';
import { type JobPlan, putPlan } from '../store/tables/jobIntents.ts';
import { matchedItems, skipHeld, skipRepeated } from '../store/tables/jobItems.ts';
import { changeJob, type Job } from '../store/tables/jobs.ts';
import { type JobContext, reread } from './context.ts';
import type { JobKind } from './kinds/kind.ts';

/** @throws RelayError of reading, or `CANCELLED` if the job was cancelled in the meantime */
export async function makePlan(
  context: JobContext,
  job: Job,
  kind: JobKind,
  targetId: string,
  call: Call,
): Promise<JobPlan> {
  const { store, clock } = context;
  const base = await kind.readBase(context, targetId, call);
  return store.durable(() => {
    if (reread(store, job).status !== 'committing') {
      throw new RelayError('CANCELLED', 'The job was cancelled.');
    }
    if (!job.skipsMarked) markSkips(context, job, base);
    const plan = { first: matchedItems(store, job.seq, 1)[0]?.position ?? job.totalItems, base };
    putPlan(store, job.seq, plan);
    const account = job.account ?? getAccount(store)?.providerUserId ?? null;
    changeJob(store, job.seq, { skipsMarked: true, account }, clock.now());
    return plan;
  });
}

function markSkips({ store, clock }: JobContext, job: Job, base: readonly string[]): void {
  const { skip_existing, skip_duplicates } = job.payload;
  if (skip_duplicates) skipRepeated(store, job.seq, clock.now());
  if (skip_existing && job.type === 'add_to_playlist') {
    skipHeld(store, job.seq, new Set(base), clock.now());
  }
}
