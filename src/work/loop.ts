/**
 * The loop: takes up works that are due, in lanes that do one thing at a time. An idle lane sleeps until the first waiting work is
 * due or something changes; nothing polls.
 */
import { aborted } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { asRelayError, RelayError } from '../domain/errors.ts';
import { failureClassOf } from '../domain/failureClass.ts';
import type { JobPhase } from '../domain/job.ts';
import { MAX_WAIT_MS } from '../domain/pause.ts';
import { boundWaits, dueWork, getWorkBySeq, nextRunAfter, type Work } from '../store/tables/works.ts';
import { commitStep } from './commit.ts';
import { endOfFailure, follow } from './follow.ts';
import { type SearchContext, searchStep } from './resolve/searchStep.ts';
import type { Writes } from './write/writes.ts';

/** One lane searches. Three write, since a write may be waiting for a list to catch up. Kept playlists have a lane of their own. */
const LANES: readonly JobPhase[] = ['resolve', 'commit', 'commit', 'commit'];

/** Pause between attempts while the state cannot be saved. */
const SAVE_RETRY_MS = 10_000;

/** Does what is due in a lane. Returns when more is due, in Unix milliseconds; null if only a change makes something due. */
export type Turn = () => Promise<number | null>;

interface Busy {
  stop: AbortController;
  ended: Promise<void>;
}

export function createLoop(context: SearchContext & { writes: Writes }) {
  const { store, clock, log } = context;
  const steps = { resolve: searchStep, commit: commitStep };
  const waker = createWaker(clock);
  const busy = new Map<number, Busy>();
  const lanes: Promise<void>[] = [];
  let stopped = false;

  function addLane(turn: Turn): void {
    const lane = async () => {
      while (!stopped) {
        const next = await turn();
        if (!stopped && (next === null || next > clock.now())) await waker.sleepUntil(next);
        // Songs with an alias need no request. Without this pause, nothing else would get a turn between steps.
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    // A bug here must not end the server: the lane stops until the next start, and nothing is lost.
    lanes.push(lane().catch((error) => log.error({ err: error }, 'a lane has stopped')));
  }

  function worksIn(phase: JobPhase): Turn {
    let last = 0;
    return async () => {
      if (boundWaits(store, clock.now(), MAX_WAIT_MS) > 0) store.saveSoon();
      const others = [...busy.keys()];
      const work = dueWork(store, phase, clock.now(), last, others);
      if (!work) return nextRunAfter(store, phase, others);
      last = work.seq;
      const saved = await takeUp(phase, work);
      return clock.now() + (saved ? 0 : SAVE_RETRY_MS);
    };
  }

  /** Carries out one step of one work; false if the state could not be saved. */
  async function takeUp(phase: JobPhase, work: Work): Promise<boolean> {
    const stop = new AbortController();
    const step = carryOut(phase, work, stop.signal);
    busy.set(work.seq, { stop, ended: step.then(() => {}) });
    try {
      return await step;
    } finally {
      busy.delete(work.seq);
      // If it was committed during this step, the writing lanes skipped it then.
      if (getWorkBySeq(store, work.seq)?.phase !== phase) waker.wake();
    }
  }

  async function carryOut(phase: JobPhase, work: Work, signal: AbortSignal): Promise<boolean> {
    try {
      await steps[phase](context, work, signal);
      return true;
    } catch (thrown) {
      if (signal.aborted) return true;
      const error = asRelayError(thrown);
      if (error.code === 'INTERNAL') log.error({ work: work.id, err: thrown }, 'a step of a work failed');
      return recordFailure(work, error);
    }
  }

  async function recordFailure(work: Work, error: RelayError): Promise<boolean> {
    try {
      if (failureClassOf(error) === 'store') throw error;
      const present = getWorkBySeq(store, work.seq);
      if (present) await follow(context, present, endOfFailure(present, error));
      return true;
    } catch (thrown) {
      log.error({ work: work.id, err: thrown }, 'could not save the state of a work');
      return false;
    }
  }

  /** Ends the searches and waits of a work at once; a request on its way may finish. Resolves when no lane works on it. */
  async function release(seq: number): Promise<void> {
    const one = busy.get(seq);
    one?.stop.abort(new RelayError('CANCELLED', 'The job was stopped.'));
    await one?.ended;
  }

  return {
    start() {
      for (const phase of LANES) addLane(worksIn(phase));
    },
    /** Begins another lane, for what is no work yet. */
    addLane,
    /** Tells the lanes that something has changed: a work was stored, resumed, committed or cancelled, or an account connected. */
    wake: waker.wake,
    release,
    async stop() {
      stopped = true;
      waker.wake();
      await Promise.all([...busy.keys()].map(release));
      await Promise.all(lanes);
    },
  };
}

/** The longest sleep. Timers stop while the computer is suspended, but the clock does not. */
const MAX_SLEEP_MS = 10 * 60_000;

function createWaker(clock: Clock) {
  const sleepers = new Set<AbortController>();
  return {
    wake() {
      for (const sleeper of sleepers) sleeper.abort();
    },
    /** Sleeps until `at` (Unix milliseconds; null: until woken), but at most for `MAX_SLEEP_MS`. */
    async sleepUntil(at: number | null): Promise<void> {
      const sleeper = new AbortController();
      sleepers.add(sleeper);
      const ms = at === null ? null : Math.max(0, Math.min(at - clock.now(), MAX_SLEEP_MS));
      await (ms === null ? aborted(sleeper.signal) : clock.sleep(ms, sleeper.signal).catch(() => {}));
      sleepers.delete(sleeper);
    },
  };
}
