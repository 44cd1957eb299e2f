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
import { planOf, rowsReached } from '../../work/write/progress.ts';
import { outcomeUnknown } from '../../work/write/send.ts';
import { namesOf, type RunReport, type WriteRequest, type WriteResult } from '../../work/write/writes.ts';
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

export const removalMembers = {
  written: z.number().describe('Entries that were there, and are removed'),
  removed: z.number().describe('Rows removed'),
  not_found: z.array(z.string()).describe('URIs of entries that were not there'),
};

type Found = Pick<RunReport, 'work' | 'body'>;

/**
 * Carries out a removal. The report counts the entries that relay found, not those that it asked Spotify to remove.
 * @param place the place as the note names it, such as `the playlist`
 */
export async function removeEntries(
  services: Services,
  request: Omit<WriteRequest, 'askedBy'>,
  entries: readonly string[],
  place: string,
  call: Call,
) {
  const told = (found: Found) => {
    const { former, notes } = found.body;
    const shownAs = (notes?.shownAs ?? {}) as Record<string, string>;
    const shown = entries.map((uri) => shownAs[uri] ?? uri);
    return removalOf(shown, former.rows ?? former.saved ?? [], leftOf(found));
  };
  const { report, state } = await carryOut(services, request, call, { told });
  const removal = state ? told(state) : removalOf(entries, []);
  const isNothing = removal.not_found.length === new Set(entries).size;
  return {
    ...report,
    ...removal,
    ...(isNothing && { note: `Nothing changed: none of these is in ${place}.` }),
  };
}

/** @param former the URIs that were there, one for each row @param left those that the removal has not reached */
function removalOf(
  entries: readonly string[],
  former: readonly string[],
  left: ReadonlySet<string> = new Set(),
) {
  const present = new Set(former);
  const asked = new Set(entries);
  return {
    requested: entries.length,
    written: entries.filter((uri) => present.has(uri) && !left.has(uri)).length,
    removed: former.filter((uri) => asked.has(uri) && !left.has(uri)).length,
    not_found: [...asked].filter((uri) => !present.has(uri)),
  };
}

/**
 * What a removal has not taken out, besides other rows. A request whose outcome is unknown counts as not done. Of a removal
 * that is done, these are the rows that Spotify keeps.
 */
function leftOf({ work, body }: Found): ReadonlySet<string> {
  if (work.outcome === 'done') return new Set(body.refused);
  const plan = planOf(body);
  const unsent = plan.ops.slice(work.step).flatMap((op) => (op.op === 'unsave' ? op.uris : []));
  return new Set([...rowsReached({ work, plan }), ...unsent]);
}

export type Report = z.infer<typeof WriteReport> & {
  error?: { code: ErrorCode; message: string; outcome_unknown: boolean };
  rollback?: { attempted: boolean; succeeded: boolean };
};

/** How long a call waits for its write, so that its answer comes within 45 s. A write that takes longer continues as a job. */
const WAIT_MS = 38_000;

interface WriteOptions {
  list?: LookedUp;
  /** True if entries that Spotify refuses are left out. By default, one such entry refuses the request. */
  isLenient?: boolean;
  /** What the tool itself tells of a write that has not finished. */
  told?(found: Found): Partial<Report>;
}

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
  const waiter = isLenient ? 'lenient_list' : list ? 'list' : 'call';
  const result = await writes.run(asked, call, { ms, for: waiter });
  if (result.kind === 'nothing_to_do')
    return { report: emptyReport(playlistId, request.requested), state: null, continues: false };
  if (result.kind === 'listed') {
    const report = reportOf(playlistId, result);
    const { cause, inReview } = result;
    const soFar = () => ofTarget(result, { ...report, ...told(result) });
    if (inReview && cause) throw cause.with({ details: { ...cause.details, ...soFar() } });
    return { report: { ...report, note: noteOf(result) }, state: result, continues: true };
  }
  const { work, end } = result;
  const report = reportOf(playlistId, result, end.kind === 'stopped' ? null : end.cause);
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

/** Why a write is not finished, and that it goes on by itself. */
function noteOf({ work, cause }: Extract<WriteResult, { kind: 'listed' }>): string {
  const failureClass = cause && failureClassOf(cause);
  const isLogin = failureClass === 'login' || failureClass === 'account';
  const when = isLogin ? 'after the login, ' : '';
  const why = cause?.message ?? 'The write takes longer than a tool call may.';
  return `${why} ${whatNext(work, when)} get_job_status follows it.`;
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

function reportOf(
  playlistId: string,
  { work, requests }: Pick<RunReport, 'work' | 'requests'>,
  cause: RelayError | null = null,
): Report {
  const error = cause && { code: cause.code, message: cause.message, outcome_unknown: outcomeUnknown(cause) };
  const isOpen = work.outcome === null;
  const ok = work.outcome === 'done';
  return {
    ok,
    playlist_id: work.playlistId ?? playlistId,
    requested: work.requested,
    // An operation counts an entry once even if it was given several times.
    written: ok ? work.requested : work.written,
    chunks: work.kind === 'create' ? withoutCreation(requests) : requests,
    snapshot_id: work.snapshotId,
    partial: isOpen ? work.written > 0 : !ok,
    ...(isOpen ? namesOf(work) : { change_id: work.id }),
    ...(error && { error }),
    ...(work.goingBack &&
      !isOpen && { rollback: { attempted: true, succeeded: work.outcome === 'rolled_back' } }),
  };
}

/** The requests without the one that creates the playlist, since a creation has no entries. */
function withoutCreation({ total, completed }: Report['chunks']): Report['chunks'] {
  return { total: total - 1, completed: Math.max(0, completed - 1) };
}

/** Leaves out playlist ID and version for a change of the library, which has neither. */
function ofTarget({ work }: Pick<RunReport, 'work'>, report: Partial<Report>): Partial<Report> {
  const isOfLibrary = work.playlistId === null && work.kind !== 'create';
  if (!isOfLibrary) return report;
  const { playlist_id: _, snapshot_id: __, ...rest } = report;
  return rest;
}

function failed(result: RunReport, report: Report, cause: RelayError): RelayError {
  const { work, body } = result;
  // The requests of a rollback are not those of the write.
  const completed = work.goingBack ? (body.notes?.completed ?? 0) : report.chunks.completed;
  const told = { ...report, chunks: { ...report.chunks, completed } };
  const { not_found } = cause.details ?? {};
  return new RelayError('PARTIAL_WRITE', howFar(work, told, cause), {
    remedy: remedyFor(work, cause),
    ...(cause.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: cause.retryAfterSeconds }),
    details: { ...ofTarget(result, told), ...(not_found ? { not_found } : {}) },
    cause,
  });
}

function howFar({ kind }: Work, { written, requested, chunks, rollback }: Report, cause: RelayError): string {
  if (rollback) {
    const end = rollback.succeeded ? 'is restored' : 'could not be restored completely';
    const after = `The write stopped after ${chunks.completed} of ${chunks.total} requests`;
    return `${after}: ${cause.message} The previous content ${end}.`;
  }
  // These are one request without entries. They end like this only if an answer to it was lost.
  if (kind === 'details' || kind === 'delete')
    return `Whether this took effect is not known: ${cause.message}`;
  return `${written} of ${requested} written, then: ${cause.message}`;
}

function remedyFor({ kind, id, goingBack, outcome }: Work, cause: RelayError): string | Remedy {
  const { retryAfterSeconds, details, remedyValue } = cause;
  const isUnknown = details?.not_found !== undefined;
  const when = isUnknown
    ? 'without the tracks in details.not_found'
    : retryAfterSeconds === undefined
      ? 'when the cause is fixed'
      : `after ${waitWords(retryAfterSeconds)}`;
  // Not every client has the tool.
  const command = `relay undo ${shortId(id)}`;
  const undo = (what: string) =>
    `{undo_change with change_id ${id}, or |}{${command}|${command}}{,|} ${what} ${when}.`;
  if (goingBack && outcome !== 'rolled_back') return undo('brings back the missing rows');
  // The caller has no list from which to leave the track out.
  if (isUnknown && !kindFacts(kind).isListed) return remedyValue ?? '';
  if (goingBack) return `Try again ${when}.`;
  if (kind === 'create') return undo('takes the new playlist away. Then send the same call again');
  if (kind === 'add') return undo('takes out what was written. Then send the same call again');
  // What is there already counts as done when these are sent again.
  return `Send the same call again ${when}: it does the rest.`;
}

function stoppedError(work: Work, report: Partial<Report>): RelayError {
  const soFar = `${report.written} of ${report.requested} written so far.`;
  const message = `${soFar} The server is stopping. The write continues after the next start.`;
  const details = { ...report, ...namesOf(work) };
  return new RelayError('SHUTTING_DOWN', message, { remedy: whatNext(work), details });
}

/** @param when when the job continues, such as `after the login, `; by default soon */
function whatNext({ id, goingBack }: Work, when = ''): string {
  return goingBack
    ? `Do not send it again yet: ${when}job ${id} brings back by itself what was there before.`
    : `Do not send it again: ${when}job ${id} writes the rest by itself.`;
}
