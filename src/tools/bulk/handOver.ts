/**
 * The time limit of one bulk call, and handing the work over to a job when time or a limit runs out: the job keeps what is
 * already resolved and written.
 */

import type { Clock } from '../../base/clock.ts';
import type { ChangeRequest, ChangeResult } from '../../changes/changes.ts';
import type { BulkJobType, JobPayload } from '../../domain/job.ts';
import type { Call } from '../../provider/api.ts';
import { adopt, reportOrThrow, writeFor } from '../playlists/playlistWriting.ts';
import type { Services } from '../tool.ts';
import { type BulkResult, outcome } from './bulkResult.ts';
import { type Entry, jobItemOf, type ResolvedEntry } from './entries.ts';
import { type Resolving, resolveEntries, type Stop, withinTime } from './resolveEntries.ts';

/** Of a call's 45 s: how long it may search, and when writing stops, so that the answer still comes in time. */
const RESOLVE_MS = 35_000;
const WRITE_UNTIL_MS = 42_000;

/** A call in progress, as a job would continue it. */
export interface Begun {
  /** Name of the tool. */
  tool: string;
  type: BulkJobType;
  payload: JobPayload;
  inputs: readonly Entry[];
  /** On the monotonic clock. */
  startedAt: number;
}

export function resolveInTime(services: Services, inputs: readonly Entry[], call: Call): Promise<Resolving> {
  return withinTime(services.clock, RESOLVE_MS, call.signal, (signal) =>
    resolveEntries(services, inputs, { ...call, signal }),
  );
}

/**
 * Writes what resolved, as `request` says; if a limit or the time stops that, a job writes the rest by itself.
 * @throws RelayError as `reportOrThrow`
 */
export async function writeOrDefer(
  services: Services,
  begun: Begun,
  entries: readonly ResolvedEntry[],
  request: Omit<ChangeRequest, 'askedBy'>,
  call: Call,
): Promise<{ result: ChangeResult; answer: BulkResult }> {
  const spentMs = services.clock.monotonic() - begun.startedAt;
  const waits = { defersLimits: true };
  const result = await writeFor(services, begun.tool, request, call, spentMs, waits);
  if (result.kind === 'goes_on') return { result, answer: await adopted(services, begun, entries, result) };
  const write = await reportOrThrow(services, request.playlistId ?? '', request.requested, result);
  return { result, answer: outcome(entries, { status: 'done', playlist_id: write.playlist_id, write }) };
}

async function adopted(
  services: Services,
  { type, payload, inputs }: Begun,
  entries: readonly ResolvedEntry[],
  result: Extract<ChangeResult, { kind: 'goes_on' }>,
): Promise<BulkResult> {
  const { change, requests } = result;
  const items = inputs.map((input, index) => jobItemOf(input, entries[index]));
  const job = await adopt(services, result, { type, payload, items });
  const write = {
    ok: false,
    playlist_id: change.playlistId ?? '',
    requested: change.requested,
    written: change.written,
    chunks: requests,
    snapshot_id: change.snapshotId,
    partial: change.written > 0,
    change_id: change.id,
  };
  return outcome(entries, {
    status: 'deferred',
    playlist_id: change.playlistId,
    job_id: job.job_id,
    ...(change.written > 0 ? { write } : {}),
    change_id: change.id,
  });
}

/** Milliseconds of this call that are left for reading and writing the playlist. */
export function timeLeft(begun: Begun, clock: Clock): number {
  return Math.max(0, begun.startedAt + WRITE_UNTIL_MS - clock.monotonic());
}

/** Hands the search over to a job, which keeps what is already resolved. */
export async function deferred(
  services: Services,
  { type, payload, inputs }: Begun,
  entries: ReadonlyArray<ResolvedEntry | null>,
  stop: Stop,
  playlistId: string | null,
): Promise<BulkResult> {
  const items = inputs.map((input, index) => jobItemOf(input, entries[index] ?? undefined));
  const job = await services.jobs.handOver({ type, payload, items, maxAttempts: JOB_ATTEMPTS, ...stop });
  return outcome(entries, { status: 'deferred', playlist_id: playlistId, job_id: job.job_id });
}

/** The default of `create_bulk_job`. */
const JOB_ATTEMPTS = 5;

/** The URIs to write, in order. */
export function toWrite(entries: readonly ResolvedEntry[]): string[] {
  return entries.flatMap((entry) => (entry.status === 'matched' && entry.uri !== null ? [entry.uri] : []));
}
