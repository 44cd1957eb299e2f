/** What to do when a request has failed, or when a change is to be stopped: one table. Pure. */
import type { FailureClass } from '../domain/failureClass.ts';

/**
 * Who waits for a change: a call, or a call with a list. A call with a list becomes a job when Spotify asks to wait. From a
 * `lenient_list`, entries that Spotify refuses are left out. Every call gets its answer at once if the change cannot be finished
 * within the time of the call.
 *
 * A change that nobody waits for continues, however long it takes. It waits until a limit ends, the login is back, or the network
 * is back. It leaves out entries that Spotify refuses.
 */
export type Waiter = 'call' | 'list' | 'lenient_list';

/** What happened. */
export type Ending =
  /** The request was refused, or certainly not sent. */
  | 'refused'
  /** The answer is lost, and sending the request again does no harm. */
  | 'lost'
  /** The answer is lost, and reading has shown that the request had no effect. */
  | 'absent'
  /** Something else failed, such as a reading or a save. */
  | 'failed'
  /** The change is to be stopped, and no request is under way. */
  | 'cancelled';

export interface Situation {
  ending: Ending;
  /** Class of the failure; null after a crash, when the reason is not known. */
  failure: FailureClass | null;
  /** True during a rollback. */
  isBack: boolean;
  /** Who waits for the change; null for a job, which may take as long as it needs. */
  waiter: Waiter | null;
  /** True if no request of the change is known to have taken effect. */
  isUntouched: boolean;
  /** True if the change also removes rows, so that some may be missing until it is finished. */
  isRewriting: boolean;
  /** True if an earlier try of the same request may have taken effect. */
  mayHaveLanded: boolean;
  /** Number of failures in a row, this one included. */
  failures: number;
  /** True if the attempts of the request are used up. */
  isUsedUp: boolean;
  /** Number of seconds that Spotify asks to wait; null if it does not say. */
  waitSeconds: number | null;
  /** Number of times that the caller has been made to wait so far. */
  waits: number;
  /** True if the change continues when Spotify refuses the details in this request. They then stay as they are. */
  mayFail: boolean;
  /** True if the request has entries, so that one that Spotify refuses can be left out. */
  isListed: boolean;
  /** True if Spotify does not know a playlist that was just made. */
  isTooNew: boolean;
  /** True if the plan only appends rows, and no request was sent twice yet. */
  isFirstAddition: boolean;
}

export type Move =
  | 'end_unchanged'
  | 'end_partial'
  | 'roll_back'
  /** Pauses; how long depends on the failure. */
  | 'wait'
  /** Fails; somebody may resume the change later. */
  | 'stop'
  /** Sends the same request after `afterMs`; counts as a failure. */
  | 'try_again'
  /** Sends the same request after `afterMs`, while its caller waits. */
  | 'wait_here'
  /** Sends the same request at once. */
  | 'send_again'
  /** Halves the request until the entry that Spotify refuses is found. */
  | 'leave_out'
  /** Continues as if the request had taken effect. */
  | 'pass_over';

interface Rule {
  ending: Ending;
  when?: (situation: Situation) => boolean;
  move: Move;
  afterMs?: (situation: Situation) => number;
}

/** For each request of a rollback while a caller waits: the maximum number of tries, and the longest wait between two of them. */
const ROLLBACK = { tries: 4, waitSeconds: 30 };
/** Maximum number of tries of a request that may be sent twice without harm. */
export const MAX_REPEATS = 3;
/**
 * How often a request to a new playlist is sent again, since some of the provider's servers do not know the playlist for a
 * moment.
 */
const MAX_UNKNOWN = 6;
/** In the middle of a write, a caller waits for a limit of at most this many seconds, and at most this often. */
const PATIENCE = { seconds: 5, waits: 3 };

const isUnwatched = ({ waiter }: Situation) => waiter === null;
const mayLeaveOut = (s: Situation) => s.isListed && (isUnwatched(s) || s.waiter === 'lenient_list');
const isRefusal = ({ failure }: Situation) => failure === 'request' || failure === 'item';
const isShort = ({ waitSeconds, waits }: Situation) =>
  waitSeconds !== null && waitSeconds <= PATIENCE.seconds && waits < PATIENCE.waits;
const backWait = ({ waitSeconds, failures }: Situation) => waitSeconds ?? failures;
const isBackLong = (s: Situation) =>
  isUnwatched(s) || s.failures >= ROLLBACK.tries || backWait(s) > ROLLBACK.waitSeconds;

/** The first rule that fits counts. */
const RULES: readonly Rule[] = [
  {
    ending: 'refused',
    when: (s) => s.isBack && isRefusal(s) && (!isUnwatched(s) || s.isUsedUp),
    move: 'end_partial',
  },
  { ending: 'refused', when: (s) => s.isBack && isBackLong(s), move: 'wait' },
  { ending: 'refused', when: (s) => s.isBack, move: 'try_again', afterMs: (s) => backWait(s) * 1_000 },
  { ending: 'refused', when: (s) => s.failure === 'item' && s.mayFail, move: 'pass_over' },
  { ending: 'refused', when: (s) => s.failure === 'item' && mayLeaveOut(s), move: 'leave_out' },
  { ending: 'refused', when: (s) => isUnwatched(s) && s.isUsedUp, move: 'stop' },
  { ending: 'refused', when: isUnwatched, move: 'wait' },
  {
    ending: 'refused',
    when: (s) => s.isTooNew && s.failures <= MAX_UNKNOWN,
    move: 'try_again',
    afterMs: (s) => 400 * s.failures,
  },
  { ending: 'refused', when: (s) => s.failure === 'limit' && s.waiter !== 'call', move: 'wait' },
  { ending: 'refused', when: (s) => s.isUntouched && !s.mayHaveLanded, move: 'end_unchanged' },
  { ending: 'refused', when: isShort, move: 'wait_here', afterMs: (s) => (s.waitSeconds ?? 0) * 1_000 },
  { ending: 'refused', when: (s) => s.isRewriting && isRefusal(s), move: 'roll_back' },
  { ending: 'refused', when: (s) => s.isRewriting || s.failure === 'connectivity', move: 'wait' },
  { ending: 'refused', move: 'end_partial' },

  { ending: 'lost', when: isUnwatched, move: 'wait' },
  { ending: 'lost', when: (s) => s.failures >= MAX_REPEATS, move: 'end_partial' },
  { ending: 'lost', move: 'try_again', afterMs: (s) => 1_000 * s.failures },

  { ending: 'absent', when: (s) => s.failure === null, move: 'send_again' },
  {
    ending: 'absent',
    when: (s) => !isUnwatched(s) && !s.isBack && s.isUntouched && !s.isFirstAddition,
    move: 'end_unchanged',
  },
  { ending: 'absent', when: (s) => !isUnwatched(s) && s.isRewriting, move: 'roll_back' },
  { ending: 'absent', when: (s) => isRefusal(s) && isUnwatched(s), move: 'stop' },
  { ending: 'absent', when: isRefusal, move: 'end_partial' },
  { ending: 'absent', when: isUnwatched, move: 'wait' },
  { ending: 'absent', move: 'send_again' },

  { ending: 'failed', when: (s) => isUnwatched(s) && s.isUsedUp, move: 'stop' },
  { ending: 'failed', move: 'wait' },

  { ending: 'cancelled', when: (s) => s.isUntouched && !s.mayHaveLanded, move: 'end_unchanged' },
  { ending: 'cancelled', when: (s) => s.isRewriting && !isUnwatched(s), move: 'roll_back' },
  { ending: 'cancelled', move: 'end_partial' },
];

/** @param situation after the failure */
export function decide(situation: Situation): { move: Move; afterMs: number } {
  const rule = RULES.find(
    ({ ending, when }) => ending === situation.ending && (when === undefined || when(situation)),
  );
  if (!rule) throw new Error(`Nothing says what follows when a request is ${situation.ending}.`);
  return { move: rule.move, afterMs: rule.afterMs?.(situation) ?? 0 };
}
