/**
 * Carries out one change, request by request. The change is on disk before the first request. If an answer is lost,
 * nothing is sent until reading the target has shown how that request ended, unless sending it again does no harm.
 */
import { NEVER } from '../base/abort.ts';
import { asRelayError, isErrorCode, RelayError } from '../domain/errors.ts';
import { isRefusal } from '../domain/failureClass.ts';
import { type Change, getChangeBody, putChangeBody } from '../store/tables/changes.ts';
import { decide, type Ending, MAX_REPEATS } from './decide.ts';
import { findOut } from './findOut.ts';
import {
  finish,
  goOnAfterDoubt,
  goOnFromHere,
  readForRollback,
  review,
  rollBack,
  seeRemoved,
} from './finish.ts';
import { leaveOut } from './leaveOut.ts';
import { sendsAfterOthers } from './look.ts';
import { noteNamesakes } from './making.ts';
import { type ChangeContext, reread } from './record.ts';
import { nextStep, type Step, writesRows } from './rowOps.ts';
import {
  type Control,
  type DriveEnd,
  ended,
  type FoundOut,
  isUntouched,
  landed,
  leave,
  pause,
  planOf,
  progressOf,
  type Run,
  record,
  saveMade,
} from './run.ts';
import { answerOrStop, outcomeUnknown, sendStep } from './sendStep.ts';
import { isHarmlessTwice, situationOf, whyFull } from './situation.ts';

/**
 * Runs a change until it ends, must wait or needs a person, or until the server stops. Returns failures instead of throwing
 * them.
 * @throws RelayError `CANCELLED` if the record of the change was erased meanwhile
 */
export async function drive(context: ChangeContext, seq: number, control: Control): Promise<DriveEnd> {
  const change = reread(context.store, seq);
  const body = getChangeBody(context.store, seq);
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
    size: Number.POSITIVE_INFINITY,
    waits: 0,
    failures: control.before,
    lost: null,
    showsOthers: false,
    cause: change.goingBack ? storedCause(change) : null,
    lastWriteAt: Number.NEGATIVE_INFINITY,
    answered: control.isNew,
    savedAt: context.clock.monotonic(),
  };
  try {
    return await carryOut(run);
  } catch (thrown) {
    // Nothing can be recorded if the record was erased.
    reread(context.store, seq);
    if (control.signal.aborted) return { kind: 'stopped' };
    const error = asRelayError(thrown);
    if (error.code === 'INTERNAL') context.log.error({ change: change.id, err: thrown }, 'a change failed');
    return (await follow(run, 'failed', error, null)) ?? pause(run, error);
  }
}

function storedCause({ error }: Change): RelayError | null {
  return error && new RelayError(isErrorCode(error.code) ? error.code : 'INTERNAL', error.message);
}

async function carryOut(run: Run): Promise<DriveEnd> {
  const endAtStart = await takeUp(run);
  if (endAtStart) return endAtStart;
  for (;;) {
    if (run.control.signal.aborted) return stopped(run);
    await run.control.decided;
    if (run.control.cancelled && !run.change.goingBack) {
      const endOfSearch = await findLost(run);
      if (endOfSearch) return endOfSearch;
      const end = await follow(run, 'cancelled', new RelayError('CANCELLED', 'It was cancelled.'), null);
      if (end) return end;
      continue;
    }
    const step = nextStep(run.plan.ops, progressOf(run.change), run.size);
    if (step) await keepSaved(run);
    const { plan } = run;
    const endOfCheck = await seeRemoved(run);
    if (endOfCheck) return endOfCheck;
    if (run.plan !== plan) continue;
    const end = step ? await takeStep(run, step) : await finish(run);
    // A cancelled change does not pause. Once no request is in doubt, the next turn of this loop ends it.
    const isStopping = end?.kind === 'paused' && run.control.cancelled && !run.change.inTransit;
    if (end && !(isStopping && !run.change.goingBack)) return end;
  }
}

/** Before the first request of a run: settles what the last run left open. */
async function takeUp(run: Run): Promise<DriveEnd | null> {
  const { change } = run;
  if (run.control.isNew) return null;
  if (change.inTransit) {
    // The last run was interrupted: one of its requests may still be under way.
    const end = await afterDoubt(run, await findOut(run, null), null);
    if (end) return end;
  } else if (change.playlistId !== null && (change.goingBack || !run.control.cancelled)) {
    const end = await goOnFromHere(run);
    if (end) return end;
  } else if (change.playlistId === null) {
    await noteNamesakes(run);
  }
  sendsAfterOthers(run);
  record(run, { inTransit: true });
  // After a crash, the stored change must say that a request may be under way.
  await run.context.store.saveNow();
  run.savedAt = run.context.clock.monotonic();
  return null;
}

/** How long requests may be sent without saving the progress. */
const SAVE_EVERY_MS = 15_000;

/**
 * Saves the progress if it was last certain to be on disk `SAVE_EVERY_MS` ago. If that fails, nothing more is sent: after a
 * crash, the next start relies on the disk.
 * @throws RelayError `STORE_ERROR`
 */
async function keepSaved(run: Run): Promise<void> {
  const { clock, store } = run.context;
  if (clock.monotonic() - run.savedAt < SAVE_EVERY_MS) return;
  await store.saveNow();
  run.savedAt = clock.monotonic();
}

/** Sends one request; null to continue. */
async function takeStep(run: Run, step: Step): Promise<DriveEnd | null> {
  const { context, change } = run;
  if (step.op.op === 'create' && change.playlistId !== null) {
    landed(run, step.to, null);
    return null;
  }
  const sentAt = context.clock.monotonic();
  const untilSent = change.goingBack ? NEVER : run.control.untilSent;
  const sending = sendStep(context.provider, step.op, change.playlistId ?? '', change.account, untilSent);
  const settled = await answerOrStop(context.clock, run.control.signal, sending);
  if (settled === 'stopped') return { kind: 'stopped' };
  if ('answer' in settled) {
    run.lost = null;
    const { snapshotId, playlist, serverTime } = settled.answer;
    const firstSentAt = serverTime === null ? null : timeOfFirst(run, serverTime, sentAt);
    if (playlist) {
      run.control.playlist = playlist;
      await run.control.takeTurn(playlist.id);
    }
    landed(run, step.to, {
      ...(snapshotId === null ? {} : { snapshotId }),
      ...(playlist ? { playlistId: playlist.id } : {}),
      ...(firstSentAt === null ? {} : { serverTime: firstSentAt }),
    });
    run.size *= 2;
    if (playlist) await saveMade(run);
    return null;
  }
  const { error } = settled;
  if (error === untilSent.reason) return null;
  const isLost = outcomeUnknown(error);
  // An earlier try of this request may have taken effect. Until that is known, the change must neither end as unchanged nor be
  // rolled back.
  const wasLost = run.lost !== null && writesRows(step.op);
  const refusal = (isRefusal(error) && whyFull(run, step)) || error;
  if (!isLost && !wasLost) return follow(run, 'refused', refusal, step);
  const isTried = run.failures.count + 1 >= MAX_REPEATS && writesRows(step.op);
  if (isLost && isHarmlessTwice(run, step) && !isTried) {
    run.lost = error;
    // The lost request may take effect at any time, even before the next try is answered.
    record(run, { uncertain: true });
    return follow(run, 'lost', error, step);
  }
  run.answered = false;
  const found = await findOut(run, step);
  if (!isLost && found.kind === 'absent') {
    run.lost = null;
    return follow(run, 'refused', refusal, step);
  }
  return afterDoubt(run, found, (found.kind === 'absent' && whyFull(run, step)) || error);
}

/**
 * When the first request of a change was sent, by Spotify's clock; null if this answer tells nothing new about that.
 * @param date the time of the answer to a request that was sent at `sentAt`
 */
function timeOfFirst(run: Run, date: number, sentAt: number): number | null {
  const { change, control } = run;
  const { clock } = run.context;
  if (!isUntouched(run)) return null;
  if (!change.uncertain) return date - Math.ceil(clock.monotonic() - sentAt);
  // An earlier try, whose answer was lost, may have been the first to take effect.
  if (control.begunAt === null) return null;
  // The monotonic clock may stand still while the computer sleeps, so the greater age counts. That age is too great if the
  // computer's clock was set ahead, but the change did not begin before its `serverTime`.
  const ageMs = Math.max(clock.monotonic() - control.begunAt, clock.now() - change.createdAt);
  return Math.max(date - Math.ceil(ageMs), change.serverTime ?? Number.NEGATIVE_INFINITY);
}

/**
 * Called before a change is stopped: if the answer to a write of rows was lost, finds out how the write ended. A change that
 * continues sends the request again instead.
 */
async function findLost(run: Run): Promise<DriveEnd | null> {
  const step = nextStep(run.plan.ops, progressOf(run.change), run.size);
  if (run.lost === null || !step || !writesRows(step.op)) return null;
  const how = await findOut(run, step);
  if (how.kind !== 'landed' && how.kind !== 'absent') return afterDoubt(run, how, run.lost);
  run.lost = null;
  return null;
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
      return goOnAfterDoubt(run);
    case 'absent':
      return follow(run, 'absent', error, null);
  }
}

/** Carries out the move from the table; null to continue. @param error null after a crash */
async function follow(
  run: Run,
  ending: Ending,
  error: RelayError | null,
  step: Step | null,
): Promise<DriveEnd | null> {
  const { context, change } = run;
  const { move, afterMs } = decide(situationOf(run, ending, error, step));
  const cause = error ?? new RelayError('INTERNAL', 'The write was cut short.');
  if (ending === 'absent' && (move === 'send_again' || move === 'wait' || move === 'stop'))
    willSendAgain(run);
  switch (move) {
    case 'end_unchanged':
      return ended(run, 'unchanged', ending === 'absent' ? unchangedError(change, cause) : cause);
    case 'end_partial': {
      // An earlier try of the refused request may have taken effect, so the error says that the outcome is not known.
      const earlier = change.goingBack ? run.cause : ending === 'refused' ? run.lost : null;
      return ended(run, 'partial', earlier ?? cause);
    }
    case 'roll_back': {
      const shown = await readForRollback(run);
      // If the call ran out of time meanwhile, its caller was told that a job writes the rest. So it is decided as for a job.
      if (run.control.waiter === null) return follow(run, ending, error, step);
      return rollBack(run, cause, shown);
    }
    case 'wait':
      return pause(run, cause);
    case 'stop':
      leave(run);
      return { kind: 'failed', cause };
    case 'try_again':
      run.failures = { ...run.failures, count: run.failures.count + 1 };
      await context.clock.sleep(afterMs, run.call.signal);
      return null;
    case 'wait_here':
      run.waits += 1;
      await context.clock.sleep(afterMs, run.call.signal);
      return null;
    case 'send_again':
      return goOnAfterDoubt(run);
    case 'leave_out': {
      const found = step === null ? 'left_out' : await leaveOut(run, step, cause);
      if (found === 'left_out') return null;
      if (found === 'counts') return follow(run, 'failed', cause, null);
      leave(run);
      return { kind: 'failed', cause: noneKnown(cause) };
    }
    case 'pass_over':
      if (step) passOver(run, step);
      return null;
  }
}

/** Records that Spotify refused the new details, which the change can do without. */
function passOver(run: Run, { to }: Step): void {
  run.body = { ...run.body, notes: { ...run.body.notes, passedOver: true } };
  putChangeBody(run.context.store, run.change.seq, run.body);
  landed(run, to, null, true);
}

/** Records that a request is sent again, now or later: if both tries take effect, its rows are there twice. */
function willSendAgain(run: Run): void {
  const step = nextStep(run.plan.ops, progressOf(run.change), run.size);
  if (step && 'uris' in step.op) {
    run.body = { ...run.body, notes: { ...run.body.notes, sentAgain: step.op.uris } };
    putChangeBody(run.context.store, run.change.seq, run.body);
  }
  record(run, { uncertain: true });
}

/** The error for a replacement by songs that Spotify all refuses. */
function noneKnown(cause: RelayError): RelayError {
  return cause.with({
    message: 'Spotify knows none of the songs that were to be written, so the playlist stays as it was.',
    remedy: 'Check the links or IDs, and start again with the right ones.',
  });
}

/** The error if the answer was lost, but reading showed that the request had no effect. */
function unchangedError({ kind }: Change, cause: RelayError): RelayError {
  return cause.with({
    message: `${cause.message} ${kind === 'create' ? 'No playlist was made.' : 'The playlist is unchanged.'}`,
    remedy: 'Try again in a minute.',
  });
}

/** Records that no request is under way, so that the next start need not find out how one ended. */
function stopped(run: Run): DriveEnd {
  record(run, { inTransit: false });
  return { kind: 'stopped' };
}
