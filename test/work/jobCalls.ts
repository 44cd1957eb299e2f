/** Jobs as tests drive them: through the tools, against the simulated provider. */
import assert from 'node:assert/strict';
import type { ItemRecord, JobRecord } from '../../src/work/jobRecord.ts';
import { until } from '../support/until.ts';
import type { Relay } from '../support/world.ts';

export async function createJob(
  relay: Relay,
  type: string,
  items: readonly unknown[],
  payload: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Promise<string> {
  const answer = await relay.call('create_bulk_job', { type, items, payload, ...more });
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return String(answer.job_id);
}

export async function jobOf(relay: Relay, id: string): Promise<JobRecord> {
  const answer = await relay.call('get_job_status', { job_id: id, limit: 1 });
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return answer.job as JobRecord;
}

export async function itemsOf(relay: Relay, id: string): Promise<ItemRecord[]> {
  return (await relay.call('get_job_status', { job_id: id, limit: 100 })).items as ItemRecord[];
}

/** Waits until the job is in one of the states. */
export async function reach(relay: Relay, id: string, ...states: string[]): Promise<JobRecord> {
  let job: JobRecord | null = null;
  const look = async () => {
    job = await jobOf(relay, id);
    return states.includes(job.status);
  };
  await until(look).catch(() => {
    throw new Error(`the job is not ${states.join(' or ')}: ${JSON.stringify(job)}`);
  });
  return job as unknown as JobRecord;
}

/** Waits until the job is resolved, commits it, and waits for its end. */
export async function runToEnd(relay: Relay, id: string): Promise<JobRecord> {
  await reach(relay, id, 'ready');
  await commit(relay, id);
  return reach(relay, id, 'completed', 'failed');
}

export async function commit(relay: Relay, id: string): Promise<JobRecord> {
  const answer = await relay.call('commit_job', { job_id: id });
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return answer.job as JobRecord;
}
