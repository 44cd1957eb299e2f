/** Follows a job until it is ready or has ended: a bar on the terminal, or with `--json` a line for each change. */
import { isEnded, type JobRecord } from '../../domain/job.ts';
import type { Context } from '../context.ts';
import { printJson, showsUnicode } from '../terminal/output.ts';
import { barText, progressOf } from './jobText.ts';

/** The tools do not push changes of a job, so it is polled. */
const POLL_MS = 1_000;
/** Answers that the speed is measured over. */
const SAMPLES = 10;

export async function watchJob(context: Context, ask: () => Promise<JobRecord>): Promise<JobRecord> {
  const { io, clock, signal, env, platform } = context;
  const speed = createSpeed();
  const unicode = showsUnicode(env, platform);
  let shown = '';
  for (;;) {
    const job = await ask();
    const text = JSON.stringify(job);
    if (context.json && text !== shown) printJson(io, job);
    shown = text;
    if (job.status === 'ready' || isEnded(job.status)) {
      if (io.terminal.stderr && !context.json) io.redraw('');
      return job;
    }
    const perSecond = speed.sample(job, clock.now());
    if (io.terminal.stderr && !context.json)
      io.redraw(barText(job, perSecond, unicode, { named: context, now: clock.now() }));
    await clock.sleep(POLL_MS, signal);
  }
}

/** Items a second over the last answers; null while there are too few. @internal */
export function createSpeed(): { sample(job: JobRecord, now: number): number | null } {
  let samples: Array<{ at: number; done: number }> = [];
  let status = '';
  return {
    sample(job, now) {
      if (job.status !== status) samples = [];
      status = job.status;
      samples = [...samples, { at: now, done: progressOf(job).done }].slice(-SAMPLES);
      const [first] = samples;
      const last = samples.at(-1);
      if (!first || !last || last.at === first.at) return null;
      return ((last.done - first.done) / (last.at - first.at)) * 1_000;
    },
  };
}
