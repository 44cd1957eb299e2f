/** The ways in which a run ends, and what each records. */
import { asRelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import { EMPTY_PREVIEW, INTERVAL_MS, type KeepPreview, type KeepStatus } from '../../domain/keep.ts';
import { pauseAfter } from '../../domain/pause.ts';
import { getKeep, type Keep, type KeepChange, setKeep } from '../../store/tables/keeps.ts';
import type { Work } from '../../store/tables/works.ts';
import { isHalted, type KeepsContext, putKeep } from './keepsContext.ts';
import { nextDue, REMEMBERED_RUNS } from './plan.ts';

/** What a run did or would do. */
export interface Outcome {
  preview: KeepPreview;
  changeId?: string;
}

/** The outcome of a run with nothing to show. */
export const NOTHING: Outcome = { preview: EMPTY_PREVIEW };

/** The recorded result of a run that waits for review. */
export const WAITS_FOR_REVIEW = 'nothing written: waiting for your review';
/** How long to wait while a write continues as a job. */
const LOOK_AT_JOB_MS = 60_000;
/** How long to wait while the library is not completely read, or after a login failure without a time. */
const LOOK_AGAIN_MS = 5 * 60_000;

/** @param stopping aborts when the program ends: errors after that are not recorded as failures */
export function createEndings(context: KeepsContext, stopping: AbortSignal) {
  const { store, clock, random, log } = context;

  /** The facts that every completed run records. */
  function ran({ dueAt, every }: Keep): KeepChange {
    return {
      lastRunAt: clock.now(),
      dueAt: nextDue(dueAt, INTERVAL_MS[every], clock.now()),
      retryAt: null,
      failures: 0,
      reason: null,
      preview: null,
      accepted: null,
    };
  }

  /** The given status; `paused` if the playlist is paused, since a person may have a paused playlist run once. */
  const unlessPaused = <T extends KeepStatus>({ id }: Keep, status: T) =>
    getKeep(store, id)?.status === 'paused' ? 'paused' : status;

  const endings = {
    /**
     * Records that the playlist waits.
     * @param retryAt when to try again, in Unix milliseconds; null if only a login or the next due time ends the wait
     */
    async waits(
      keep: Keep,
      reason: string,
      retryAt: number | null = clock.now() + LOOK_AGAIN_MS,
    ): Promise<Outcome> {
      const status = unlessPaused(keep, 'waiting');
      // An early run does no harm: while a rate limit lasts, relay sends no request that it covers.
      const latest = clock.now() + INTERVAL_MS[keep.every];
      const at = retryAt === null ? null : Math.min(retryAt, latest);
      await putKeep(store, keep, { status, reason, preview: null, retryAt: at });
      return NOTHING;
    },
    /** Records that the last write still continues as a job, or that this job waits for a person. */
    async waitsForJob(keep: Keep, change: Work): Promise<Outcome> {
      const name = `job ${shortId(change.id)}`;
      if (change.status !== 'failed') {
        return endings.waits(keep, `Its last write continues as ${name}.`, clock.now() + LOOK_AT_JOB_MS);
      }
      if (isHalted(store, keep)) return NOTHING;
      const what = change.reviewRequired
        ? 'Somebody changed it during the write'
        : 'Its last write has failed';
      const reason = `${what}: see ${name}.`;
      const status = unlessPaused(keep, 'review');
      await putKeep(store, keep, { status, reason, preview: EMPTY_PREVIEW, retryAt: null });
      return NOTHING;
    },
    async review(keep: Keep, reason: string, preview: KeepPreview): Promise<Outcome> {
      // If the playlist was paused during the run, it stays due, and the review follows once the playlist is resumed. If it is no
      // longer kept, nothing is recorded.
      if (isHalted(store, keep)) return { preview };
      const lastResult = WAITS_FOR_REVIEW;
      const status = unlessPaused(keep, 'review');
      await putKeep(store, keep, { ...ran(keep), status, reason, preview, lastResult });
      return { preview };
    },
    /** Records a failure: depending on the error, the playlist waits or is up for review. */
    async failed(keep: Keep, thrown: unknown): Promise<Outcome> {
      const error = asRelayError(thrown);
      if (stopping.aborted || error.code === 'SHUTTING_DOWN') return NOTHING;
      if (error.code === 'INTERNAL')
        log.error({ err: thrown, keep: keep.id }, 'a kept playlist could not be run');
      if (NEEDS_REVIEW.has(error.code)) {
        return endings.review(keep, `${error.message} ${error.remedy ?? ''}`.trim(), EMPTY_PREVIEW);
      }
      const failures = (getKeep(store, keep.id)?.failures ?? 0) + 1;
      const { until } = pauseAfter(error, { failures, now: clock.now(), fraction: random.fraction() });
      setKeep(store, keep.id, { failures });
      return endings.waits(keep, `${error.code}: ${error.message}`, until ?? undefined);
    },
    /**
     * Records that nothing had to be written.
     * @param left the rows that are there, under the IDs that they were written with
     */
    async unchanged(keep: Keep, left: readonly string[], preview: KeepPreview): Promise<Outcome> {
      const lastResult = 'nothing to change';
      await putKeep(store, keep, {
        ...ran(keep),
        status: unlessPaused(keep, 'active'),
        leftRows: left,
        lastResult,
      });
      return { preview };
    },
    /** Records what was written. @param digest digest of what the query asked for */
    async wrote(keep: Keep, change: Work, digest: string, preview: KeepPreview): Promise<Outcome> {
      const did = [
        ...(preview.added_count > 0 ? [`${preview.added_count} added`] : []),
        ...(preview.removed_count > 0 ? [`${preview.removed_count} removed`] : []),
      ];
      await putKeep(store, keep, {
        ...ran(keep),
        status: unlessPaused(keep, 'active'),
        written: [...keep.written, digest].slice(-REMEMBERED_RUNS),
        lastResult: did.join(', ') || (preview.total === 0 ? 'no song matches' : 'reordered'),
      });
      return { preview, changeId: change.id };
    },
  };
  return endings;
}

/** Codes of failures that do not pass by themselves, so that a person reviews them. */
const NEEDS_REVIEW: ReadonlySet<string> = new Set([
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'FORBIDDEN',
  'UNSUPPORTED_ITEMS',
  'INTERNAL',
]);
