/** Durable jobs for a person. Pure: records in, lines out. */
import { counted } from '../../base/counted.ts';
import { visibleJson, visibleText } from '../../base/visibleText.ts';
import type { ItemRecord, JobRecord } from '../../tools/jobTools.ts';
import { commandLine, type NamedHome } from '../commandLine.ts';
import { columns, wrap } from '../terminal/output.ts';
import { minute } from '../terminal/time.ts';

/** Enough of an ID to name a job among a person's own. */
const SHORT_ID = 8;

/** Characters of an error or a remedy. */
const MAX_CHARACTERS = 1_000;

export function jobTable(jobs: readonly JobRecord[], named: NamedHome): string[] {
  const rows = jobs.map((job) => [
    job.job_id.slice(0, SHORT_ID),
    job.status,
    job.type,
    progressText(job),
    minute(job.created_at),
    waitText(job, named),
  ]);
  return columns([['ID', 'STATUS', 'TYPE', 'DONE', 'CREATED', ''], ...rows]);
}

/** A job that is ready or has ended says what can be done with it. */
export function jobText(
  job: JobRecord,
  unresolved: readonly ItemRecord[],
  width: number,
  named: NamedHome,
): string[] {
  const facts: Array<[string, string]> = [
    ['job', job.job_id],
    ['type', job.type],
    ['status', [job.status, waitText(job, named)].filter(Boolean).join(', ')],
    ...(job.playlist_id === null
      ? []
      : ([['playlist', visibleText(job.playlist_id)]] as Array<[string, string]>)),
    ['items', countsText(job)],
    ['created', job.created_at],
    ...(job.completed_at === null ? [] : ([['ended', job.completed_at]] as Array<[string, string]>)),
  ];
  const error = job.error
    ? ['', ...wrap(visibleText(`${job.error.code}: ${job.error.message}`, MAX_CHARACTERS), width)]
    : [];
  // Under review, the remedy is the two commands at the end.
  const remedy =
    job.error?.remedy && !job.review_required
      ? wrap(visibleText(job.error.remedy, MAX_CHARACTERS), width - 2).map((line) => `  ${line}`)
      : [];
  const open = unresolved.length > 0 ? ['', 'Did not resolve:', ...unresolved.map(itemLine)] : [];
  const next = nextSteps(job, named);
  return [...columns(facts), ...error, ...remedy, ...open, ...(next.length === 0 ? [] : ['', ...next])];
}

function countsText(job: JobRecord): string {
  const counts: Array<[number, string]> = [
    [job.resolved, 'resolved'],
    [job.pending, 'pending'],
    [job.ambiguous, 'ambiguous'],
    [job.unmatched, 'unmatched'],
    [job.failed, 'failed'],
    [job.skipped_existing, 'left out'],
    [job.written, 'written'],
  ];
  const shown = counts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`);
  return `${job.total_items}: ${shown.join(', ')}`;
}

function itemLine({ position, input, status, candidates }: ItemRecord): string {
  const first = candidates?.[0]?.track;
  const near = first
    ? `; nearest: ${named(first.name, first.artists.map(({ name }) => name).join(', '))}`
    : '';
  return `  ${position + 1}. ${inputText(input)} (${status}${near})`;
}

function inputText(input: unknown): string {
  const { title, artist } = (input ?? {}) as { title?: unknown; artist?: unknown };
  return typeof title === 'string' ? named(title, String(artist)) : visibleText(visibleJson(input));
}

function named(title: string, artist: string): string {
  return `${visibleText(title, 100)} by ${visibleText(artist, 100)}`;
}

function nextSteps(job: JobRecord, named: NamedHome): string[] {
  const command = (action: string, ...more: string[]) =>
    commandLine(named, 'jobs', action, job.job_id.slice(0, SHORT_ID), ...more);
  if (job.status === 'failed' && job.review_required) {
    return [
      `To write what is missing after what is there: ${command('resume', '--review', 'carry-on')}`,
      `To keep the playlist as it is: ${command('resume', '--review', 'accept')}`,
      `To compare both lists: ${command('show', '--json')}`,
    ];
  }
  if (job.status === 'failed') return [`To resume it: ${command('resume')}`];
  if (job.status !== 'ready') return [];
  const open = job.ambiguous + job.unmatched + job.failed;
  if (open === 0 || (job.payload.strict === false && job.resolved > 0))
    return [`To write it: ${command('commit')}`];
  return [`${counted(open, 'item')} did not resolve. To search for them again: ${command('resume')}`];
}

/** What a job waits for; empty for one that does not wait. */
function waitText(job: JobRecord, named: NamedHome): string {
  if (job.status !== 'waiting') {
    return job.review_required ? `review it: ${commandLine(named, 'jobs', 'show', 'ID')}` : '';
  }
  if (job.reason === 'LOGIN_REQUIRED' || job.reason === 'SCOPE_MISSING') {
    return `for a login: ${commandLine(named, 'login')}`;
  }
  const until = job.run_after === null ? '' : `until ${minute(job.run_after)}`;
  return [until, job.reason === null ? '' : `(${visibleText(job.reason)})`].filter(Boolean).join(' ');
}

/** Writing counts what is written, everything before it what has been looked up. */
export function progressOf(job: JobRecord): { done: number; total: number } {
  const writes = job.status === 'committing' || job.status === 'completed' || job.written > 0;
  if (writes) return { done: job.written, total: job.resolved - job.skipped_existing };
  return { done: job.total_items - job.pending, total: job.total_items };
}

function progressText(job: JobRecord): string {
  const { done, total } = progressOf(job);
  return `${done} of ${total}`;
}

const BAR_WIDTH = 24;

/** One line: status, a bar, how much is done, the speed, and the time left or until when it waits. */
export function barText(
  job: JobRecord,
  perSecond: number | null,
  unicode: boolean,
  named: NamedHome,
): string {
  const { done, total } = progressOf(job);
  const filled = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH);
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  const bar = full.repeat(filled) + empty.repeat(BAR_WIDTH - filled);
  const parts = [`${job.status} ${bar} ${done} of ${total}`];
  if (job.status === 'waiting') parts.push(`waits ${waitText(job, named)}`);
  else if (perSecond !== null && perSecond > 0) {
    parts.push(`${rateText(perSecond)} a second`, `${durationText((total - done) / perSecond)} left`);
  }
  return parts.join(', ');
}

function rateText(perSecond: number): string {
  return perSecond >= 10 ? String(Math.round(perSecond)) : perSecond.toFixed(1);
}

/** `40 s`, `12 min`, `3 h`. @internal */
export function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3_600)} h`;
}
