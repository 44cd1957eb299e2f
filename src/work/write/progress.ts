/** One run of a work: what it knows in addition to the row of the work, and what it records there. */
import { type ChangeOp, type ChangeOutcome, kindFacts } from '../../domain/change.ts';
import type { ErrorCode, RelayError } from '../../domain/errors.ts';
import { failureClassOf } from '../../domain/failureClass.ts';
import { without } from '../../domain/rows.ts';
import type { Playlist } from '../../domain/shapes.ts';
import type { Call } from '../../provider/api.ts';
import { markNextWritten } from '../../store/tables/items.ts';
import {
  type Body,
  getWorkBySeq,
  type Plan,
  putBody,
  setWork,
  type Work,
  type WorkFacts,
} from '../../store/tables/works.ts';
import { errorFacts, reread, type WorkContext } from '../moves.ts';
import { rowsConflict } from './review.ts';
import { entriesOf, entryCount, onlyAppends, requestsOf, rowsAfter } from './states.ts';

/** Who waits for a work: a call, a call with a list, or a call with a list from which refused entries are left out. */
export type Waiter = 'call' | 'list' | 'lenient_list';

/** How others control a run, even while it is under way, and what the run tells them. */
export interface Control {
  /** Who waits for the work; null for a job, and once the caller no longer waits. */
  waiter: Waiter | null;
  maxAttempts: number;
  before: Failures;
  signal: AbortSignal;
  /** True if the run is to stop before its next request. */
  cancelled: boolean;
  /** Aborts when `cancelled` becomes true: a request that still waits for a limit is then not sent. */
  untilSent: AbortSignal;
  /** Pending while a cancellation is being stored; no request is sent meanwhile. */
  decided: Promise<void>;
  /** True if nothing of the work was ever sent. */
  isNew: boolean;
  completed: number;
  /** The playlist that a `create` of this run made; null if none did. */
  playlist: Playlist | null;
  onProgress(): void;
}

/** Failures of one class, without a success in between. */
export interface Failures {
  count: number;
  code: ErrorCode | null;
}

export type DriveEnd =
  | { kind: 'ended'; cause: RelayError | null }
  | { kind: 'paused'; cause: RelayError; failures: number }
  | { kind: 'failed'; cause: RelayError }
  | { kind: 'review'; cause: RelayError }
  | { kind: 'stopped' };

export interface Run {
  context: WorkContext;
  control: Control;
  work: Work;
  body: Body;
  plan: Plan;
  call: Call;
  failures: Failures;
  /** True while it is not known how the last request ended. */
  isInDoubt: boolean;
  /** Error of an earlier try of the present request, which may have taken effect; null if there was none. */
  lost: RelayError | null;
  /** Why the work is being rolled back; null if it is not. */
  cause: RelayError | null;
}

export function planOf({ plan, former, ops }: Body): Plan {
  return plan ?? { rows: former.rows ?? [], ops };
}

/** True if the work also removes rows, so that some may be missing until it is finished. */
export function isRewriting({ work, body }: Pick<Run, 'work' | 'body'>): boolean {
  return (
    !work.goingBack &&
    body.former.rows !== undefined &&
    kindFacts(work.kind).isRewriting === true &&
    !onlyAppends(body.ops)
  );
}

/** True if no request of the work is known to have taken effect. */
export function isUntouched({ work }: Pick<Run, 'work'>): boolean {
  const hasMade = work.kind === 'create' && work.playlistId !== null;
  return work.step === 0 && work.written === 0 && !hasMade;
}

/** The rows as far as the present plan certainly got. */
export function rowsReached({ work, plan }: Pick<Run, 'work' | 'plan'>): readonly string[] {
  return rowsAfter(plan, work.step);
}

/** The former rows that a rollback did not bring back before it was given up, in order. */
export function missingRows({ work, body }: Pick<Run, 'work' | 'body'>): string[] {
  return without(body.former.rows ?? [], rowsReached({ work, plan: planOf(body) }));
}

/** Records that the requests before `step` took effect. @param isRefused true if Spotify refused the last one */
export function landed(run: Run, step: number, facts: WorkFacts = {}, isRefused = false): void {
  const { context, control, work, plan } = run;
  const { store, clock } = context;
  const done = plan.ops.slice(work.step, step);
  const counted = work.goingBack || isRefused || isReplanned(run) ? [] : done;
  const entries = counted.reduce((sum, op) => sum + countOf(run, op), 0);
  const items = counted.reduce((sum, op) => sum + itemsOf(run, op), 0);
  const most = Math.max(work.written, work.requested, 1);
  control.completed += done.length;
  run.failures = { ...run.failures, count: 0 };
  run.lost = null;
  run.isInDoubt = false;
  store.transaction(() => {
    const reached = { step, written: Math.min(work.written + entries, most) };
    run.work = setWork(store, work.seq, { ...reached, ...facts }, clock.now());
    if (items > 0) markNextWritten(store, work.seq, items);
  });
  store.saveSoon();
  control.onProgress();
}

/** True if a person has answered the review of the work with `continue`, so that requests no longer count entries. */
export function isReplanned({ body }: Pick<Run, 'body'>): boolean {
  return body.notes?.isReplanned === true;
}

/** Number of items that a request has written. Rows that a rewrite only removes are none. */
function itemsOf({ work, plan }: Run, op: ChangeOp): number {
  if (op.op === 'create' || (op.op === 'remove' && work.kind !== 'remove')) return 0;
  return entriesOf(op, plan.rows)?.length ?? entryCount(op);
}

/** Number of entries that an operation adds to the count of the work. A track that was not saved is none. */
function countOf({ body, plan }: Run, op: ChangeOp): number {
  if (op.op === 'create') return 0;
  if (op.op === 'unsave' && body.former.saved) {
    const saved = new Set(body.former.saved);
    return new Set(op.uris.filter((uri) => saved.has(uri))).size;
  }
  return entriesOf(op, plan.rows)?.length ?? entryCount(op);
}

export function record(run: Run, facts: WorkFacts): void {
  const { store, clock } = run.context;
  run.work = setWork(store, run.work.seq, facts, clock.now());
  store.saveSoon();
}

/** Number of failures of the same class as `error` that came just before it. */
export function failuresBefore({ count, code }: Failures, error: RelayError): number {
  return code !== null && failureClassOf({ code }) === failureClassOf(error) ? count : 0;
}

/** Leaves the work as it is, for another run to continue. */
export function leave(run: Run): void {
  record(run, { sending: run.isInDoubt });
}

/** Pauses the work for as long as its failure asks for. */
export function pause(run: Run, cause: RelayError): DriveEnd {
  leave(run);
  return { kind: 'paused', cause, failures: failuresBefore(run.failures, cause) + 1 };
}

/**
 * Stops a work until a person decides from what the list shows, so that how the last request ended no longer matters. If it was
 * cancelled, that is the decision.
 */
export function review(run: Run, cause: RelayError): DriveEnd {
  const { control, work, isInDoubt } = run;
  if (control.cancelled && control.waiter === null) return ended(run, 'partial', cause, { sending: true });
  record(run, { sending: false, uncertain: work.uncertain || isInDoubt });
  return { kind: 'review', cause };
}

/** The review of a work whose playlist shows none of its states. */
export function reviewOf(run: Run, present: readonly string[]): DriveEnd {
  return review(run, rowsConflict(run.context.provider, run.work, rowsReached(run), present));
}

/** Ends the work, to be saved soon. `cause` says why, if it did not end as it should. */
export function ended(
  run: Run,
  outcome: ChangeOutcome,
  cause: RelayError | null,
  facts: WorkFacts = {},
): DriveEnd {
  const { store, clock, log } = run.context;
  log.info({ work: run.work.id, outcome }, 'a write ended');
  const error = cause ? { error: errorFacts(cause) } : {};
  // A job ends when its loop has read this; a write that is no job has ended.
  const status = reread(store, run.work).listed ? {} : { status: 'completed' as const };
  record(run, { outcome, sending: false, completedAt: clock.now(), ...status, ...error, ...facts });
  if (outcome === 'done') endUndone(run);
  return { kind: 'ended', cause };
}

/** A write that had stopped half-way is over once it is undone. */
function endUndone({ context: { store, clock }, work: { undoes } }: Run): void {
  const undone = undoes === null ? null : getWorkBySeq(store, undoes);
  if (undone?.outcome === null) setWork(store, undone.seq, { outcome: 'partial' }, clock.now());
}

/** From here on the work carries out what `body` says, which is on disk before the next request. @throws RelayError `STORE_ERROR` */
export async function takeBody(run: Run, body: Body, facts: WorkFacts = {}, also = () => {}): Promise<void> {
  const { store, clock } = run.context;
  const { plan } = body;
  run.body = {
    ...body,
    ops: requestsOf(body.ops),
    ...(plan ? { plan: { ...plan, ops: requestsOf(plan.ops) } } : {}),
  };
  run.plan = planOf(run.body);
  store.transaction(() => {
    putBody(store, run.work.seq, run.body);
    run.work = setWork(store, run.work.seq, { sending: true, ...facts }, clock.now());
    also();
  });
  await store.saveNow();
}
