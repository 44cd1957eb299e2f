/** Follows a job for as long as it continues by itself: a bar on the terminal, a line now and then elsewhere. */
import { interruptible } from '../../base/abort.ts';
import { isEnded, type JobRecord } from '../../domain/job.ts';
import type { LocalApi } from '../../domain/localApi.ts';
import type { Context } from '../context.ts';
import { note, showsUnicode } from '../terminal/output.ts';

/** The server does not push a job's changes. The first answers come fast, for short lists. */
const POLL_MS = [100, 200, 300, 500, 1_000];
/** Percent between two lines where stderr is no terminal. */
const STEP = 10;

/** What only a login ends. */
const NEEDS_LOGIN: ReadonlySet<string | null> = new Set(['LOGIN_REQUIRED', 'SCOPE_MISSING']);

export function needsLogin({ status, reason }: JobRecord): boolean {
  return status === 'waiting' && NEEDS_LOGIN.has(reason);
}

/** Returns the job once it is ready, has ended, or waits for a login. */
export async function followJob(context: Context, local: LocalApi, id: string): Promise<JobRecord> {
  const { clock, signal } = context;
  const show = await createDisplay(context);
  for (let asked = 0; ; asked += 1) {
    const job = await interruptible(signal, local.getJob(id));
    if (job.status === 'ready' || isEnded(job.status) || needsLogin(job)) {
      show.clear();
      return job;
    }
    show.draw(job);
    await clock.sleep(POLL_MS[Math.min(asked, POLL_MS.length - 1)] ?? 1_000, signal);
  }
}

async function createDisplay(context: Context): Promise<{ draw(job: JobRecord): void; clear(): void }> {
  const { io, clock, env, platform, json } = context;
  if (json) return { draw() {}, clear() {} };
  const { barText, progressOf } = await import('../jobs/jobText.ts');
  const { createSpeed } = await import('../jobs/jobWatch.ts');
  if (io.terminal.stderr) {
    const speed = createSpeed();
    const unicode = showsUnicode(env, platform);
    return {
      draw: (job) =>
        io.redraw(
          barText(job, speed.sample(job, clock.now()), unicode, {
            named: context,
            now: clock.now(),
          }),
        ),
      clear: () => io.redraw(''),
    };
  }
  let shown = '';
  return {
    draw(job) {
      const { done, total } = progressOf(job);
      const step = total === 0 ? 0 : Math.floor((done / total) * (100 / STEP));
      const key = `${job.status} ${step} ${job.run_after ?? ''}`;
      if (key === shown || job.status === 'pending') return;
      shown = key;
      const until = job.run_after === null ? '' : ` until ${job.run_after} (${job.reason ?? ''})`;
      note(io, `${job.status}: ${done} of ${total}${job.status === 'waiting' ? until : ''}`);
    },
    clear() {},
  };
}
