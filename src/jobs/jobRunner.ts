/**
 * Runs jobs in lanes, one for searching and three for writing, each with one job at a time. An idle lane sleeps until the
 * first waiting job is due or something changes; nothing polls.
 */
import { aborted } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { asRelayError, RelayError } from '../domain/errors.ts';
import { failureClassOf } from '../domain/failureClass.ts';
import type { JobPhase } from '../domain/job.ts';
import { MAX_WAIT_MS } from '../domain/pause.ts';
import { boundWaits, dueJob, getJobBySeq, type Job, nextRunAfter } from '../store/tables/jobs.ts';
import { commitStep } from './commit.ts';
import type { JobContext } from './context.ts';
import { endOfFailure, follow } from './outcome.ts';
import { resolveStep } from './resolveStep.ts';

/** Number of jobs that write at the same time; more than one, since a job may be waiting for a list to catch up. */
const COMMIT_LANES = 3;
/** Pause between attempts while the state cannot be saved. */
const SAVE_RETRY_MS = 10_000;

interface Work {
  stop: AbortController;
  ended: Promise<void>;
}

export function createJobRunner(context: JobContext) {
  const { store, clock, log } = context;
  const steps = { resolve: resolveStep, commit: commitStep };
  const waker = createWaker(clock);
  const working = new Map<number, Work>();
  const lanes: Promise<void>[] = [];
  let stopped = false;

  async function lane(phase: JobPhase): Promise<void> {
    let last = 0;
    while (!stopped) {
      if (boundWaits(store, clock.now(), MAX_WAIT_MS) > 0) store.saveSoon();
      const busy = [...working.keys()];
      const job = dueJob(store, phase, clock.now(), last, busy);
      if (!job) {
        await waker.sleepUntil(nextRunAfter(store, phase, busy));
        continue;
      }
      last = job.seq;
      const saved = await work(phase, job);
      if (!saved && !stopped) await waker.sleepUntil(clock.now() + SAVE_RETRY_MS);
      // Songs with an alias need no request. Without this pause, nothing else would get a turn between steps.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Carries out one step of one job; false if the state could not be saved. */
  async function work(phase: JobPhase, job: Job): Promise<boolean> {
    const stop = new AbortController();
    const step = run(phase, job, stop.signal);
    const mine = { stop, ended: step.then(() => {}) };
    working.set(job.seq, mine);
    try {
      return await step;
    } finally {
      working.delete(job.seq);
      // If the job was committed during this step, the writing lanes skipped it then.
      if (getJobBySeq(store, job.seq)?.phase !== phase) waker.wake();
    }
  }

  async function run(phase: JobPhase, job: Job, signal: AbortSignal): Promise<boolean> {
    try {
      await steps[phase](context, job, signal);
      return true;
    } catch (thrown) {
      if (signal.aborted) return true;
      const error = asRelayError(thrown);
      if (error.code === 'INTERNAL') log.error({ job: job.id, err: thrown }, 'a step of a job failed');
      return handleFailure(job, error);
    }
  }

  async function handleFailure(job: Job, error: RelayError): Promise<boolean> {
    try {
      if (failureClassOf(error) === 'store') throw error;
      const present = getJobBySeq(store, job.seq);
      if (present) await follow(context, job, null, endOfFailure(present, error));
      return true;
    } catch (thrown) {
      log.error({ job: job.id, err: thrown }, 'could not save the state of a job');
      return false;
    }
  }

  /** Ends a job's searches and waits at once; a write in transit may finish. Resolves when no lane works on the job. */
  async function release(seq: number): Promise<void> {
    const work = working.get(seq);
    work?.stop.abort(new RelayError('CANCELLED', 'The job was stopped.'));
    await work?.ended;
  }

  return {
    start() {
      // A bug here must not end the server: jobs stop until the next start, and nothing is lost.
      const ended = (error: unknown) => log.error({ err: error }, 'jobs have stopped');
      lanes.push(lane('resolve').catch(ended));
      for (let count = 0; count < COMMIT_LANES; count++) lanes.push(lane('commit').catch(ended));
    },
    /** Tells the lanes that something has changed: a job was created, resumed, committed or cancelled, or an account connected. */
    wake: waker.wake,
    release,
    /** Releases all jobs, and starts no more steps. */
    async stop() {
      stopped = true;
      waker.wake();
      await Promise.all([...working.keys()].map(release));
      await Promise.all(lanes);
    },
  };
}

/** The longest sleep. Timers stop while the computer is suspended, but the clock does not. */
const MAX_SLEEP_MS = 10 * 60_000;

/** Lets lanes sleep until a given time or until woken, whichever comes first. */
function createWaker(clock: Clock) {
  const sleepers = new Set<AbortController>();
  return {
    /** Ends every sleep. */
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
