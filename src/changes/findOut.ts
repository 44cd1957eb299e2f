/**
 * Finds out how a request ended if its answer was lost. A write counts as landed as soon as it shows. It is certain that a
 * write had no effect only after the longest time that a request is known to take. Only then does a different list count as
 * someone else's change.
 */
import type { Progress } from '../domain/change.ts';
import { asRelayError, type RelayError } from '../domain/errors.ts';
import { failureClassOf } from '../domain/failureClass.ts';
import { sameRows, uriOf } from '../domain/rows.ts';
import { LAG_MS, USUAL_LAG_MS } from '../provider/resources/playlistRows.ts';
import { isMadeByOther } from '../store/tables/changes.ts';
import { lookAtRows, lookAtStep, lookForMade } from './look.ts';
import { hasRival, unclearWhich } from './making.ts';
import { applyOp, isAfter, nextStep, rowsAt, type Step, writesRows } from './rowOps.ts';
import {
  changedMeanwhile,
  type FoundOut,
  landed,
  progressOf,
  type Run,
  record,
  saveMade,
  sizeInDoubt,
} from './run.ts';
import { ageOf, LATEST_EFFECT_MS } from './times.ts';

/** Time after which a request either has had its effect or never will. */
const OVER_MS = 60_000;
/** The wait before each look; the last one repeats. */
const LOOKS_MS = [0, 700, 800, 1_500, 3_000, 4_000, 5_000] as const;

/**
 * Reads the target until it is certain how a request ended, and records what took effect.
 * @param step the request in doubt; null after a crash, when any request after the recorded progress may be in doubt
 */
export async function findOut(run: Run, step: Step | null): Promise<FoundOut> {
  const { context, control } = run;
  const { clock } = context;
  // A minute after a crash no request can be under way any more, but the list may lag behind the last request.
  const isOld = step === null && ageOf(context, run.change) >= OVER_MS;
  const begunAt = clock.monotonic() - (isOld ? LATEST_EFFECT_MS - USUAL_LAG_MS : 0);
  const known = progressOf(run.change);
  let failures = 0;
  for (let looks = 0; ; looks++) {
    const pauseMs = LOOKS_MS[Math.min(looks, LOOKS_MS.length - 1)] ?? 0;
    try {
      if (pauseMs > 0) await clock.sleep(pauseMs, run.call.signal);
      if (!run.change.looking) beginLooking(run);
      const seen = await look(run, step, looks === 0, begunAt);
      failures = 0;
      const waited = clock.monotonic() - begunAt;
      if (seen === 'landed' && (step !== null || isOver(run))) {
        // If it took effect only after the rest of the change, it would take out or move what the rest has written.
        const rest = isHidden(run, known) && !isOver(run) ? LATEST_EFFECT_MS - waited : 0;
        if (rest > 0) await clock.sleep(rest, run.call.signal);
        return certain(run, 'landed', known);
      }
      // Until then, the request may still take effect, and the list may be a mixture from two of the provider's servers.
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

/** True if the request in doubt changes no row. Whether it has taken effect does not show, so it may still do so. */
function isHidden({ plan: { rows, ops }, change }: Run, known: Progress): boolean {
  const step = nextStep(ops, known);
  if (!step || !writesRows(step.op)) return false;
  return sameRows(rowsAt(rows, ops, known), rowsAt(rows, ops, progressOf(change)));
}

function isOver({ plan, change }: Run): boolean {
  return nextStep(plan.ops, progressOf(change)) === null;
}

type SeenKind = 'landed' | 'absent' | 'stale' | 'other';

async function look(run: Run, step: Step | null, isFirst: boolean, begunAt: number): Promise<SeenKind> {
  const { context, change, call, plan } = run;
  const known = progressOf(change);
  const present = nextStep(plan.ops, known);
  if (present?.op.op === 'create' && change.playlistId === null) return lookForCreated(run, present);
  if (change.playlistId === null || (present && !writesRows(present.op))) {
    // Sending such a request a second time does no harm.
    return 'absent';
  }
  const next = step ?? (isFirst ? null : present);
  const isAlone = !context.rows.hasWritten(change.playlistId);
  if (next && isAlone && next.op.op !== 'append' && next.op.op !== 'move') {
    const before = rowsAt(plan.rows, plan.ops, known);
    const earlier = plan.ops.slice(0, known.op).map((_, op) => rowsAt(plan.rows, plan.ops, { op, at: 0 }));
    const after = applyOp(before, next.op);
    const seen = await lookAtStep(context, change.playlistId, earlier, before, after, call);
    if (seen === 'absent') return 'absent';
    if (seen === 'landed') {
      landed(run, next.to, null);
      return 'landed';
    }
  }
  const askedAt = context.clock.monotonic();
  // Others may have written in a part of the list that would not be read otherwise.
  const whole = run.showsOthers;
  const verdict = await lookAtRows(context, change.playlistId, plan, known, call, {
    step,
    whole,
    size: sizeInDoubt(run, step),
  });
  run.showsOthers = 'isNear' in verdict && verdict.isNear === true;
  // The list still shows removed rows. Other rows are added only once the removed ones are seen to be gone, so no request that
  // adds rows was sent yet.
  if (step === null && verdict.kind === 'stale' && verdict.isKept) return 'absent';
  if (verdict.kind !== 'landed') return verdict.kind;
  // The list may show the rows from before the change until it has had time to catch up.
  const knownAt = step === null ? begunAt : run.lastWriteAt;
  if (verdict.isAmbiguous && askedAt - knownAt <= LAG_MS) return 'stale';
  // After a crash any request may be in doubt: pages of different ages could look like the effect of one, or like edits of
  // others.
  const isEarly = verdict.isOlder || (step === null && verdict.isNear);
  if (isEarly && context.clock.monotonic() - begunAt < LATEST_EFFECT_MS) return 'stale';
  // A request after `step` was not sent yet. If its rows seem to be there, the list shows a state from long before.
  if (step && isAfter(verdict.progress, step.to)) return 'stale';
  landed(run, verdict.progress, null);
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
