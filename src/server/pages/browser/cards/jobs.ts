/** Durable jobs: how far each is, and what a person can do about it. */
import { isWorking, type JobStatus } from '../../../../domain/job.ts';
import type { PageJob } from '../../../../domain/ownerPage.ts';
import { type App, button, card, name, soft, withCode } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { count, fromNow, number, wordsOfReason } from '../format.ts';
import { ask } from '../session.ts';

export function jobsCard(app: App): Child {
  const { jobs, jobsTotal } = app.state;
  return card(
    'jobs',
    'Jobs',
    jobs.length === 0
      ? soft('Long lists become jobs: ask a client for one, or drop a file below.')
      : h(
          'ul',
          { class: 'list' },
          jobs.map((job) => jobRow(app, job)),
        ),
    jobsTotal > jobs.length && soft(`${count(jobsTotal - jobs.length, 'older job')}: relay jobs`),
  );
}

function jobRow(app: App, job: PageJob): Child {
  const [done, of] = progressOf(job);
  return h(
    'li',
    { key: job.id, class: 'job' },
    h(
      'p',
      { class: 'line' },
      h('span', null, name(job.title)),
      h(
        'span',
        { class: `pill ${MOODS[job.status] ?? ''}` },
        job.reviewRequired ? 'needs you' : WORDS[job.status],
      ),
    ),
    (isMoving(job) || job.status === 'waiting') &&
      h('progress', {
        max: Math.max(1, of),
        value: done,
        'aria-label': `${job.title}: ${WORDS[job.status]}`,
      }),
    soft(countsOf(job), ` · ${fromNow(job.createdAt)}`),
    job.status === 'waiting' && h('p', { class: 'warn' }, waitOf(job)),
    job.error !== null &&
      h(
        'p',
        { class: 'bad' },
        job.error.message,
        job.error.remedy !== null && [' ', withCode(job.error.remedy)],
      ),
    h('div', { class: 'row' }, actionsOf(app, job)),
  );
}

/** Whether something continues without being asked, so that the page looks again soon. */
export function isMoving({ status }: PageJob): boolean {
  return isWorking(status);
}

const WORDS: Readonly<Record<JobStatus, string>> = {
  pending: 'starting',
  resolving: 'searching',
  waiting: 'waiting',
  ready: 'ready to write',
  committing: 'writing',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

const MOODS: Readonly<Partial<Record<JobStatus, string>>> = {
  ready: 'good',
  completed: 'good',
  failed: 'bad',
  waiting: 'warn',
};

function progressOf(job: PageJob): readonly [done: number, of: number] {
  if (job.status === 'committing') return [job.written, job.resolved - job.skipped];
  return [job.total - job.pending, job.total];
}

function countsOf(job: PageJob): string {
  const parts = [
    job.pending > 0
      ? `${number(job.total - job.pending)} of ${number(job.total)} searched`
      : count(job.total, 'entry', 'entries'),
    `${number(job.resolved)} found`,
    ...(job.unresolved > 0 ? [`${number(job.unresolved)} unresolved`] : []),
    ...(job.skipped > 0 ? [`${number(job.skipped)} left out`] : []),
    ...(job.written > 0 ? [`${number(job.written)} written`] : []),
  ];
  return parts.join(', ');
}

function waitOf({ reason, runAfter }: PageJob): string {
  const why = reason === null ? '' : `: ${wordsOfReason(reason)}`;
  return runAfter === null ? `It waits${why}.` : `It continues by itself ${fromNow(runAfter)}${why}.`;
}

function actionsOf(app: App, job: PageJob): Child[] {
  const { id, status, title } = job;
  const act = (text: string, work: () => Promise<unknown>, options: Parameters<typeof button>[4] = {}) =>
    button(app, `${text} ${id}`, text, work, {
      about: title,
      ...options,
    });
  const resume = (review: 'carry_on' | 'accept' | null) => () => ask('jobs/resume', { id, review });
  const cancel = act('Cancel', () => ask('jobs/cancel', { id }), {
    confirm: 'Cancel now',
    done: 'The job is cancelled; what was written stays.',
    kind: 'quiet',
  });
  const settle = h(
    'button',
    {
      key: 'settle',
      type: 'button',
      class: 'primary',
      'aria-label': `Settle ${number(job.unresolved)}: ${title}`,
      onclick: () => app.openPicker(id),
    },
    `Settle ${number(job.unresolved)}`,
  );
  if (job.reviewRequired && status === 'failed') {
    return [
      act('Carry on', resume('carry_on'), { kind: 'primary' }),
      act('Keep the playlist as it is', resume('accept')),
    ];
  }
  if (status === 'ready') {
    const needsSkip = job.strict && job.unresolved > 0;
    const write = act(
      job.unresolved > 0
        ? `Write the ${number(job.resolved)} found`
        : `Write ${count(job.resolved, 'track')}`,
      () => ask('jobs/commit', { id, skipUnresolved: needsSkip }),
      job.unresolved > 0 ? {} : { kind: 'primary' },
    );
    return [job.unresolved > 0 && settle, job.resolved > 0 && write, cancel];
  }
  if (status === 'waiting') return [act('Try now', resume(null)), cancel];
  if (status === 'failed') return [act('Try again', resume(null), { kind: 'primary' }), cancel];
  return isWorking(status) ? [cancel] : [];
}
