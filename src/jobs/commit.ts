/**
 * Writing a job's items, request after request. The intent of each request is on disk before it is sent. If its outcome is
 * unknown (a crash, a lost answer), the target is read and compared with the intent before anything else is written.
 */
import { asRelayError, RelayError } from '../domain/errors.ts';
import type { Call } from '../provider/api.ts';
import { asObject, textOf } from '../provider/resources/parse.ts';
import { UNSTOPPABLE } from '../provider/writes/chunkedWrite.ts';
import { getAccount } from '../store/tables/account.ts';
import {
  dropIntent,
  dropPlan,
  getIntent,
  getPlan,
  type JobIntent,
  type JobPlan,
} from '../store/tables/jobIntents.ts';
import {
  type MatchedItem,
  markWritten,
  matchedItems,
  rejectItem,
  writtenUris,
} from '../store/tables/jobItems.ts';
import { changeJob, type Job } from '../store/tables/jobs.ts';
import { errorFacts, type JobContext, move, reread } from './context.ts';
import { guardedIntent, hadNoEffect, lookUntilClear } from './intents.ts';
import { KINDS } from './kinds/index.ts';
import type { JobKind } from './kinds/kind.ts';
import { makePlan } from './plan.ts';
import { changedMeanwhile, readUris, sameUris } from './playlistCheck.ts';

/** After this many single items that the provider refuses, the job fails as a whole. */
const MAX_REJECTED = 20;

/** A commit in progress: its job, target and rules. */
interface Commit {
  context: JobContext;
  job: Job;
  kind: JobKind;
  targetId: string;
  plan: JobPlan;
  call: Call;
}

/** Writes all items of a job. The error it throws decides whether the job waits, retries or fails. */
export async function commitStep(context: JobContext, job: Job, signal: AbortSignal): Promise<void> {
  const call: Call = { signal, progress() {} };
  if (job.status === 'cancelled') return settleCancelled(context, job, call);
  if (job.status !== 'committing') {
    if (!(await move(context, job, 'committing', { runAfter: null, reason: null }))) return;
  }
  const committing = reread(context.store, job);
  requireSameAccount(context, committing);
  const kind = KINDS[job.type];
  const targetId = committing.targetId ?? (await kind.makeTarget?.(context, committing, call)) ?? '';
  const work = () => writeAll(context, reread(context.store, job), kind, targetId, call);
  await (kind.target === 'playlist' ? context.rows.exclusively(targetId, work, signal) : work());
}

function requireSameAccount({ store }: JobContext, job: Job): void {
  const account = getAccount(store)?.providerUserId;
  if (job.account === null || account === undefined || account === job.account) return;
  throw new RelayError(
    'FORBIDDEN',
    'This job belongs to a different Spotify account from the connected one.',
    {
      remedy: {
        text: 'Connect that account with {command} and resume the job, or cancel the job.',
        command: ['login', '--switch-account'],
      },
    },
  );
}

async function writeAll(
  context: JobContext,
  job: Job,
  kind: JobKind,
  targetId: string,
  call: Call,
): Promise<void> {
  const plan = getPlan(context.store, job.seq) ?? (await makePlan(context, job, kind, targetId, call));
  const commit: Commit = { context, job, kind, targetId, plan, call };
  const interrupted = getIntent(context.store, job.seq);
  if (interrupted?.kind === 'write') await settle(commit, interrupted);
  const snapshotId = await writeChunks(commit);
  if (reread(context.store, job).uncertain) await checkEnd(commit);
  await complete(commit, snapshotId);
}

async function writeChunks(commit: Commit): Promise<string | null> {
  const { context, job, kind, plan, call } = commit;
  const { store } = context;
  let isFirst = writtenUris(store, job.seq, plan.first).length === 0;
  let snapshotId: string | null = null;
  let size = kind.chunkSize;
  for (;;) {
    call.signal.throwIfAborted();
    const items = matchedItems(store, job.seq, size);
    if (items.length === 0) return snapshotId;
    const written = await writeItems(commit, items, isFirst);
    if ('refused' in written) {
      if (items.length === 1) reject(commit, items, written.refused);
      size = items.length === 1 ? kind.chunkSize : Math.ceil(items.length / 2);
      continue;
    }
    snapshotId = written.snapshotId ?? snapshotId;
    isFirst = false;
    size = Math.min(kind.chunkSize, size * 2);
  }
}

/** One item that the provider does not know must not block the other ninety-nine of its request. */
function reject({ context, job }: Commit, [item]: readonly MatchedItem[], error: RelayError): void {
  const { store, clock } = context;
  if (!item || reread(store, job).failed - job.failed >= MAX_REJECTED) throw error;
  rejectItem(store, job.seq, item.position, errorFacts(error), clock.now());
  store.saveSoon();
}

async function writeItems(
  commit: Commit,
  items: readonly MatchedItem[],
  isFirst: boolean,
): Promise<{ snapshotId: string | null } | { refused: RelayError }> {
  const { context, job, kind, targetId } = commit;
  const intent = intentFor(items);
  await guardedIntent(context, job, intent);
  const { request } = kind.write(
    targetId,
    items.map(({ uri }) => uri),
    isFirst,
  );
  try {
    const { body } = await context.provider.send(request, UNSTOPPABLE);
    landed(commit, intent);
    return { snapshotId: textOf(asObject(body)?.snapshot_id) };
  } catch (thrown) {
    const error = asRelayError(thrown);
    const canBeSentAgain = kind.target === 'library' || hadNoEffect(error);
    if (canBeSentAgain) dropIntent(context.store, job.seq);
    if (canBeSentAgain && error.code === 'INVALID_ARGUMENT') return { refused: error };
    if (!canBeSentAgain && (await settle(commit, intent))) return { snapshotId: null };
    throw error;
  }
}

type WriteIntent = Extract<JobIntent, { kind: 'write' }>;

function intentFor(items: readonly MatchedItem[]): WriteIntent {
  return { kind: 'write', first: items[0]?.position ?? 0, last: items.at(-1)?.position ?? 0 };
}

/** Saved with the next intent: losing it only costs a look at the target. */
function landed({ context, job }: Commit, { first, last }: WriteIntent): void {
  const { store, clock } = context;
  store.transaction(() => {
    markWritten(store, job.seq, { first, last }, clock.now());
    dropIntent(store, job.seq);
    if (reread(store, job).stepAttempts > 0) changeJob(store, job.seq, { stepAttempts: 0 }, clock.now());
  });
  store.saveSoon();
}

/** Finds out by reading whether an interrupted write took effect, and records it. */
async function settle(commit: Commit, intent: WriteIntent): Promise<boolean> {
  const { context, job, kind, plan, targetId, call } = commit;
  const { store } = context;
  const written = writtenUris(store, job.seq, plan.first);
  const items = matchedItems(store, job.seq, kind.chunkSize, intent.first).filter(
    ({ position }) => position <= intent.last,
  );
  const before = kind.expected(plan.base, written);
  const after = kind.expected(plan.base, [...written, ...items.map(({ uri }) => uri)]);
  const took =
    before !== null &&
    after !== null &&
    (await lookUntilClear<boolean>(context, job, call, async () => {
      const present = await readUris(context, targetId, call);
      if (sameUris(present, after)) return { settled: true };
      if (sameUris(present, before)) return { absent: false };
      return {
        conflict: () => changedMeanwhile(targetId, { expected: before, present, written: written.length }),
      };
    }));
  if (took) landed(commit, intent);
  else dropIntent(store, job.seq);
  return took;
}

/** After a lost answer, the playlist is read again at the end: a request that landed very late would show here. */
async function checkEnd({ context, job, kind, plan, targetId, call }: Commit): Promise<void> {
  const written = writtenUris(context.store, job.seq, plan.first);
  const expected = kind.expected(plan.base, written);
  if (expected === null) return;
  await lookUntilClear(context, job, call, async () => {
    const present = await readUris(context, targetId, call);
    if (sameUris(present, expected)) return { settled: true };
    return { conflict: () => changedMeanwhile(targetId, { expected, present, written: written.length }) };
  });
}

async function complete({ context, job, kind, targetId }: Commit, snapshotId: string | null): Promise<void> {
  const { store, clock } = context;
  const { written, skipped, failed } = reread(store, job);
  const result = {
    ...(kind.target === 'playlist' ? { playlist_id: targetId, snapshot_id: snapshotId } : {}),
    written,
    skipped_existing: skipped,
    failed,
  };
  const change = { result, completedAt: clock.now(), error: null, reviewRequired: false };
  if (await move(context, reread(store, job), 'completed', change)) {
    dropPlan(store, job.seq);
    store.saveSoon();
  }
}

/** For a job cancelled during a write: finds out once how that write ended; nothing more is written. */
async function settleCancelled(context: JobContext, job: Job, call: Call): Promise<void> {
  const { store, clock, log } = context;
  const intent = getIntent(store, job.seq);
  const plan = getPlan(store, job.seq);
  try {
    if (intent?.kind === 'write' && plan) {
      const targetId = job.targetId ?? '';
      await settle({ context, job, kind: KINDS[job.type], targetId, plan, call }, intent);
    }
  } catch (error) {
    call.signal.throwIfAborted();
    log.warn({ job: job.id, err: error }, 'the outcome of the last write of a cancelled job is unknown');
    changeJob(store, job.seq, { error: errorFacts(uncertainEnd(error)) }, clock.now());
  }
  closeCancelled(context, job);
  store.saveSoon();
}

/** For a cancelled job without a write in transit: drops its plan, and records how far it got. */
export function closeCancelled({ store, clock }: JobContext, job: Job): void {
  const { targetId, written, phase, result } = reread(store, job);
  dropPlan(store, job.seq);
  if (phase !== 'commit' || result !== null) return;
  const reached = { ...(targetId === null ? {} : { playlist_id: targetId }), written };
  changeJob(store, job.seq, { result: reached }, clock.now());
}

function uncertainEnd(cause: unknown): RelayError {
  const { message } = asRelayError(cause);
  return new RelayError(
    'PARTIAL_WRITE',
    `The job was cancelled during a write, and the outcome of that write is unknown: ${message}`,
    { remedy: 'Read the playlist to see whether its last rows are from this job.' },
  );
}
