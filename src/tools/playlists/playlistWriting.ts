/** Writes for tools: each write is a durable change, and the call waits for it. Also the report of a change. */
import * as z from 'zod';
import { waitWords } from '../../base/clock.ts';
import { kindFacts } from '../../domain/change.ts';
import { type ErrorCode, RelayError } from '../../domain/errors.ts';
import { failureClassOf } from '../../domain/failureClass.ts';
import { shortId } from '../../domain/job.ts';
import type { Remedy } from '../../domain/remedy.ts';
import type { Call } from '../../provider/api.ts';
import type { Work } from '../../store/tables/works.ts';
import type { LookedUp } from '../../work/resolve/lookUp.ts';
import { missingRows, planOf, rowsReached } from '../../work/write/progress.ts';
import { outcomeUnknown } from '../../work/write/send.ts';
import {
  continuation,
  type RunReport,
  type WriteRequest,
  type WriteResult,
} from '../../work/write/writes.ts';
import { askerOf } from '../asker.ts';
import type { Services } from '../tool.ts';
import { withUnknownTracks } from './unknownTracks.ts';

const changeId = z.string().describe('For undo');

export const WriteReport = z.object({
  ok: z.boolean(),
  playlist_id: z.string(),
  requested: z.number().describe('Entries requested'),
  written: z.number().describe('Entries that Spotify accepted'),
  chunks: z.object({ total: z.number(), completed: z.number() }).describe('Requests of up to 100 entries'),
  snapshot_id: z.string().nullable().describe('Playlist version after the last request'),
  partial: z.boolean(),
  change_id: changeId.optional(),
  job_id: z.string().optional().describe('Writes the rest by itself'),
  note: z.string().optional(),
});

/** The additional members of a removal. */
export const removalMembers = {
  written: z.number().describe('Entries that were there, and are removed'),
  removed: z.number().describe('Rows removed'),
  not_found: z.array(z.string()).describe('URIs of entries that were not there'),
};

/**
 * The result of a removal. It counts the entries that relay found, not those that it asked Spotify to remove.
 * @param former the URIs that were there, one for each row; null if nothing had to be removed
 * @param place the place as the note names it, such as `the playlist`
 * @param left those that the removal has not reached
 */
export function removalOf(
  entries: readonly string[],
  former: readonly string[] | null,
  place: string,
  left: ReadonlySet<string> = new Set(),
) {
  const present = new Set(former);
  const asked = new Set(entries);
  return {
    requested: entries.length,
    written: entries.filter((uri) => present.has(uri) && !left.has(uri)).length,
    removed: former?.filter((uri) => asked.has(uri) && !left.has(uri)).length ?? 0,
    not_found: [...asked].filter((uri) => !present.has(uri)),
    ...(entries.some((uri) => present.has(uri))
      ? {}
      : { note: `Nothing changed: none of these is in ${place}.` }),
  };
}

/**
 * What a removal has not taken out, besides other rows. A request whose outcome is unknown counts as not done. Of a removal
 * that is done, these are the rows that Spotify keeps.
 */
export function leftOf({ work, body }: Pick<RunReport, 'work' | 'body'>): ReadonlySet<string> {
  if (work.outcome === 'done') return new Set(body.refused);
  const plan = planOf(body);
  const unsent = plan.ops.slice(work.step).flatMap((op) => (op.op === 'unsave' ? op.uris : []));
  return new Set([...rowsReached({ work, plan }), ...unsent]);
}

/** The result of every write in chunks. */
export type Report = z.infer<typeof WriteReport> & {
  error?: { code: ErrorCode; message: string; outcome_unknown: boolean };
  rollback?: { attempted: boolean; succeeded: boolean };
};

/** How long a call waits for its write, so that its answer comes within 45 s. A write that takes longer continues as a job. */
const WAIT_MS = 38_000;

interface WriteOptions {
  /** The list that the call has looked up. */
  list?: LookedUp;
  /** True if entries of the list that Spotify refuses are left out. By default, one such entry refuses the request. */
  isLenient?: boolean;
  /** What the tool itself tells of a write that has not finished. */
  told?(state: Pick<RunReport, 'work' | 'body'>): Partial<Report>;
}

/** The outcome of a write. */
export interface Written {
  report: Report;
  /** The change as it is now; null if there was nothing to do. */
  state: Omit<RunReport, 'end'> | null;
  /** True if the write only has to wait, or takes longer than a call may, so that a job continues it. */
  continues: boolean;
}

/**
 * Carries out a tool's write, and waits as long as the caller can.
 * @throws RelayError the cause if nothing was written; otherwise an error with the report: `PARTIAL_WRITE`, `CONFLICT` if a person
 * has to decide, `SHUTTING_DOWN`
 */
export async function carryOut(
  services: Services,
  request: Omit<WriteRequest, 'askedBy'>,
  call: Call,
  options: WriteOptions = {},
): Promise<Written> {
  const { list, isLenient = false, told = () => ({}) } = options;
  const { writes, clock } = services;
  const playlistId = request.playlistId ?? '';
  const asked = { ...request, ...(list && { work: list.seq }), askedBy: askerOf(services, call) };
  const spentMs = list ? clock.monotonic() - list.startedAt : 0;
  const ms = Math.max(1_000, WAIT_MS - spentMs);
  const waiter = list ? (isLenient ? 'lenient_list' : 'list') : 'call';
  const result = await writes.run(asked, call, { ms, for: waiter });
  if (result.kind === 'nothing_to_do')
    return { report: emptyReport(playlistId, request.requested), state: null, continues: false };
  if (result.kind === 'listed') {
    const report = soFar(playlistId, result);
    if (result.inReview && result.cause)
      throw result.cause.with({
        details: { ...result.cause.details, ...ofTarget(result, { ...report, ...told(result) }) },
      });
    return { report: { ...report, note: noteOf(result) }, state: result, continues: true };
  }
  const report = reportOf(playlistId, result);
  const { work, end } = result;
  const unfinished = () => ({ ...report, ...told(result) });
  if (end.kind === 'stopped') throw stoppedError(work, ofTarget(result, unfinished()));
  if (!end.cause) {
    // Spotify has refused every entry, so no change is left.
    if (work.outcome === 'unchanged')
      return { report: emptyReport(playlistId, work.requested), state: null, continues: false };
    return { report, state: result, continues: false };
  }
  const cause = await withUnknownTracks(services, result, end.cause, call);
  if (work.outcome === 'unchanged') throw cause;
  throw failed(result, unfinished(), cause);
}

/**
 * The outcome of a write for a tool whose answer cannot say that a job continues it.
 * @throws RelayError `DEADLINE_EXCEEDED` with the job
 */
export function finished(written: Written): Written {
  const { report, continues } = written;
  if (!continues) return written;
  throw new RelayError('DEADLINE_EXCEEDED', 'The write is not finished yet.', {
    remedy: report.note ?? '',
    details: { change_id: report.change_id, job_id: report.job_id },
  });
}

/** Like `carryOut`, for a tool that needs only the report. */
export async function write(...asked: Parameters<typeof carryOut>): Promise<Report> {
  return (await carryOut(...asked)).report;
}

/** How far a write got that its job continues, or that waits for a decision. */
function soFar(playlistId: string, { work, requests }: Pick<RunReport, 'work' | 'requests'>): Report {
  const { change_id, job_id } = continuation(work);
  return {
    ok: false,
    playlist_id: work.playlistId ?? playlistId,
    requested: work.requested,
    written: work.written,
    chunks: requests,
    snapshot_id: work.snapshotId,
    partial: work.written > 0,
    change_id,
    job_id,
  };
}

/** Why a write is not finished, and that it goes on by itself. */
function noteOf({ work, cause }: Extract<WriteResult, { kind: 'listed' }>): string {
  const { job_id } = continuation(work);
  const failureClass = cause && failureClassOf(cause);
  const isLogin = failureClass === 'login' || failureClass === 'account';
  const when = isLogin ? 'after the login, ' : '';
  const why = cause?.message ?? 'The write takes longer than a tool call may.';
  return `${why} ${whatNext(work, job_id, when)} get_job_status follows it.`;
}

/** The report of a call that wrote nothing. @param requests number of requests that the write would take */
export function emptyReport(playlistId: string, requested: number, requests = 0): Report {
  return {
    ok: true,
    playlist_id: playlistId,
    requested,
    written: 0,
    chunks: { total: requests, completed: 0 },
    snapshot_id: null,
    partial: false,
  };
}

function reportOf(playlistId: string, { work, end, requests }: RunReport): Report {
  const cause = end.kind === 'stopped' ? null : end.cause;
  const error = cause && { code: cause.code, message: cause.message, outcome_unknown: outcomeUnknown(cause) };
  const ok = work.outcome === 'done';
  return {
    ok,
    playlist_id: work.playlistId ?? playlistId,
    requested: work.requested,
    // An operation counts an entry once even if it was given several times.
    written: ok ? work.requested : work.written,
    chunks: work.kind === 'create' ? withoutCreation(requests) : requests,
    snapshot_id: work.snapshotId,
    partial: !ok,
    change_id: work.id,
    ...(error ? { error } : {}),
    ...(work.goingBack ? { rollback: { attempted: true, succeeded: work.outcome === 'rolled_back' } } : {}),
  };
}

/** The requests without the one that creates the playlist, since a creation has no entries. */
function withoutCreation({ total, completed }: Report['chunks']): Report['chunks'] {
  return { total: total - 1, completed: Math.max(0, completed - 1) };
}

function failed(result: RunReport, report: Report, cause: RelayError): RelayError {
  if (report.rollback) return rolledBack(result, report, cause);
  // These are one request without entries. They end like this only if an answer to it was lost.
  const isWhole = result.work.kind === 'details' || result.work.kind === 'delete';
  const how = isWhole
    ? `Whether this took effect is not known: ${cause.message}`
    : `${report.written} of ${report.requested} written, then: ${cause.message}`;
  return partialWrite(how, ofTarget(result, report), cause, remedyFor(result, cause));
}

function remedyFor({ work }: RunReport, cause: RelayError): string | Remedy {
  const when = whenOf(cause);
  if (isForGood(work, cause)) return cause.remedyValue ?? '';
  // What is there already counts as done when these are sent again.
  const { kind, id } = work;
  if (kind !== 'add' && kind !== 'create') return `Send the same call again ${when}: it does the rest.`;
  const command = ['undo', shortId(id)];
  const what = kind === 'create' ? 'takes the new playlist away' : 'takes out what was written';
  return {
    text: `undo_change with change_id ${id}, or {command}, ${what}. Then send the same call again ${when}.`,
    command,
    terminal: { text: `{1} ${what}. Then run the same command again ${when}.`, commands: [command] },
  };
}

/** Leaves out playlist ID and version for a change of the library, which has neither. */
function ofTarget({ work }: Pick<RunReport, 'work'>, report: Partial<Report>): Partial<Report> {
  const isOfLibrary = work.playlistId === null && work.kind !== 'create';
  if (!isOfLibrary) return report;
  const { playlist_id: _, snapshot_id: __, ...rest } = report;
  return rest;
}

/** Maximum number of missing rows that an answer lists. More would be cut to fit a model's context. */
const MAX_MISSING = 200;

function rolledBack(result: RunReport, report: Report, cause: RelayError): RelayError {
  const isBack = result.work.outcome === 'rolled_back';
  const completed = result.body.notes?.completed ?? 0;
  const chunks = { ...report.chunks, completed };
  const how = `The write stopped after ${completed} of ${chunks.total} requests: ${cause.message} ${
    isBack ? 'The previous content is restored.' : 'The previous content could not be restored completely.'
  }`;
  const uris = isBack ? [] : missingRows(result);
  const missing = isBack ? {} : { missing_count: uris.length, missing_uris: uris.slice(0, MAX_MISSING) };
  return partialWrite(
    how,
    { ...report, chunks, ...missing },
    cause,
    isBack
      ? (isForGood(result.work, cause) && cause.remedyValue) || `Try again ${whenOf(cause)}.`
      : uris.length > MAX_MISSING
        ? undoRest(result.work, uris.length, whenOf(cause))
        : 'details.missing_uris lists in order what is missing: add it with add_tracks_to_playlist.',
  );
}

function undoRest({ id }: RunReport['work'], count: number, when: string): Remedy {
  const what = `brings back all ${count} missing rows ${when}.`;
  const command = ['undo', shortId(id)];
  return {
    text: `undo_change with change_id ${id}, or {command}, ${what} details.missing_uris lists only the first ${MAX_MISSING}.`,
    command,
    terminal: { text: `{1} ${what}`, commands: [command] },
  };
}

function partialWrite(
  message: string,
  details: object,
  cause: RelayError,
  remedy: string | Remedy,
): RelayError {
  return new RelayError('PARTIAL_WRITE', message, {
    remedy,
    ...(cause.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: cause.retryAfterSeconds }),
    details: { ...details, ...(cause.details?.not_found ? { not_found: cause.details.not_found } : {}) },
    cause,
  });
}

/** True if Spotify does not know a track of the change, and the caller has no list from which to leave it out. */
function isForGood({ kind }: Work, { details }: RelayError): boolean {
  return details?.not_found !== undefined && !kindFacts(kind).isListed;
}

function whenOf({ retryAfterSeconds, details }: RelayError): string {
  if (details?.not_found) return 'without the tracks in details.not_found';
  return retryAfterSeconds === undefined
    ? 'when the cause is fixed'
    : `after ${waitWords(retryAfterSeconds)}`;
}

function stoppedError(work: RunReport['work'], report: Partial<Report>): RelayError {
  const { change_id, job_id } = continuation(work);
  const { requested, written } = report;
  return new RelayError(
    'SHUTTING_DOWN',
    `${written} of ${requested} written so far. The server is stopping. The write continues after the next start.`,
    { remedy: whatNext(work, job_id), details: { ...report, change_id, job_id } },
  );
}

/** @param when when the job continues, such as `after the login, `; by default soon */
function whatNext(work: RunReport['work'], jobId: string, when = ''): string {
  return work.goingBack
    ? `Do not send it again yet: ${when}job ${jobId} brings back by itself what was there before.`
    : `Do not send it again: ${when}job ${jobId} writes the rest by itself.`;
}
