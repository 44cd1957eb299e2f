/**
 * The one way to write long lists: chunk after chunk in order, with progress after each, a check of the caller's signal in
 * between, and a report of how far it got. A chunk that was sent is always awaited: if it were aborted, nobody would know
 * whether it landed.
 */
import type { Clock } from '../../base/clock.ts';
import { asRelayError, type ErrorCode, RelayError } from '../../domain/errors.ts';
import type { Call, ProviderApi, ProviderRequest } from '../api.ts';
import { PATIENCE_SECONDS } from '../http/retry.ts';
import { asObject, textOf } from '../resources/parse.ts';

export interface Chunk {
  request: ProviderRequest;
  /** How many of the caller's entries it covers. */
  count: number;
}

/** What every chunked write returns. */
export interface WriteReport {
  ok: boolean;
  playlist_id: string;
  requested: number;
  written: number;
  chunks: { total: number; completed: number };
  snapshot_id: string | null;
  partial: boolean;
  error?: { code: ErrorCode; message: string; outcome_unknown: boolean };
  rollback?: { attempted: boolean; succeeded: boolean };
}

export interface WriteProgress {
  written: number;
  completed: number;
  /** The snapshot that the last chunk returned. */
  snapshotId: string | null;
  /** Why it stopped early. */
  error: RelayError | null;
}

/** A signal that never aborts, for work that must not be left half done. */
export const UNSTOPPABLE: Pick<Call, 'signal'> = { signal: new AbortController().signal };

/** How often a chunk that was rate-limited with a short wait is sent. */
const MAX_PATIENT_ATTEMPTS = 3;

export async function writeChunks(
  api: ProviderApi,
  chunks: readonly Chunk[],
  call: Call,
  clock: Clock,
): Promise<WriteProgress> {
  const progress: WriteProgress = { written: 0, completed: 0, snapshotId: null, error: null };
  for (const chunk of chunks) {
    try {
      call.signal.throwIfAborted();
      const response = await sendChunk(api, chunk, progress.completed > 0, call, clock);
      progress.snapshotId = textOf(asObject(response.body)?.snapshot_id) ?? progress.snapshotId;
    } catch (error) {
      progress.error = asRelayError(error);
      return progress;
    }
    progress.completed += 1;
    progress.written += chunk.count;
    if (chunks.length > 1) call.progress(progress.completed, chunks.length);
  }
  return progress;
}

/**
 * A 429 means that the chunk was not accepted. For the first chunk the caller is told; a write in progress waits out a
 * short limit, since stopping in the middle would help nobody.
 */
async function sendChunk(api: ProviderApi, chunk: Chunk, underWay: boolean, call: Call, clock: Clock) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await api.send(chunk.request, UNSTOPPABLE);
    } catch (error) {
      const wait =
        error instanceof RelayError && error.code === 'RATE_LIMITED' ? error.retryAfterSeconds : undefined;
      if (!underWay || wait === undefined || wait > PATIENCE_SECONDS || attempt >= MAX_PATIENT_ATTEMPTS)
        throw error;
      // Nothing is in transit during this wait: a caller that leaves, or the deadline, may end it.
      await clock.sleep(wait * 1000, call.signal);
    }
  }
}

/** The report of a write that reached its end or stopped. */
export function reportOf(playlistId: string, chunks: readonly Chunk[], progress: WriteProgress): WriteReport {
  const { error, written, completed, snapshotId } = progress;
  return {
    ok: error === null,
    playlist_id: playlistId,
    requested: chunks.reduce((sum, chunk) => sum + chunk.count, 0),
    written,
    chunks: { total: chunks.length, completed },
    snapshot_id: snapshotId,
    partial: error !== null && (completed > 0 || outcomeUnknown(error)),
    ...(error ? { error: describeError(error) } : {}),
  };
}

function describeError(error: RelayError): NonNullable<WriteReport['error']> {
  return { code: error.code, message: error.message, outcome_unknown: outcomeUnknown(error) };
}

/**
 * Returns the report of a complete write.
 * @throws RelayError the cause itself if nothing was written; `PARTIAL_WRITE` with the report in `details` otherwise
 */
export function completeOrThrow<T extends { ok: boolean; written: number; requested: number }>(
  report: T,
  cause: RelayError | null,
): T {
  if (!cause) return report;
  const untouched =
    report.written === 0 && !('rollback' in report && report.rollback) && !outcomeUnknown(cause);
  if (untouched) throw cause;
  throw partialWrite(report, cause);
}

export function partialWrite(report: { written: number; requested: number }, cause: RelayError): RelayError {
  const how = `${report.written} of ${report.requested} written, then: ${cause.message}`;
  return new RelayError('PARTIAL_WRITE', how, {
    remedy: outcomeUnknown(cause)
      ? 'Read the current content before writing the rest: the last request may have taken effect.'
      : `Write the rest (from entry ${report.written + 1}) ${whenOf(cause)}.`,
    ...(cause.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: cause.retryAfterSeconds }),
    details: { ...report },
    cause,
  });
}

function whenOf(cause: RelayError): string {
  return cause.retryAfterSeconds === undefined
    ? 'when the cause is fixed'
    : `after ${cause.retryAfterSeconds} seconds`;
}

/** True if the provider may have acted although its answer does not say so. `details.sent` false: it got no request. */
export function outcomeUnknown(error: RelayError): boolean {
  if (error.details?.sent === false) return false;
  return ['PROVIDER_UNAVAILABLE', 'PROVIDER_TIMEOUT', 'PROVIDER_INVALID_RESPONSE'].includes(error.code);
}
