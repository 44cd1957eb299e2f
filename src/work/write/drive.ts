/**
 * Carries out one work, request by request. The work is on disk before the first request. If an answer is lost, nothing is
 * sent until reading the target has shown how that request ended. If the target shows something else, a person decides.
 */
import { NEVER } from '../../base/abort.ts';
import type { ChangeOp } from '../../domain/change.ts';
import { asRelayError, isErrorCode, RelayError } from '../../domain/errors.ts';
import { failureClassOf, isRefusal } from '../../domain/failureClass.ts';
import { MAX_ROWS, uriOf, without } from '../../domain/rows.ts';
import { findTrack } from '../../provider/resources/catalog.ts';
import { markNextWritten, rejectNext } from '../../store/tables/items.ts';
import { type Body, getBody, type Work } from '../../store/tables/works.ts';
import { errorFacts, reread, type WorkContext } from '../moves.ts';
import { type FoundOut, findOut, readRows, waitForState } from './look.ts';
import { isWritable, planRows, replaceOps } from './plan.ts';
import {
  type Control,
  type DriveEnd,
  ended,
  failuresBefore,
  isReplanned,
  isRewriting,
  isUntouched,
  landed,
  leave,
  pause,
  planOf,
  type Run,
  record,
  reviewOf,
  rowsReached,
  takeBody,
} from './progress.ts';
import { answerOrStop, outcomeUnknown, sendStep } from './send.ts';
import { addsRows, isPlaced, onlyAppends, rowsAfter, writesRows } from './states.ts';

/** Runs a work until it ends, must wait or needs a person, or until the server stops. Returns failures. */
export async function drive(
  context: WorkContext,
  { seq }: Pick<Work, 'seq'>,
  control: Control,
): Promise<DriveEnd> {
  const work = reread(context.store, { seq });
  const body = getBody(context.store, seq);
  const cause = body.plan?.cause;
  const run: Run = {
    context,
    control,
    work,
    body,
    plan: planOf(body),
    call: {
      signal: control.signal,
      progress() {},
      ...(work.account === null ? {} : { account: work.account }),
    },
    failures: control.before,
    isInDoubt: work.sending && !control.isNew,
    lost: null,
    cause: cause ? new RelayError(isErrorCode(cause.code) ? cause.code : 'INTERNAL', cause.message) : null,
  };
  try {
    const end = await carryOut(run);
    // A cancelled work does not wait, even if it cannot be found out how its last request ended.
    const isOver = end.kind === 'paused' && control.cancelled && control.waiter === null;
    return isOver ? ended(run, 'partial', end.cause, { sending: run.work.sending }) : end;
  } catch (thrown) {
    // Nothing can be recorded if the record was erased.
    reread(context.store, { seq });
    if (control.signal.aborted) return { kind: 'stopped' };
    const error = asRelayError(thrown);
    if (error.code === 'INTERNAL') context.log.error({ work: work.id, err: thrown }, 'a work failed');
    const isUsedUp = isRefusal(error) && failuresBefore(run.failures, error) + 1 >= control.maxAttempts;
    if (!isUsedUp || control.waiter !== null) return pause(run, error);
    leave(run);
    return { kind: 'failed', cause: error };
  }
}

async function carryOut(run: Run): Promise<DriveEnd> {
  const { control, context } = run;
  const endAtStart = control.isNew ? null : await takeUp(run);
  if (endAtStart) return endAtStart;
  for (;;) {
    if (control.signal.aborted) {
      record(run, { sending: false });
      return { kind: 'stopped' };
    }
    await control.decided;
    if (control.cancelled && !run.work.goingBack) {
      const end = await cancel(run);
      if (end) return end;
      continue;
    }
    const { ops } = run.plan;
    const op = ops[run.work.step];
    // Spotify keeps a row that was added under another ID than it shows. Rows are added only once the removed ones are gone.
    if (addsRows(op) && ops[run.work.step - 1]?.op === 'remove') {
      const present = await waitForState(run);
      if (present) return reviewOf(run, present);
    }
    const end = op ? await send(run, op) : await finish(run);
    // A cancelled work does not pause: the next turn of this loop ends it.
    const isStopping =
      end?.kind === 'paused' && control.cancelled && !run.work.sending && !run.work.goingBack;
    if (end && !isStopping) return end;
    if (!end) continue;
    context.log.info({ work: run.work.id }, 'cancelled while it waits');
  }
}

/** Before the first request of a run that is not the first: settles what the last run left open. */
async function takeUp(run: Run): Promise<DriveEnd | null> {
  const { work, control, plan, context } = run;
  const isMade = work.playlistId !== null || plan.ops[0]?.op !== 'create';
  if (work.replan && isMade) await replan(run);
  else if (work.sending || work.replan) {
    const end = await afterDoubt(run, await findOut(run, plan.ops.length), null);
    if (end) return end;
  } else if (!control.cancelled && goesByPlaces(run)) {
    // Others may have written while the work waited.
    const present = await waitForState(run);
    if (present) return reviewOf(run, present);
  }
  record(run, { sending: true, replan: false });
  await context.store.saveNow();
  return null;
}

/** True if what is left to send is right only if the list shows the state that the work has reached. */
function goesByPlaces(run: Run): boolean {
  const rest = run.plan.ops.slice(run.work.step);
  return rest.some(isPlaced) || (isRewriting(run) && rest.some(addsRows));
}

/**
 * A person has seen what differs, and wants what was asked for. What is there now becomes what was there before, so that an undo
 * brings it back. Of rows that are only added, those that are missing are written.
 */
async function replan(run: Run): Promise<void> {
  const { body, work } = run;
  const present = (await readRows(run)).map(uriOf);
  const goal = rowsAfter({ rows: body.former.rows ?? [], ops: body.ops });
  // What a rewrite has already written counts only as a whole.
  const isWhole = work.goingBack || isRewriting(run);
  const rest = isWhole ? body.ops : body.ops.slice(work.step);
  const ops = opsToward(goal, present, rest.filter(writesRows));
  if (ops === null) throw new RelayError('UNSUPPORTED_ITEMS', 'The rows cannot be written again.');
  const notes = { ...body.notes, isReplanned: true, mixed: false };
  const { plan: _, ...others } = body;
  const facts = { step: 0, goingBack: false, replan: false, uncertain: false, error: null };
  await takeBody(run, { ...others, former: { ...body.former, rows: present }, ops, notes }, facts);
  run.cause = null;
}

function opsToward(
  goal: readonly string[],
  present: readonly string[],
  rest: readonly ChangeOp[],
): readonly ChangeOp[] | null {
  if (rest.every(({ op }) => op === 'remove')) return rest;
  if (onlyAppends(rest)) {
    const asked = new Set(rest.flatMap((op) => ('uris' in op ? op.uris : [])));
    const missing = without(goal, present).filter((uri) => asked.has(uri));
    return missing.length > 0 ? [{ op: 'append', uris: missing }] : [];
  }
  return planRows(present, goal);
}

async function send(run: Run, op: ChangeOp): Promise<DriveEnd | null> {
  const { context, work, control } = run;
  const next = work.step + 1;
  if (op.op === 'create' && work.playlistId !== null) {
    landed(run, next);
    return null;
  }
  const untilSent = work.goingBack ? NEVER : control.untilSent;
  const sending = sendStep(context.provider, op, work.playlistId ?? '', work.account, untilSent);
  const settled = await answerOrStop(context.clock, control.signal, sending);
  if (settled === 'stopped') return { kind: 'stopped' };
  if ('answer' in settled) {
    const { snapshotId, playlist } = settled.answer;
    if (playlist) control.playlist = playlist;
    landed(run, next, {
      ...(snapshotId ? { snapshotId } : {}),
      ...(playlist ? { playlistId: playlist.id } : {}),
    });
    // Once the playlist has rows, only this record tells it from others of the same name.
    if (playlist && run.plan.ops[next]) await context.store.saveNow();
    return null;
  }
  const { error } = settled;
  if (error === untilSent.reason) return null;
  if (!outcomeUnknown(error)) return refused(run, op, (isRefusal(error) && whyFull(run, op)) || error);
  if (isHarmlessTwice(run, op)) {
    run.lost = error;
    // The lost request may take effect at any time, even before the next try is answered.
    record(run, { uncertain: true });
    // A job tries again later, and so does a list that becomes one.
    if (control.waiter !== 'call') return pause(run, error);
    if (run.failures.count + 1 >= MAX_REPEATS) return ended(run, 'partial', error);
    return again(run, 1_000 * (run.failures.count + 1));
  }
  return afterDoubt(run, await findOut(run, next), whyFull(run, op) ?? error);
}

/** True for a request that may be sent twice: rows that are only removed by their URIs, and all that is not rows. */
function isHarmlessTwice({ work, plan }: Run, op: ChangeOp): boolean {
  if (op.op === 'create') return false;
  return !writesRows(op) || plan.ops.slice(work.step).every(({ op: next }) => next === 'remove');
}

/** Maximum number of tries of a request that may be sent twice without harm. */
const MAX_REPEATS = 3;

async function again(run: Run, afterMs: number): Promise<null> {
  run.failures = { ...run.failures, count: run.failures.count + 1 };
  await run.context.clock.sleep(afterMs, run.call.signal);
  return null;
}

/** @param error why the answer was lost; null after a crash */
async function afterDoubt(run: Run, found: FoundOut, error: RelayError | null): Promise<DriveEnd | null> {
  const { control, work } = run;
  if (found === 'landed') return null;
  if (found !== 'absent') return found;
  if (error === null || control.cancelled) return null;
  // Both tries may take effect, however late the first one.
  const isAddition = run.plan.ops[work.step]?.op === 'append';
  const isTried = work.uncertain || !isAddition;
  if (control.waiter !== null && isUntouched(run) && isTried && !work.goingBack)
    return ended(run, 'unchanged', unchangedError(run, error));
  record(run, { uncertain: true });
  if (isRefusal(error)) return refused(run, run.plan.ops[work.step] as ChangeOp, error);
  if (control.waiter !== null && isRewriting(run)) return rollBack(run, error);
  return control.waiter === null ? pause(run, error) : again(run, 0);
}

function unchangedError({ work: { kind } }: Run, cause: RelayError): RelayError {
  return cause.with({
    message: `${cause.message} ${kind === 'create' ? 'No playlist was made.' : 'The playlist is unchanged.'}`,
    remedy: 'Try again in a minute.',
  });
}

/** The error that says that the playlist is full, if that is why a request had no effect; otherwise null. */
function whyFull(run: Run, op: ChangeOp): RelayError | null {
  if (op.op !== 'append' && op.op !== 'insert') return null;
  const held = rowsReached(run).length;
  if (held + op.uris.length <= MAX_ROWS) return null;
  return new RelayError(
    'FORBIDDEN',
    `The playlist ${run.work.playlistId} is full: it has ${held} rows, and Spotify takes about ${MAX_ROWS}.`,
    { remedy: 'Put the rest into a new playlist.' },
  );
}

/** Maximum number of tries, and longest wait, of a request of a rollback while a caller waits. */
const ROLLBACK = { tries: 4, waitSeconds: 30 };
/** How often a request to a playlist that was just made is sent again: some servers do not know the playlist for a moment. */
const MAX_UNKNOWN = 6;
/** In the middle of a write, a caller waits for a limit of at most this many seconds. */
const PATIENCE_SECONDS = 5;
/** Operations from which an entry that Spotify refuses can be left out. */
const LISTED: ReadonlySet<ChangeOp['op']> = new Set(['append', 'insert', 'put', 'save', 'unsave']);

/** What follows if a request was refused, or certainly not sent. */
async function refused(run: Run, op: ChangeOp, error: RelayError): Promise<DriveEnd | null> {
  const { control, work } = run;
  const { waiter } = control;
  const isJob = waiter === null;
  const failures = run.failures.count + 1;
  const failure = failureClassOf(error);
  const isForGood = isRefusal(error);
  const isUsedUp = isForGood && failuresBefore(run.failures, error) + 1 >= control.maxAttempts;
  const waitSeconds = error.retryAfterSeconds ?? null;
  if (work.goingBack) {
    if (isForGood && (!isJob || isUsedUp)) return ended(run, 'partial', run.cause);
    const wait = waitSeconds ?? failures;
    if (isJob || failures >= ROLLBACK.tries || wait > ROLLBACK.waitSeconds) return pause(run, error);
    return again(run, wait * 1_000);
  }
  if (failure === 'item' && op.op === 'details' && op.mayFail) {
    await takeBody(run, { ...run.body, notes: { ...run.body.notes, passedOver: true } });
    landed(run, work.step + 1, {}, true);
    return null;
  }
  if (failure === 'item' && LISTED.has(op.op) && (isJob || waiter === 'lenient_list')) {
    const how = await leaveOut(run, op as Listed, error);
    if (how === 'left_out') return null;
    leave(run);
    if (how === 'none_left') return { kind: 'failed', cause: noneKnown(error) };
    return isUsedUp ? { kind: 'failed', cause: error } : pause(run, error);
  }
  if (isJob) {
    if (!isUsedUp) return pause(run, error);
    leave(run);
    return { kind: 'failed', cause: error };
  }
  if (error.code === 'NOT_FOUND' && control.playlist !== null && failures <= MAX_UNKNOWN)
    return again(run, 400 * failures);
  // A list that was looked up, and a write that has begun, go on as a job once they only have to wait.
  const isBegun = !isUntouched(run) || run.lost !== null;
  if (!isForGood && (isBegun || waiter !== 'call')) {
    if (error.code !== 'RATE_LIMITED' || waitSeconds === null || waitSeconds > PATIENCE_SECONDS)
      return pause(run, error);
    await run.context.clock.sleep(waitSeconds * 1_000, run.call.signal);
    return null;
  }
  if (!isBegun) return ended(run, 'unchanged', error);
  return isRewriting(run) ? rollBack(run, error) : ended(run, 'partial', run.lost ?? error);
}

/** The work is to stop, and no request is under way. */
async function cancel(run: Run): Promise<DriveEnd | null> {
  const { control, work } = run;
  const cause = new RelayError('CANCELLED', 'It was cancelled.');
  if (isUntouched(run) && run.lost === null && !(control.waiter === null && work.uncertain))
    return ended(run, 'unchanged', cause);
  return isRewriting(run) && control.waiter !== null ? rollBack(run, cause) : ended(run, 'partial', cause);
}

/** Writes back what was there before. @returns null once the rollback can be carried out */
async function rollBack(run: Run, cause: RelayError): Promise<DriveEnd | null> {
  const { body, control } = run;
  const former = body.former.rows ?? [];
  // A removal whose answer was lost may still take effect.
  const found = run.lost === null ? 'absent' : await findOut(run, run.work.step + 1);
  if (found !== 'absent' && found !== 'landed') return found;
  const present = await waitForState(run).catch((thrown) => {
    // If the list cannot be read, what relay knows of it is enough: every request has been answered.
    if (control.signal.aborted || failureClassOf(asRelayError(thrown)) === 'connectivity') throw thrown;
    return null;
  });
  if (present) return reviewOf(run, present);
  run.cause = cause;
  const reached = rowsReached(run);
  const isReplaced = run.plan.ops[0]?.op === 'put' && run.work.step > 0;
  const ops = isReplaced && former.every(isWritable) ? replaceOps(former) : planRows(reached, former);
  if (ops === null) return ended(run, 'partial', cause);
  const notes = { ...body.notes, completed: control.completed };
  const facts = { step: 0, goingBack: true };
  await takeBody(run, { ...body, plan: { rows: reached, ops, cause: errorFacts(cause) }, notes }, facts);
  return null;
}

async function finish(run: Run): Promise<DriveEnd> {
  const { work, plan, body, context } = run;
  // A request that was sent twice may have had its effect twice. Removals cannot.
  const isChecked = work.goingBack || (work.uncertain && body.notes?.mixed !== true);
  if (isChecked && plan.ops.some((op) => writesRows(op) && op.op !== 'remove')) {
    const present = await waitForState(run);
    if (present) return reviewOf(run, present);
  }
  if (work.goingBack) return ended(run, 'rolled_back', run.cause);
  const isOnlyDetail = plan.ops.every((op) => op.op === 'details' && op.mayFail === true);
  if (body.notes?.passedOver === true && isOnlyDetail) return ended(run, 'unchanged', null);
  if (body.refused && work.written === 0 && !work.uncertain && plan.ops.length === 0)
    return ended(run, 'unchanged', null);
  if (!isReplanned(run)) return ended(run, 'done', null);
  markNextWritten(context.store, work.seq, MAX_ROWS);
  return ended(run, 'done', null, { written: Math.max(work.written, work.requested) });
}

/** Maximum number of refused entries to leave out; after that, each refusal spends an attempt. */
const MAX_REFUSED = 100;

type Listed = Extract<ChangeOp, { op: 'append' | 'insert' | 'put' | 'save' | 'unsave' }>;

/** One entry that Spotify does not know must not block the others: the request is halved until that entry is alone. */
async function leaveOut(
  run: Run,
  op: Listed,
  error: RelayError,
): Promise<'left_out' | 'counts' | 'none_left'> {
  const { work, body, plan, context } = run;
  const [before, after] = [plan.ops.slice(0, work.step), plan.ops.slice(work.step + 1)];
  if (op.uris.length > 1) {
    const half = Math.ceil(op.uris.length / 2);
    const second = op.op === 'insert' ? { ...op, at: op.at + half } : op;
    const rest = { ...second, op: op.op === 'put' ? 'append' : op.op, uris: op.uris.slice(half) };
    const halves = [{ ...op, uris: op.uris.slice(0, half) }, rest as Listed];
    await takeBody(run, withOps(body, [...before, ...halves, ...after]));
    return 'left_out';
  }
  const [uri = ''] = op.uris;
  const refused = body.refused ?? [];
  const isTrack = uri.startsWith('spotify:track:');
  if (
    refused.length >= MAX_REFUSED ||
    (isTrack && (await findTrack(context.provider, uri, run.call)) !== null)
  )
    return 'counts';
  const [next, ...others] = after;
  if (op.op === 'put' && next?.op !== 'append') return 'none_left';
  const rest =
    op.op === 'put' && next?.op === 'append'
      ? [{ ...next, op: 'put' as const }, ...others]
      : // The rows after the one that is left out come one place earlier.
        after.map((one) => (op.op === 'insert' && one.op === 'insert' ? { ...one, at: one.at - 1 } : one));
  run.failures = { ...run.failures, count: 0 };
  const isCounted = op.op !== 'unsave' || body.former.saved?.includes(uri) === true;
  const requested = Math.max(0, work.requested - (isCounted ? 1 : 0));
  const left = { ...withOps(body, [...before, ...rest]), refused: [...refused, uri] };
  await takeBody(run, left, { requested }, () => rejectNext(context.store, work.seq, errorFacts(error)));
  return 'left_out';
}

function withOps({ plan, ...body }: Body, ops: readonly ChangeOp[]): Body {
  return plan ? { ...body, plan: { ...plan, ops } } : { ...body, ops };
}

function noneKnown(cause: RelayError): RelayError {
  return cause.with({
    message: 'Spotify knows none of the songs that were to be written, so the playlist stays as it was.',
    remedy: 'Check the links or IDs, and start again with the right ones.',
  });
}
