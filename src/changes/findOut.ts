/**
 * Finds out how a request ended if its answer was lost. If it took effect, the list usually shows that soon. That it had no
 * effect is certain only after the longest time that a request is known to take. Until then, a list that matches no state of the
 * change does not count as someone else's edit.
 */
import type { Progress } from '../domain/change.ts';
import { asRelayError, type RelayError } from '../domain/errors.ts';
import { failureClassOf } from '../domain/failureClass.ts';
import { sameRows, uriOf } from '../domain/rows.ts';
import { LAG_MS, USUAL_LAG_MS } from '../provider/resources/playlistRows.ts';
import { isMadeByOther } from '../store/tables/changes.ts';
import { foundByLater, lookAtRows, lookAtStep, lookForMade } from './look.ts';
import { hasRival, unclearWhich } from './making.ts';
import { isAfter, nextStep, rowsAt, type Step, writesRows } from './rowOps.ts';
import {
  changedMeanwhile,
  type FoundOut,
  landed,
  progressOf,
  type Run,
  record,
  rowsReached,
  saveMade,
} from './run.ts';
import { ageOf, LATEST_EFFECT_MS } from './times.ts';

/** If a change was last at work this long ago, none of its requests can still be under way. */
const OVER_MS = 60_000;
/** The wait before each look; the last one repeats. */
const LOOKS_MS = [0, 700, 800, 1_500, 3_000, 4_000, 5_000] as const;

/**
 * Reads the target until it is certain how a request ended, and records what took effect.
 * @param step the request in doubt; null if the last run was interrupted, so that any request after the recorded progress may be
 * in doubt
 */
export async function findOut(run: Run, step: Step | null): Promise<FoundOut> {
  const { context, control } = run;
  const { clock } = context;
  // If no request can be under way any more, only the lag of the list has to be waited for.
  const isOld = step === null && ageOf(context, run.change) >= OVER_MS;
  const doubtSince = clock.monotonic() - (isOld ? LATEST_EFFECT_MS - USUAL_LAG_MS : 0);
  const known = progressOf(run.change);
  let failures = 0;
  for (let looks = 0; ; looks++) {
    const pauseMs = LOOKS_MS[Math.min(looks, LOOKS_MS.length - 1)] ?? 0;
    try {
      if (pauseMs > 0) await clock.sleep(pauseMs, run.call.signal);
      if (!run.change.looking) beginLooking(run);
      // A slow look shows the list as it was when the look began.
      const waited = clock.monotonic() - doubtSince;
      const seen = await look(run, step, looks === 0, doubtSince);
      failures = 0;
      if (seen === 'landed' && (step !== null || isOver(run))) {
        // The request may still take effect. If that happened after the rest of the change, it would remove or move rows that the
        // change has written.
        const waitMs = isHidden(run, known) && !isOver(run) ? LATEST_EFFECT_MS - waited : 0;
        if (waitMs > 0) await clock.sleep(waitMs, run.call.signal);
        return certain(run, 'landed', known);
      }
      // Until `LATEST_EFFECT_MS` have passed, the request may still take effect. Pages may also come from two of the provider's
      // servers, and not fit together.
      if (waited < LATEST_EFFECT_MS) continue;
      if (seen === 'landed' || seen === 'absent') return certain(run, seen, known);
      if (seen === 'other' || waited >= LATEST_EFFECT_MS * 2)
        return { kind: 'review', cause: await conflict(run) };
    } catch (thrown) {
      if (control.signal.aborted) return { kind: 'stopped' };
      const error = asRelayError(thrown);
      failures += 1;
      const mayPassSoon = failureClassOf(error) === 'connectivity' && failures < 4;
      if (!mayPassSoon) return { kind: 'paused', cause: error };
    }
  }
}

function beginLooking(run: Run): void {
  run.context.log.info({ change: run.change.id }, 'finding out how a request ended');
  record(run, { looking: true });
}

/** @param known what was known to have taken effect before */
function certain(run: Run, kind: 'landed' | 'absent', known: Progress): FoundOut {
  const mayComeLater = kind === 'landed' && isHidden(run, known);
  record(run, { looking: false, ...(mayComeLater ? { uncertain: true } : {}) });
  return { kind };
}

/**
 * True if the request in doubt writes rows without changing the list. Reading cannot show whether it took effect, so it may
 * still do so later.
 */
function isHidden({ plan, change }: Run, known: Progress): boolean {
  const step = nextStep(plan.ops, known);
  if (!step || !writesRows(step.op)) return false;
  return sameRows(rowsAt(plan, known), rowsReached({ plan, change }));
}

function isOver({ plan, change }: Run): boolean {
  return nextStep(plan.ops, progressOf(change)) === null;
}

type SeenKind = 'landed' | 'absent' | 'stale' | 'other';

async function look(run: Run, step: Step | null, isFirst: boolean, doubtSince: number): Promise<SeenKind> {
  const { context, change, plan } = run;
  const known = progressOf(change);
  const upcoming = nextStep(plan.ops, known);
  if (upcoming?.op.op === 'create' && change.playlistId === null) return lookForCreated(run, upcoming);
  if (change.playlistId === null || (upcoming && !writesRows(upcoming.op))) {
    // A request that does not write rows of a playlist can be sent a second time without harm.
    return 'absent';
  }
  const shownLater = step === null ? foundByLater(run) : null;
  if (shownLater?.kind === 'landed' || shownLater?.kind === 'absent') {
    run.showsOthers = true;
    if (shownLater.kind === 'landed') landed(run, shownLater.to, null);
    return shownLater.kind;
  }
  const next = step ?? (isFirst ? null : upcoming);
  const hasNoRecentWrite = !context.rows.hasWritten(change.playlistId);
  if (next && hasNoRecentWrite && next.op.op !== 'append' && next.op.op !== 'move') {
    const seen = await lookAtStep(run, next.op);
    if (seen === 'absent') return 'absent';
    if (seen === 'landed') {
      landed(run, next.to, null);
      return 'landed';
    }
  }
  const askedAt = context.clock.monotonic();
  // If the last look showed what others wrote, they may have written elsewhere too, so all rows are read.
  const verdict = await lookAtRows(run, step, run.showsOthers);
  run.showsOthers = 'isNear' in verdict && verdict.isNear === true;
  // The list still shows removed rows. Other rows are added only once the removed ones are seen to be gone, so no request that
  // adds rows has been sent yet. If all rows are replaced after the removal, it does not matter whether these rows are there.
  const isBeforeNext = step === null || step.op.op === 'put';
  if (isBeforeNext && verdict.kind === 'stale' && verdict.isKept) return 'absent';
  if (verdict.kind !== 'landed') return verdict.kind;
  // An earlier state of this change looks the same. Until the list has had time to catch up, it may be showing that state.
  const knownAt = step === null ? doubtSince : run.lastWriteAt;
  if (verdict.isAmbiguous && askedAt - knownAt <= LAG_MS) return 'stale';
  // The list may show a state from before an earlier change. If any request may be in doubt, a mix of pages of different ages
  // can look like a request's effect, or like other people's edits.
  const isDoubtful = verdict.isOlder || (step === null && verdict.isNear);
  if (isDoubtful && context.clock.monotonic() - doubtSince < LATEST_EFFECT_MS) return 'stale';
  // No request after `step` has been sent yet. If the list seems to show the rows of a later one, it shows an older state that
  // looks the same.
  if (step && isAfter(verdict.to, step.to)) return 'stale';
  landed(run, verdict.to, null);
  return step === null || isAfter(progressOf(run.change), step.from) ? 'landed' : 'absent';
}

async function lookForCreated(run: Run, step: Step): Promise<SeenKind> {
  const { context, control, change, call } = run;
  if (step.op.op !== 'create') return 'absent';
  const made = await lookForMade(context, step.op, change.account, call);
  if (made === null) return 'absent';
  if (made === 'unclear' || hasRival(context.store, change.seq, step.op.details.name)) return 'other';
  if (isMadeByOther(context.store, made.id, change.seq)) return 'absent';
  landed(run, step.to, { playlistId: made.id, snapshotId: made.snapshotId });
  await control.takeTurn(made.id);
  await saveMade(run);
  return 'landed';
}

async function conflict(run: Run): Promise<RelayError> {
  const { context, change, call } = run;
  if (change.playlistId === null) return unclearWhich();
  const present = (await context.rows.readFresh(change.playlistId, call)).map(uriOf);
  return changedMeanwhile(run, present);
}
