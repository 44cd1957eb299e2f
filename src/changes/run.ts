/** One run of a change: what it knows in addition to the row of the change, and what it records there. */
import { type ChangeOp, type ChangeOutcome, kindFacts } from '../domain/change.ts';
import type { ErrorCode, RelayError } from '../domain/errors.ts';
import { failureClassOf } from '../domain/failureClass.ts';
import { without } from '../domain/rows.ts';
import type { Playlist } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import {
  type Change,
  type ChangeBody,
  type ChangeUpdate,
  type Plan,
  putChangeBody,
  setChange,
} from '../store/tables/changes.ts';
import { getJobBySeq } from '../store/tables/jobs.ts';
import { markItems } from './ownJob.ts';
import { type ChangeContext, errorFacts } from './record.ts';
import { rowsConflict } from './review.ts';
import { entriesOf, entryCount, onlyAppends, requestsOf, rowsAt } from './rowOps.ts';

/** Who waits for a change: a call, a call with a list, or a call with a list from which refused entries are left out. */
export type Waiter = 'call' | 'list' | 'lenient_list';

/** How others control a run, even while it is under way, and what the run tells them. */
export interface Control {
  /** Who waits for the change; null for a job, and once the caller no longer waits. */
  waiter: Waiter | null;
  maxAttempts: number;
  /** How the runs before this one failed. */
  before: Failures;
  /** Aborts when the server is stopping; nothing new is sent after that. */
  signal: AbortSignal;
  /** True if the run is to stop before its next request. */
  cancelled: boolean;
  /** Aborts when `cancelled` becomes true: a request that still waits for a limit is then not sent. */
  untilSent: AbortSignal;
  /** Pending while a cancellation is being stored; no request is sent meanwhile. */
  decided: Promise<void>;
  /** True if nothing of the change was ever sent. */
  isNew: boolean;
  completed: number;
  /** The playlist that a `create` of this run made; null if none did. */
  playlist: Playlist | null;
  onProgress(): void;
  /** Keeps other writes from the playlist that the run has made, until the run ends. */
  takeTurn(playlistId: string): Promise<void>;
}

/** Failures of one class, without a success in between. */
export interface Failures {
  count: number;
  code: ErrorCode | null;
}

/** How a run of a change ended. */
export type DriveEnd =
  | { kind: 'ended'; cause: RelayError | null }
  | { kind: 'paused'; cause: RelayError; failures: number }
  | { kind: 'failed'; cause: RelayError }
  /** A person decides how the change continues. */
  | { kind: 'review'; cause: RelayError }
  | { kind: 'stopped' };

export interface Run {
  context: ChangeContext;
  control: Control;
  change: Change;
  body: ChangeBody;
  plan: Plan;
  call: Call;
  failures: Failures;
  /** True while it is not known how the last request ended. */
  isInDoubt: boolean;
  /** Error of an earlier try of the present request, which may have taken effect; null if there was none. */
  lost: RelayError | null;
  /** Why the change is being rolled back; null if it is not. */
  cause: RelayError | null;
}

/** The plan that a change carries out now. */
export function planOf({ plan, former, ops }: ChangeBody): Plan {
  return plan ?? { rows: former.rows ?? [], ops };
}

/** True if the change also removes rows, so that some may be missing until it is finished. */
export function isRewriting({ change, body }: Pick<Run, 'change' | 'body'>): boolean {
  return (
    !change.goingBack &&
    body.former.rows !== undefined &&
    kindFacts(change.kind).isRewriting === true &&
    !onlyAppends(body.ops)
  );
}

/** True if no request of the change is known to have taken effect. */
export function isUntouched({ change }: Pick<Run, 'change'>): boolean {
  const hasMade = change.kind === 'create' && change.playlistId !== null;
  return change.op === 0 && change.written === 0 && !hasMade;
}

/** The rows as far as the present plan certainly got. */
export function rowsReached({ change, plan }: Pick<Run, 'change' | 'plan'>): readonly string[] {
  return rowsAt(plan, change.op);
}

/** The former rows that a rollback did not bring back before it was given up, in order. */
export function missingRows({ change, body }: Pick<Run, 'change' | 'body'>): string[] {
  return without(body.former.rows ?? [], rowsReached({ change, plan: planOf(body) }));
}

/** Records that the operations before `op` took effect. @param isRefused true if Spotify refused the last one */
export function landed(run: Run, op: number, facts: ChangeUpdate = {}, isRefused = false): void {
  const { context, control, change, plan } = run;
  const { store, clock } = context;
  const isForward = !change.goingBack;
  const done = plan.ops.slice(change.op, op);
  const isCounted = isForward && !isRefused && !isReplanned(run);
  const most = Math.max(change.written, change.requested, 1);
  const counted = isCounted ? done.reduce((sum, one) => sum + countOf(run, one), 0) : 0;
  control.completed += done.length;
  run.failures = { ...run.failures, count: 0 };
  run.lost = null;
  run.isInDoubt = false;
  store.transaction(() => {
    const reached = {
      op,
      written: Math.min(change.written + counted, most),
      ...(isForward ? { error: null } : {}),
    };
    run.change = setChange(store, change.seq, { ...reached, ...facts }, clock.now());
    if (isCounted)
      markItems(
        context,
        run.change,
        done.reduce((sum, one) => sum + itemsOf(run, one), 0),
      );
  });
  store.saveSoon();
  control.onProgress();
}

/** True if a person has answered the review of the change with `continue`, so that requests no longer count entries. */
export function isReplanned({ body }: Pick<Run, 'body'>): boolean {
  return body.notes?.isReplanned === true;
}

/** Number of items of the job that an operation has written. Rows that a rewrite only removes are none. */
function itemsOf({ change, plan }: Run, op: ChangeOp): number {
  if (op.op === 'create' || (op.op === 'remove' && change.kind !== 'remove')) return 0;
  return entriesOf(op, plan.rows)?.length ?? entryCount(op);
}

/** Number of entries that an operation adds to the count of the change. A track that was not saved is none. */
function countOf({ body, plan }: Run, op: ChangeOp): number {
  if (op.op === 'create') return 0;
  if (op.op === 'unsave' && body.former.saved) {
    const saved = new Set(body.former.saved);
    return new Set(op.uris.filter((uri) => saved.has(uri))).size;
  }
  return entriesOf(op, plan.rows)?.length ?? entryCount(op);
}

/** Records facts about the change, to be saved soon. */
export function record(run: Run, facts: ChangeUpdate): void {
  const { store, clock } = run.context;
  run.change = setChange(store, run.change.seq, facts, clock.now());
  store.saveSoon();
}

/** Number of failures of the same class as `error` that came just before it. */
export function failuresBefore({ count, code }: Failures, error: RelayError): number {
  return code !== null && failureClassOf({ code }) === failureClassOf(error) ? count : 0;
}

/** Leaves the change as it is, for another run to continue. */
export function leave(run: Run): void {
  record(run, { inTransit: run.isInDoubt });
}

/** Pauses the change for as long as its failure asks for. */
export function pause(run: Run, cause: RelayError): DriveEnd {
  leave(run);
  return { kind: 'paused', cause, failures: failuresBefore(run.failures, cause) + 1 };
}

/**
 * Stops a change until a person decides from what the list shows, so that how the last request ended no longer matters. If its job
 * was cancelled, that is the decision.
 */
export function review(run: Run, cause: RelayError): DriveEnd {
  const { control, change, isInDoubt } = run;
  if (control.cancelled && control.waiter === null) return ended(run, 'partial', cause, { inTransit: true });
  record(run, { inTransit: false, uncertain: change.uncertain || isInDoubt });
  return { kind: 'review', cause };
}

/** The review of a change whose playlist shows none of its states. */
export function reviewOf(run: Run, present: readonly string[]): DriveEnd {
  const { context, change } = run;
  const job = change.job === null ? null : getJobBySeq(context.store, change.job);
  return review(run, rowsConflict(context.provider, change, job?.id ?? change.id, rowsReached(run), present));
}

/** Ends the change, to be saved soon. `cause` says why, if it did not end as it should. */
export function ended(
  run: Run,
  outcome: ChangeOutcome,
  cause: RelayError | null,
  facts: ChangeUpdate = {},
): DriveEnd {
  const { clock, log } = run.context;
  log.info({ change: run.change.id, outcome }, 'change ended');
  const error = cause ? { error: errorFacts(cause) } : {};
  record(run, { outcome, inTransit: false, endedAt: clock.now(), ...error, ...facts });
  return { kind: 'ended', cause };
}

/** From here on the change carries out what `body` says, which is on disk before the next request. @throws RelayError `STORE_ERROR` */
export async function takeBody(
  run: Run,
  body: ChangeBody,
  facts: ChangeUpdate = {},
  also = () => {},
): Promise<void> {
  const { store, clock } = run.context;
  const { plan } = body;
  run.body = {
    ...body,
    ops: requestsOf(body.ops),
    ...(plan ? { plan: { ...plan, ops: requestsOf(plan.ops) } } : {}),
  };
  run.plan = planOf(run.body);
  store.transaction(() => {
    putChangeBody(store, run.change.seq, run.body);
    run.change = setChange(store, run.change.seq, { inTransit: true, ...facts }, clock.now());
    also();
  });
  await store.saveNow();
}
