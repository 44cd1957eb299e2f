/** Makes changes through the tools and jobs, and waits until they have ended. */
import assert from 'node:assert/strict';
import type { JobRecord } from '../../src/work/jobRecord.ts';
import type { ToolFailure } from '../support/answers.ts';
import { until } from '../support/until.ts';
import type { Relay } from '../support/world.ts';
import { commit, createJob, jobOf, reach } from './jobCalls.ts';

/** How long a change may take on a slow machine, in real milliseconds. */
const PATIENCE_MS = 120_000;

/** Calls `found` until it returns something; returns null after `realMs`. */
async function poll<T>(found: () => Promise<T | null> | T | null, realMs = PATIENCE_MS): Promise<T | null> {
  let seen: T | null = null;
  const look = async () => {
    seen = await found();
    return seen !== null;
  };
  await until(look, realMs).catch(() => {});
  return seen;
}

const ENDED: readonly string[] = ['completed', 'failed', 'cancelled'];

/** The job once it has ended. Fails if that takes longer than `realMs`. */
export async function ended(relay: Relay, id: string, realMs = PATIENCE_MS): Promise<JobRecord> {
  const job = await poll(async () => {
    const seen = await jobOf(relay, id);
    return ENDED.includes(seen.status) ? seen : null;
  }, realMs);
  return job ?? assert.fail(`the job has not ended: ${JSON.stringify(await jobOf(relay, id))}`);
}

/** Makes a job with items by ID, waits until it is resolved, lets `before` prepare faults, and commits the job. */
export async function committed(
  relay: Relay,
  type: string,
  items: readonly unknown[],
  payload: Record<string, unknown>,
  before: () => void = () => {},
): Promise<string> {
  const id = await createJob(relay, type, items, { skip_duplicates: false, ...payload });
  await reach(relay, id, 'ready');
  before();
  await commit(relay, id);
  return id;
}

/** How a write ended, whether its call finished it or handed it over to a job. */
export interface Settled {
  answer: Record<string, unknown>;
  error: ToolFailure | null;
  /** The job that took over, once it has ended. */
  job: JobRecord | null;
}

/**
 * Calls a tool that writes and waits until its change has ended. On a slow machine, a call in fast time may have run out of time
 * before it began; it is made again then, as its error says.
 */
export async function change(relay: Relay, tool: string, args: Record<string, unknown>): Promise<Settled> {
  const call = async () => {
    const answer = await relay.call(tool, args);
    const error = (answer.error as ToolFailure | undefined) ?? null;
    const id = error?.code === 'DEADLINE_EXCEEDED' ? error.details?.job_id : answer.job_id;
    return { answer, error, id };
  };
  let { answer, error, id } = await call();
  for (let more = 3; more > 0 && error?.code === 'DEADLINE_EXCEEDED' && id === undefined; more--)
    ({ answer, error, id } = await call());
  return { answer, error, job: typeof id === 'string' ? await ended(relay, id) : null };
}

/** Fails unless the change ended well, by itself or as a job. */
export function assertDone({ error, job }: Settled): void {
  if (job) assert.equal(job.status, 'completed', JSON.stringify(job.error));
  else assert.equal(error, null, JSON.stringify(error));
}
