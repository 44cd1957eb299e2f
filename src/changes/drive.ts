/**
 * Carries out one change, request after request. The change is on disk before the first request. Where an answer is lost,
 * the target is read until it is certain how that request ended; nothing else is sent before.
 */
import type { ChangeOp, Progress } from '../domain/change.ts';
import { asRelayError, isErrorCode, RelayError } from '../domain/errors.ts';
import { failureClassOf, isRefusal } from '../domain/failureClass.ts';
import { getTrack } from '../provider/resources/catalog.ts';
import {
  type Change,
  getChangeBody,
  isGoingBack,
  putChangeBody,
  setChange,
} from '../store/tables/changes.ts';
import { decide, type Ending, MAX_REPEATS, type Situation } from './decide.ts';
import { findOut } from './findOut.ts';
import { finish, goOnFromHere, review, rollBack, seeRemoved } from './finish.ts';
import { unclearWhich } from './making.ts';
import { type ChangeContext, errorFacts, reread } from './record.ts';
import { nextStep, onlyAppends, progressAt, rowsAt, type Step, writesRows } from './rowOps.ts';
import {
  type Control,
  type DriveEnd,
  ended,
  enter,
  type FoundOut,
  failuresBefore,
  goingState,
  isInDoubt,
  isRewriting,
  isUntouched,
  landed,
  pause,
  planOf,
  progressOf,
  type Run,
  saveMade,
} from './run.ts';
import { outcomeUnknown, sendStep } from './sendStep.ts';

/** After this many single entries that the provider refuses, the change fails as a whole. */
const MAX_REFUSED = 20;

/**
 * Runs a change until it ends, waits, needs a person, or the server stops. Failures are in what it returns.
 * @param carryOn a person has decided that a change under review writes what is missing
 */
export async function drive(
  context: ChangeContext,
  seq: number,
  control: Control,
  carryOn = false,
): Promise<DriveEnd> {
  const change = reread(context.store, seq);
  const body = getChangeBody(context.store, change.seq);
  const run: Run = {
    context,
    control,
    change,
    body,
    plan: planOf(body),
    call: {
      signal: control.signal,
      progress() {},
      ...(change.account === null ? {} : { account: change.account }),
    },
    playlist: null,
    steps: 0,
    size: Number.POSITIVE_INFINITY,
    waits: 0,
    lost: null,
    cause: isGoingBack(change) ? storedCause(change) : null,
    lastWriteAt: Number.NEGATIVE_INFINITY,
    giveBack: () => {},
    answered: control.isNew,
    savedAt: context.clock.monotonic(),
  };
  try {
    return await carryOut(run, carryOn);
  } catch (thrown) {
    if (control.signal.aborted) return { kind: 'stopped' };
    const error = asRelayError(thrown);
    if (error.code === 'INTERNAL') context.log.error({ change: change.id, err: thrown }, 'a change failed');
    return (await follow(run, 'failed', error, null)) ?? { kind: 'paused', cause: error };
  } finally {
    run.giveBack();
  }
}

function storedCause({ error }: Change): RelayError | null {
  return error && new RelayError(isErrorCode(error.code) ? error.code : 'INTERNAL', error.message);
}

async function carryOut(run: Run, carryOn: boolean): Promise<DriveEnd> {
  const begin = await takeUp(run, carryOn);
  if (begin) return begin;
  for (;;) {
    if (run.control.signal.aborted) return stopped(run);
    await run.control.decided();
    if (run.control.isCancelled() && !isGoingBack(run.change)) {
      const end = await follow(run, 'cancelled', new RelayError('CANCELLED', 'It was cancelled.'), null);
      if (end) return end;
      continue;
    }
    const step = nextStep(run.plan.ops, progressOf(run.change), run.size);
    if (step) await keepSaved(run);
    const { plan } = run;
    const early = step && (await seeRemoved(run, step));
    if (early) return early;
    if (run.plan !== plan) continue;
    const end = step ? await takeStep(run, step) : await finish(run);
    // One that is to be stopped waits for nothing once it is certain how its last request ended.
    const isOver = end?.kind === 'paused' && run.control.isCancelled() && !run.change.inTransit;
    if (end && !(isOver && !isGoingBack(run.change))) return end;
  }
}

/** Before the first request of a run: what the last run left open. */
async function takeUp(run: Run, carryOn: boolean): Promise<DriveEnd | null> {
  const { change } = run;
  if (run.control.isNew) return null;
  if (change.inTransit) {
    // The last run did not end in order: a request of it may still be on its way.
    const end = await afterDoubt(run, await findOut(run, null), null);
    if (end) return end;
  } else if (change.playlistId !== null && !(!isGoingBack(change) && run.control.isCancelled())) {
    const end = await goOnFromHere(run, carryOn);
    if (end) return end;
  } else if (change.playlistId === null && change.state === 'review' && !carryOn) {
    return review(run, unclearWhich());
  }
  enter(run, goingState(run), { runAfter: null, inTransit: true });
  // What a crash leaves must say that something may be on its way.
  await run.context.store.saveNow();
  run.savedAt = run.context.clock.monotonic();
  return null;
}

/** How long requests are sent without the progress being saved. */
const SAVE_EVERY_MS = 15_000;

/**
 * Progress is saved by the way. Where that fails, no request is sent much later than what is on the disk says: a start after a
 * crash goes by that.
 * @throws RelayError `STORE_ERROR`
 */
async function keepSaved(run: Run): Promise<void> {
  const { clock, store } = run.context;
  if (clock.monotonic() - run.savedAt < SAVE_EVERY_MS) return;
  await store.saveNow();
  run.savedAt = clock.monotonic();
}

/** Sends one request; null to go on. */
async function takeStep(run: Run, step: Step): Promise<DriveEnd | null> {
  const { context, change } = run;
  if (step.op.op === 'create' && change.playlistId !== null) {
    landed(run, step.to, 0, null);
    return null;
  }
  const sending = sendStep(context.provider, step.op, change.playlistId ?? '', change.account);
  const settled = await settledOrStopped(run, sending);
  if (settled === 'stopped') return { kind: 'stopped' };
  if ('answer' in settled) {
    run.lost = null;
    const { snapshotId, playlist, serverTime } = settled.answer;
    if (playlist) {
      run.playlist = playlist;
      run.control.onMade?.(playlist);
      run.giveBack = await context.rows.takeTurn(playlist.id);
    }
    landed(run, step.to, step.op.op === 'create' ? 0 : step.count, {
      ...(snapshotId === null ? {} : { snapshotId }),
      ...(playlist ? { playlistId: playlist.id } : {}),
      ...(serverTime !== null && isUntouched(run) && !change.uncertain ? { serverTime } : {}),
    });
    run.size *= 2;
    if (playlist) await saveMade(run);
    return null;
  }
  const { error } = settled;
  if (!outcomeUnknown(error))
    return follow(run, 'refused', (isRefusal(error) && fullError(run, step)) || error, step);
  const isTried = change.failures + 1 >= MAX_REPEATS && writesRows(step.op);
  if (isHarmlessTwice(run, step) && !isTried) {
    run.lost = error;
    // It may have taken effect now, long before it is answered.
    setChange(context.store, change.seq, { uncertain: true }, context.clock.now());
    return follow(run, 'lost', error, step);
  }
  run.answered = false;
  enter(run, 'outcome_unknown', { error: errorFacts(error) });
  const found = await findOut(run, step);
  return afterDoubt(run, found, (found.kind === 'absent' && fullError(run, step)) || error);
}

/** About as many rows as a playlist takes. */
const MAX_ROWS = 10_000;

/** Why a request that adds rows was refused or had no effect where the playlist is full; null where it is not. */
function fullError({ plan, change }: Run, { op, count }: Step): RelayError | null {
  if (op.op !== 'append' && op.op !== 'insert') return null;
  const held = rowsAt(plan.rows, plan.ops, progressOf(change)).length;
  if (held + count <= MAX_ROWS) return null;
  return new RelayError(
    'FORBIDDEN',
    `The playlist ${change.playlistId} is full: it has ${held} rows, and Spotify takes about ${MAX_ROWS}.`,
    { remedy: 'Put the others into a new playlist.' },
  );
}

/** True if sending it again does no harm: also taking out rows, where nothing is to be put back after it. */
function isHarmlessTwice({ plan }: Run, { op }: Step): boolean {
  if (op.op === 'remove') return plan.ops.every((one) => one.op === 'remove');
  return !writesRows(op) && op.op !== 'create';
}

/** How long a stopping server waits for a request that was sent. */
const STOP_GRACE_MS = 6_000;

type Answer = Awaited<ReturnType<typeof sendStep>>;

async function settledOrStopped(
  { context: { clock }, control: { signal } }: Run,
  sending: Promise<Answer>,
): Promise<{ answer: Answer } | { error: RelayError } | 'stopped'> {
  const settled = sending.then(
    (answer) => ({ answer }),
    (thrown: unknown) => ({ error: asRelayError(thrown) }),
  );
  let begin = () => {};
  const grace = new Promise<'stopped'>((resolve) => {
    begin = () => void clock.sleep(STOP_GRACE_MS).then(() => resolve('stopped'));
  });
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  try {
    return await Promise.race([settled, grace]);
  } finally {
    signal.removeEventListener('abort', begin);
  }
}

async function afterDoubt(run: Run, found: FoundOut, error: RelayError | null): Promise<DriveEnd | null> {
  switch (found.kind) {
    case 'stopped':
      return { kind: 'stopped' };
    case 'paused':
      return follow(run, 'failed', found.cause, null);
    case 'review':
      return review(run, found.cause);
    case 'landed':
      enter(run, goingState(run), {});
      return null;
    case 'absent':
      return follow(run, 'absent', error, null);
  }
}

function situationOf(run: Run, ending: Ending, error: RelayError | null, step: Step | null): Situation {
  const { change, control } = run;
  const waiter = control.waiter();
  const isBack = isGoingBack(change);
  const asksToWait = error !== null && (isBack || error.code === 'RATE_LIMITED');
  const op = step?.op;
  return {
    ending,
    failure: error && failureClassOf(error),
    isBack,
    waiter,
    isUntouched: isUntouched(run),
    isRewriting: isRewriting(run),
    mayHaveLanded: run.lost !== null,
    failures: change.failures + 1,
    isUsedUp: error !== null && isRefusal(error) && failuresBefore(change, error) + 1 >= control.maxAttempts,
    waitSeconds: (asksToWait && error.retryAfterSeconds) || null,
    waits: run.waits,
    mayFail: op?.op === 'details' && op.mayFail === true,
    isListed: op?.op === 'append' || op?.op === 'save' || op?.op === 'unsave',
    isTooNew: error?.code === 'NOT_FOUND' && run.playlist !== null,
    isFirstAddition: onlyAppends(run.plan.ops) && !change.uncertain,
  };
}

/** Does what the table says. null to go on. @param error null after a crash */
async function follow(
  run: Run,
  ending: Ending,
  error: RelayError | null,
  step: Step | null,
): Promise<DriveEnd | null> {
  const { context, change } = run;
  const { move, afterMs } = decide(situationOf(run, ending, error, step));
  const cause = error ?? new RelayError('INTERNAL', 'The write was cut short.');
  switch (move) {
    case 'end_unchanged':
      return ended(run, 'unchanged', ending === 'absent' ? unchangedError(cause) : cause);
    case 'end_partial': {
      // Refused now, but sent before: what is told is that nobody knows.
      const earlier = isGoingBack(change) ? run.cause : ending === 'refused' ? run.lost : null;
      return ended(run, 'partial', earlier ?? cause);
    }
    case 'roll_back':
      return rollBack(run, cause);
    case 'wait':
      return pause(run, cause);
    case 'stop':
      return stop(run, cause);
    case 'try_again':
      setChange(context.store, change.seq, { failures: change.failures + 1 }, context.clock.now());
      run.change = reread(context.store, change.seq);
      await context.clock.sleep(afterMs, run.call.signal);
      return null;
    case 'wait_here':
      run.waits += 1;
      await context.clock.sleep(afterMs, run.call.signal);
      return null;
    case 'send_again':
    case 'wait_and_send_again':
      noteSentAgain(run);
      enter(run, goingState(run), { uncertain: true });
      return move === 'send_again' ? null : pause(run, cause);
    case 'leave_out':
      return step && splitOrLeaveOut(run, step, cause);
    case 'pass_over':
      if (step) landed(run, step.to, step.count, null);
      return null;
  }
}

/** Notes what is sent again: if both requests take effect in the end, it is there twice. */
function noteSentAgain(run: Run): void {
  const step = nextStep(run.plan.ops, progressOf(run.change), run.size);
  if (!step || !('uris' in step.op)) return;
  run.body = { ...run.body, notes: { ...run.body.notes, sentAgain: step.op.uris } };
  putChangeBody(run.context.store, run.change.seq, run.body);
}

/** The answer was lost, but reading showed that the request had no effect. */
function unchangedError(cause: RelayError): RelayError {
  return cause.with({
    message: `${cause.message} The playlist is unchanged.`,
    remedy: 'Try again in a minute.',
  });
}

/** Stops until it is resumed. */
function stop(run: Run, error: RelayError): DriveEnd {
  enter(run, 'waiting', {
    runAfter: null,
    reason: error.code,
    error: errorFacts(error),
    inTransit: isInDoubt(run.change),
    failures: 0,
  });
  return { kind: 'failed', cause: error };
}

/** One entry that the provider does not know must not block the other ninety-nine of its request. */
async function splitOrLeaveOut(run: Run, step: Step, error: RelayError): Promise<DriveEnd | null> {
  const { context, control, change, body } = run;
  if (step.count > 1) {
    run.size = Math.ceil(step.count / 2);
    return null;
  }
  const refused = body.refused ?? [];
  const uri = 'uris' in step.op ? (step.op.uris[0] ?? '') : '';
  // What Spotify itself shows is not unknown to it: such a refusal passes.
  if ((await exists(run, uri)) || refused.length >= MAX_REFUSED) return follow(run, 'failed', error, null);
  const ops = withoutEntry(run.plan.ops, step.from);
  run.plan = { ...run.plan, ops };
  run.body = { ...body, refused: [...refused, uri], ...(body.plan ? { plan: run.plan } : { ops }) };
  run.size = Number.POSITIVE_INFINITY;
  context.store.transaction(() => {
    putChangeBody(context.store, change.seq, run.body);
    const to = progressAt(ops, step.from.op, step.from.at);
    setChange(context.store, change.seq, { ...to, failures: 0 }, context.clock.now());
    run.change = reread(context.store, change.seq);
    control.onEntries?.(run.change, error);
  });
  context.store.saveSoon();
  return null;
}

async function exists({ context, call }: Run, uri: string): Promise<boolean> {
  if (!uri.startsWith('spotify:track:')) return false;
  try {
    await getTrack(context.provider, uri.slice('spotify:track:'.length), call);
    return true;
  } catch (thrown) {
    const error = asRelayError(thrown);
    if (error.code === 'NOT_FOUND' || error.code === 'INVALID_ARGUMENT') return false;
    throw error;
  }
}

function withoutEntry(ops: readonly ChangeOp[], { op, at }: Progress): readonly ChangeOp[] {
  return ops.map((entry, index) =>
    index === op && 'uris' in entry
      ? ({ ...entry, uris: entry.uris.filter((_, place) => place !== at) } as ChangeOp)
      : entry,
  );
}

/** Records that nothing is on its way, so that the next start continues without looking. */
function stopped(run: Run): DriveEnd {
  setChange(run.context.store, run.change.seq, { inTransit: false }, run.context.clock.now());
  run.context.store.saveSoon();
  return { kind: 'stopped' };
}
