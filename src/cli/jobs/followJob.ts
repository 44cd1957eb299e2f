/** Follows a job until it is ready or has ended, and shows its progress as a bar, as lines, or as JSON. */
import { isEnded, type JobRecord } from '../../domain/job.ts';
import type { Context } from '../context.ts';
import { note, printJson, showsUnicode } from '../terminal/output.ts';
import { timeText } from '../terminal/time.ts';
import { barText, progressOf } from './jobText.ts';

/** The server does not push a job's changes, so the job is polled. */
const POLL_MS = 1_000;
/** Percent of the work between two lines, if stderr is not a terminal. */
const STEP = 10;

export interface JobDisplay {
  draw(job: JobRecord): void;
  /** Called with the job at the end. */
  end(job: JobRecord): void;
}

interface Following {
  display: JobDisplay;
  /** Returns true to stop following early. Following always stops when the job is ready or has ended. */
  until?: (job: JobRecord) => boolean;
  /** The pauses after the first polls, in milliseconds. Later pauses take `POLL_MS`. */
  firstPollsMs?: readonly number[];
}

export async function followJob(
  context: Context,
  ask: () => Promise<JobRecord>,
  { display, until = () => false, firstPollsMs = [] }: Following,
): Promise<JobRecord> {
  const { clock, signal } = context;
  for (let asked = 0; ; asked += 1) {
    const job = await ask();
    if (job.status === 'ready' || isEnded(job.status) || until(job)) {
      display.end(job);
      return job;
    }
    display.draw(job);
    await clock.sleep(firstPollsMs[asked] ?? POLL_MS, signal);
  }
}

export const silent: JobDisplay = { draw() {}, end() {} };

/** Shows a bar on the terminal, which is removed at the end. */
export function bar(context: Context): JobDisplay {
  const { io, clock, env, platform } = context;
  const unicode = showsUnicode(env, platform);
  return {
    draw(job) {
      io.redraw(barText(job, unicode, { named: context, now: clock.now() }));
    },
    end: () => io.redraw(''),
  };
}

/** Prints a line for each state and each tenth of the work. */
export function progressLines({ io, clock }: Context): JobDisplay {
  let shown = '';
  return {
    draw(job) {
      const { done, total } = progressOf(job);
      const step = total === 0 ? 0 : Math.floor((done / total) * (100 / STEP));
      const key = `${job.status} ${step} ${job.run_after ?? ''}`;
      if (key === shown || job.status === 'pending') return;
      shown = key;
      const again = job.run_after === null ? '' : `, continues ${timeText(job.run_after, clock.now())}`;
      const wait = job.status === 'waiting' ? `${again} (${job.reason ?? ''})` : '';
      note(io, `${job.status}: ${done} of ${total}${wait}`);
    },
    end() {},
  };
}

/** Prints the whole record each time the job changes. */
export function jsonLines({ io }: Context): JobDisplay {
  let shown = '';
  const draw = (job: JobRecord) => {
    const text = JSON.stringify(job);
    if (text !== shown) printJson(io, job);
    shown = text;
  };
  return { draw, end: draw };
}
