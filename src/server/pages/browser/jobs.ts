/** A job on the page: how far it has come, in words and a matching colour, and what a person can do about it. */
import { isWorking } from '../../../domain/job.ts';
import type { PageJob } from '../../../domain/ownerPage.ts';
import { type App, type ButtonOptions, button, name, placeLink, row, soft, withCode } from './app.ts';
import { type Child, h } from './dom.ts';
import { count, fromNow, number, withLocalTimes, wordsOfReason } from './format.ts';
import { ask } from './session.ts';

/** True if the job waits for a person. */
export function needsOwner({ status }: PageJob): boolean {
  return status === 'ready' || status === 'failed';
}

type Mood = 'good' | 'warn' | 'bad' | '';

/** A job's state in words, and a matching colour. */
export function stateOf(job: PageJob): readonly [words: string, mood: Mood] {
  switch (job.status) {
    case 'pending':
    case 'resolving':
      return ['Finding songs', ''];
    case 'waiting':
      return ['Waiting', 'warn'];
    case 'ready':
      if (job.unresolved > 0) return [`${number(job.unresolved)} to settle`, 'warn'];
      return job.resolved > 0 ? ['Ready to write', 'good'] : ['Nothing to write', ''];
    case 'committing':
      return ['Writing', ''];
    case 'completed':
      if (job.dryRun) return ['Dry run', ''];
      return job.written > 0 ? ['Done', 'good'] : ['Nothing to write', ''];
    case 'failed':
      return job.reviewRequired ? ['Your decision', 'warn'] : ['Stopped', 'bad'];
    case 'cancelled':
      return ['Cancelled', ''];
  }
}

export function jobRow(app: App, job: PageJob): Child {
  const [words, mood] = stateOf(job);
  const [done, of] = progressOf(job);
  return h.li(
    { key: job.id, id: `job-${job.id}`, class: 'job', tabindex: '-1' },
    h.p({ class: 'line' }, h.strong(name(job.title)), h.span({ class: `pill ${mood}` }, words)),
    (isWorking(job.status) || job.status === 'waiting') &&
      h.progress({ max: Math.max(1, of), value: done, 'aria-label': `${job.title}: ${words}` }),
    soft(countsOf(job), ` · ${fromNow(job.createdAt)}`, placeLink(job.place, job.title)),
    job.status === 'waiting' && h.p({ class: 'warn' }, waitOf(job)),
    job.error !== null &&
      h.p(
        { class: job.reviewRequired ? 'warn' : 'bad' },
        withLocalTimes(job.error.message),
        job.error.remedy !== null && [' ', withCode(job.error.remedy)],
      ),
    row(actionsOf(app, job)),
  );
}

function progressOf(job: PageJob): readonly [done: number, of: number] {
  if (job.phase === 'commit') return [job.written, job.toWrite];
  return [job.total - job.pending, job.total];
}

/** The counts of a job in words: `300 songs: 267 found, 33 not matched`. */
export function countsOf(job: PageJob): string {
  if (job.total === 0) return '';
  const parts = [
    ...(job.written > 0 ? [`${number(job.written)} written`] : [`${number(job.resolved)} found`]),
    ...(job.unresolved > 0 ? [`${number(job.unresolved)} not matched`] : []),
    ...(job.skipped > 0 ? [`${number(job.skipped)} left out`] : []),
  ];
  const all =
    job.pending > 0
      ? `${number(job.total - job.pending)} of ${count(job.total, 'song')} searched`
      : count(job.total, 'song');
  return `${all}: ${parts.join(', ')}`;
}

function waitOf({ reason, runAfter }: PageJob): string {
  const why = reason === null ? '' : `: ${wordsOfReason(reason)}`;
  if (runAfter === null) return `It waits${why}.`;
  // After the computer has slept, the server may take some minutes to notice that the time has come.
  const when = Date.parse(runAfter) > Date.now() ? fromNow(runAfter) : 'soon';
  return `It continues by itself ${when}${why}.`;
}

function actionsOf(app: App, job: PageJob): Child[] {
  const { id, status, title } = job;
  const act = (text: string, work: () => Promise<unknown>, options: ButtonOptions = {}) =>
    button(app, `${text} ${id}`, text, work, { about: title, ...options });
  const resume = (review: 'continue' | 'keep' | 'undo' | null) => () => ask('jobs/resume', { id, review });
  const cancel = act('Cancel', () => ask('jobs/cancel', { id }), {
    confirm: 'Cancel now',
    done: 'The job is cancelled; songs already written stay.',
    kind: 'quiet',
  });
  const settle = h.button(
    {
      key: 'settle',
      type: 'button',
      class: job.resolved > 0 ? '' : 'primary',
      'aria-label': `Settle ${number(job.unresolved)}: ${title}`,
      onclick: () => app.openPicker(id),
    },
    `Settle ${number(job.unresolved)}`,
  );
  if (job.reviewRequired && status === 'failed') {
    return [
      act('As asked', resume('continue'), { kind: 'primary' }),
      act('Keep it', resume('keep')),
      act('As it was', resume('undo')),
    ];
  }
  if (status === 'ready') {
    const needsSkip = job.strict && job.unresolved > 0;
    const write = act(
      job.unresolved > 0 ? `Write the ${number(job.resolved)} found` : `Write ${count(job.resolved, 'song')}`,
      () => ask('jobs/commit', { id, skipUnresolved: needsSkip }),
      { kind: 'primary' },
    );
    return [job.resolved > 0 && write, job.unresolved > 0 && settle, cancel];
  }
  if (status === 'waiting')
    return [act('Try now', resume(null), { done: 'It continues as soon as it can.' }), cancel];
  if (status === 'failed') return [act('Try again', resume(null), { kind: 'primary' }), cancel];
  return isWorking(status) ? [cancel] : [];
}
