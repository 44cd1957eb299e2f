/** The situation of a run, for the table in `decide.ts`. */
import type { ChangeOp } from '../domain/change.ts';
import { RelayError } from '../domain/errors.ts';
import { failureClassOf, isRefusal } from '../domain/failureClass.ts';
import { MAX_ROWS } from '../domain/rows.ts';
import type { Ending, Situation } from './decide.ts';
import { onlyAppends, type Step, writesRows } from './rowOps.ts';
import { failuresBefore, isRewriting, isUntouched, type Run, rowsReached } from './run.ts';

/** @param error null after a crash */
export function situationOf(
  run: Run,
  ending: Ending,
  error: RelayError | null,
  step: Step | null,
): Situation {
  const { change, control } = run;
  const { waiter } = control;
  const isBack = change.goingBack;
  const asksToWait = error !== null && (isBack || error.code === 'RATE_LIMITED');
  const op = step?.op;
  return {
    ending,
    failure: error && failureClassOf(error),
    isBack,
    waiter,
    isUntouched: isUntouched(run),
    isRewriting: isRewriting(run),
    // A job forgets `lost` when it waits, and the record of the change remembers it.
    mayHaveLanded: run.lost !== null || (waiter === null && change.uncertain),
    failures: run.failures.count + 1,
    isUsedUp:
      error !== null && isRefusal(error) && failuresBefore(run.failures, error) + 1 >= control.maxAttempts,
    waitSeconds: (asksToWait && error.retryAfterSeconds) || null,
    waits: run.waits,
    mayFail: op?.op === 'details' && op.mayFail === true,
    isListed: op !== undefined && LISTED.has(op.op),
    isTooNew: error?.code === 'NOT_FOUND' && run.control.playlist !== null,
    isFirstAddition: onlyAppends(run.plan.ops) && !change.uncertain,
  };
}

/** Operations from which an entry that Spotify refuses can be left out. */
const LISTED: ReadonlySet<ChangeOp['op']> = new Set(['append', 'put', 'save', 'unsave']);

/** The error that says that the playlist is full, if that is why a request had no effect or was refused; otherwise null. */
export function whyFull(run: Run, { op, count }: Step): RelayError | null {
  if (op.op !== 'append' && op.op !== 'insert') return null;
  const held = rowsReached(run).length;
  if (held + count <= MAX_ROWS) return null;
  return new RelayError(
    'FORBIDDEN',
    `The playlist ${run.change.playlistId} is full: it has ${held} rows, and Spotify takes about ${MAX_ROWS}.`,
    { remedy: 'Put the rest into a new playlist.' },
  );
}

/** True if sending the request again does no harm. Removing rows does none if the plan does nothing else. */
export function isHarmlessTwice({ plan }: Run, { op }: Step): boolean {
  if (op.op === 'remove') return plan.ops.every((one) => one.op === 'remove');
  return !writesRows(op) && op.op !== 'create';
}
