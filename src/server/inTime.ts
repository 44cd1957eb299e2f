/** The time limit of the owner's calls, and the error for calls that exceed it. */
import { withDeadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { tookTooLong } from '../domain/errors.ts';
import type { Remedy } from '../domain/remedy.ts';

/** Time limit of a call: below the 60 s after which the command line gives up on a silent server. */
const ASK_MS = 50_000;

/**
 * Runs `work` with a signal that aborts after `ms`.
 * @param what the subject of the error's sentence, such as `The question`
 * @throws RelayError `DEADLINE_EXCEEDED`
 */
export function inTime<T>(
  { clock }: { clock: Clock },
  what: string,
  remedy: string | Remedy,
  work: (signal: AbortSignal) => Promise<T>,
  ms = ASK_MS,
): Promise<T> {
  return withDeadline({ clock, ms, late: tookTooLong(what, ms, remedy) }, work);
}
