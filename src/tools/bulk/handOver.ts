/**
 * The time limit of one bulk call, and handing the work over to a job when time or a limit runs out: the job keeps what is
 * already resolved and written.
 */

import type { Clock } from '../../base/clock.ts';
import { asRelayError } from '../../domain/errors.ts';
import type { JobPayload, JobType } from '../../domain/job.ts';
import type { Call } from '../../provider/api.ts';
import {
  type Chunk,
  completeOrThrow,
  type WriteReport as Report,
  reportOf,
  type WriteProgress,
  writeChunks,
} from '../../provider/writes/chunkedWrite.ts';
import { insertChunks } from '../../provider/writes/playlistWrites.ts';
import type { NewJobItem } from '../../store/tables/jobItems.ts';
import type { Services } from '../tool.ts';
import { type BulkResult, outcome } from './bulkResult.ts';
import { type Entry, jobItemOf, type ResolvedEntry } from './entries.ts';
import { type Resolving, resolveEntries, type Stop, stopOf, withinTime } from './resolveEntries.ts';

/** Of a call's 45 s: how long it may search, and when writing stops, so that the answer still comes in time. */
const RESOLVE_MS = 35_000;
const WRITE_UNTIL_MS = 42_000;

/** A call in progress, as a job would continue it. */
export interface Begun {
  type: JobType;
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

/** Writes what resolved; if a limit or the deadline stops that, a job writes the rest by itself. */
export async function writeOrDefer(
  services: Services,
  begun: Begun,
  entries: readonly ResolvedEntry[],
  playlistId: string,
  call: Call,
): Promise<BulkResult> {
  const chunks = insertChunks(playlistId, toWrite(entries));
  const progress = await writeInTime(services, begun, playlistId, chunks, call);
  const write = reportOf(playlistId, chunks, progress);
  const stop = progress.error && stopOf(progress.error, services.clock);
  const defer = stop && deferred(services, begun, entries, stop, playlistId, write);
  // If the job cannot be saved, the caller has to hear how far the write got.
  const handedOver = await defer?.catch(() => null);
  if (handedOver) return handedOver;
  const settled = completeOrThrow(write, progress.error);
  return outcome(entries, { status: 'done', playlist_id: playlistId, write: settled });
}

async function writeInTime(
  { rows, provider, clock }: Services,
  begun: Begun,
  playlistId: string,
  chunks: readonly Chunk[],
  call: Call,
): Promise<WriteProgress> {
  const write = (signal: AbortSignal) =>
    rows.exclusively(playlistId, () => writeChunks(provider, chunks, { ...call, signal }, clock), signal);
  try {
    return await withinTime(clock, timeLeft(begun, clock), call.signal, write);
  } catch (error) {
    return { written: 0, completed: 0, snapshotId: null, error: asRelayError(error) };
  }
}

/** Milliseconds of this call that are left for reading and writing the playlist. */
export function timeLeft(begun: Begun, clock: Clock): number {
  return Math.max(0, begun.startedAt + WRITE_UNTIL_MS - clock.monotonic());
}

/** Hands the call over to a job. With `write`, writing had begun, so the job goes straight on to write. */
export async function deferred(
  services: Services,
  begun: Begun,
  entries: ReadonlyArray<ResolvedEntry | null>,
  stop: Stop,
  playlistId: string | null,
  write?: Report | { written: 0 },
): Promise<BulkResult> {
  const items = begun.inputs.map((input, index) => jobItemOf(input, entries[index] ?? undefined));
  const job = await services.jobs.handOver({
    type: begun.type,
    payload: begun.payload,
    items: write ? withWritten(items, write.written) : items,
    maxAttempts: JOB_ATTEMPTS,
    phase: write ? 'commit' : 'resolve',
    targetId: playlistId,
    skipsMarked: write !== undefined,
    ...stop,
  });
  const report = write && 'chunks' in write ? { write } : {};
  return outcome(entries, { status: 'deferred', playlist_id: playlistId, job_id: job.job_id, ...report });
}

/** The default of `create_bulk_job`. */
const JOB_ATTEMPTS = 5;

/** Marks the first `written` of the items to write as written. */
function withWritten(items: readonly NewJobItem[], written: number): NewJobItem[] {
  let left = written;
  return items.map((item) => {
    if (item.status !== 'matched' || left === 0) return item;
    left -= 1;
    return { ...item, status: 'written' };
  });
}

/** The URIs to write, in order. */
export function toWrite(entries: readonly ResolvedEntry[]): string[] {
  return entries.flatMap((entry) => (entry.status === 'matched' && entry.uri !== null ? [entry.uri] : []));
}
