/** Helps tests make changes through the tools, against a simulated provider with faults, in fast time. */

import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { DemoPlaylist } from '../../src/demo/state.ts';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import { commit, createJob, jobOf, reach, type ToolFailure, urisOf } from '../jobs/support.ts';
import { type FastClock, fastClock } from '../support/fastClock.ts';
import { at } from '../support/shapes.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { API_KEY, type Relay, type RelayOptions, withRelay } from '../support/world.ts';

export interface UnkindOptions extends Omit<RelayOptions, 'clock'> {
  /** How much faster than real time; default 20. */
  factor?: number;
}

/** A whole relay and its provider, in fast time. */
export async function withUnkind(
  options: UnkindOptions,
  work: (relay: Relay, clock: FastClock) => Promise<void>,
): Promise<void> {
  const { factor = 20, ...rest } = options;
  const clock = fastClock(factor);
  const env = { RELAY_TOOLSETS: 'all', ...rest.env };
  await withRelay({ ...rest, env, clock }, (relay) => work(relay, clock));
}

/** A limit that stops a change between its first and its second request that writes rows. */
export const LIMIT_AFTER_FIRST: FaultRule = {
  path: /\/items$/,
  where: ({ method }) => method !== 'GET',
  skip: 1,
  kind: 'rate_limit',
  retryAfterSeconds: 40,
};

/** Real milliseconds between two calls of `found`. */
const PAUSE_MS = 60;

/** Calls `found` until it returns something; returns null after `realMs`. */
export async function poll<T>(found: () => Promise<T | null> | T | null, realMs = 60_000): Promise<T | null> {
  for (const end = Date.now() + realMs; ; await setTimeout(PAUSE_MS)) {
    const seen = await found();
    if (seen !== null || Date.now() > end) return seen;
  }
}

const ENDED: readonly string[] = ['completed', 'failed', 'cancelled'];

/** The job once it has ended. Fails if that takes longer than `realMs`. */
export async function ended(relay: Relay, id: string, realMs = 60_000): Promise<JobRecord> {
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

/** What a write led to, whether its call finished it or handed it over to a job. */
export interface Settled {
  answer: Record<string, unknown>;
  error: ToolFailure | null;
  /** The job that took over, once it has ended. */
  job: JobRecord | null;
}

/** Calls a tool that writes and waits until its change has ended. */
export async function change(
  relay: Relay,
  tool: string,
  args: Record<string, unknown>,
  realMs = 60_000,
): Promise<Settled> {
  const answer = await relay.call(tool, args);
  const error = (answer.error as ToolFailure | undefined) ?? null;
  const id = error?.code === 'DEADLINE_EXCEEDED' ? error.details?.job_id : answer.job_id;
  return { answer, error, job: typeof id === 'string' ? await ended(relay, id, realMs) : null };
}

/** Fails unless the change ended well, by itself or as a job. */
export function assertDone({ error, job }: Settled): void {
  if (job) assert.equal(job.status, 'completed', JSON.stringify(job.error));
  else assert.equal(error, null, JSON.stringify(error));
}

/** Sets a playlist's rows before the test begins. */
export function fill(playlist: DemoPlaylist, uris: readonly string[]): void {
  playlist.rows = uris.map((uri) => ({ uri, addedAt: '2026-01-01T00:00:00Z', addedBy: null }));
}

export function assertRows(playlist: DemoPlaylist, expected: readonly string[]): void {
  assertSame(urisOf(playlist), expected);
}

/** Fails unless both lists are the same. Says in few words how they differ, since they are long. */
export function assertSame(present: readonly string[], expected: readonly string[]): void {
  const difference = differenceOf(present, expected);
  if (difference !== null) assert.fail(difference);
}

/** How the lists differ; null if both are the same. */
export function differenceOf(present: readonly string[], expected: readonly string[]): string | null {
  const at = expected.findIndex((uri, index) => uri !== present[index]);
  if (at < 0 && present.length === expected.length) return null;
  const twice = present.length - new Set(present).size;
  const there = new Set(present);
  const lost = expected.filter((uri) => !there.has(uri)).length;
  return `${present.length} rows instead of ${expected.length}, ${twice} repeated, ${lost} lost, first difference at ${at < 0 ? expected.length : at}`;
}

/** The rows without a song that another person added. */
export function without(uris: readonly string[], foreign: string): string[] {
  return uris.filter((uri) => uri !== foreign);
}

/** A client that sees the tools of the toolset `extras`. */
export async function extrasClient(url: string): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const headers = { authorization: `Bearer ${API_KEY}`, 'x-mcp-toolsets': 'standard,extras' };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

export interface Extras {
  call: Relay['call'];
  /** IDs of changes, newest first. */
  changes(): Promise<string[]>;
  /** Undoes a change and waits until the undo has ended. */
  undo(changeId: string): Promise<Settled>;
}

export async function withExtras(relay: Relay, work: (extras: Extras) => Promise<void>): Promise<void> {
  const client = await extrasClient(relay.server.mcpUrl);
  const call: Relay['call'] = async (name, args = {}) => {
    const { structuredContent, isError, content } = await client.callTool({ name, arguments: args });
    assert.ok(structuredContent, `${name}: ${isError ? JSON.stringify(content) : 'no answer'}`);
    return structuredContent as Record<string, unknown>;
  };
  try {
    await work({
      call,
      async changes() {
        const { items } = await call('list_changes');
        return (items as Array<{ change_id: string }>).map(({ change_id }) => change_id);
      },
      undo: (change_id) => change({ ...relay, call }, 'undo_change', { change_id }),
    });
  } finally {
    await client.close().catch(() => {});
  }
}

/** Undoes the newest change and waits until the undo has ended. */
export async function undoLast(relay: Relay): Promise<Settled> {
  let settled: Settled | undefined;
  await withExtras(relay, async ({ changes, undo }) => {
    settled = await undo(at(await changes(), 0));
  });
  return settled ?? assert.fail();
}
