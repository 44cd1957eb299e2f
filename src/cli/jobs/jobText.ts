/** Durable jobs as text for a person. Pure: records in, lines out. */

import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import { jobWords } from '../../domain/changeWords.ts';
import { isErrorCode, withPlaylistName } from '../../domain/errors.ts';
import { failureClassOf } from '../../domain/failureClass.ts';
import { BARE_ID } from '../../domain/ids.ts';
import {
  type ItemRecord,
  isDryRunOver,
  isForgiven,
  isPastSettling,
  type JobRecord,
  shortId,
  unresolvedOf,
} from '../../domain/job.ts';
import { readRemedy, terminalText } from '../../domain/remedy.ts';
import { inputWords } from '../../domain/settling.ts';
import type { Track } from '../../domain/shapes.ts';
import { commandLine, inBackquotes, type NamedHome } from '../commandLine.ts';
import { differenceLines } from '../lists/undoCommand.ts';
import { wrap } from '../terminal/output.ts';
import { type Table, tableLines } from '../terminal/table.ts';
import { timeText, withTimes } from '../terminal/time.ts';

/** Maximum number of characters of an error or a remedy. */
const MAX_CHARACTERS = 1_000;

export interface JobView {
  named: NamedHome;
  now: number;
  names: ReadonlyMap<string, string>;
}

export function jobTable(jobs: readonly JobRecord[], view: JobView): Table {
  return {
    heads: ['WHAT', 'ID', 'STATUS', 'DONE', 'OPEN', 'CREATED', 'NEXT'],
    rows: jobs.map((job) => {
      const { done, total } = progressOf(job);
      return [
        whatText(job, view),
        shortId(job.job_id),
        job.status,
        job.total_items === 0 ? '' : `${done} of ${total}`,
        unresolvedOf(job) || '',
        timeText(job.created_at, view.now),
        waitText(job, view),
      ];
    }),
  };
}

const MAX_NAME = 60;

function whatText({ type, playlist_id, name: own }: JobRecord, { names }: JobView): string {
  const name = own ?? names.get(playlist_id ?? '');
  const other = playlist_id === null ? 'a playlist' : `playlist ${visibleText(playlist_id, MAX_NAME)}`;
  return jobWords(type, name === undefined ? other : `"${visibleText(name, MAX_NAME)}"`);
}

/**
 * Returns the lines that show one job with its details and what can be done next.
 * @param items the first of the unresolved items, and of those that were found by forgiving a typo
 */
export function jobText(
  job: JobRecord,
  items: readonly ItemRecord[],
  width: number,
  view: JobView,
): string[] {
  const { named, now, names } = view;
  const { playlist_id: playlist, name, error, completed_at: ended } = job;
  const facts = [
    ['job', job.job_id],
    ['what', whatText(job, view)],
    ['status', [job.status, waitText(job, view)].filter(Boolean).join(', ')],
    ...(playlist === null ? [] : [['playlist', linkText(playlist)]]),
    // A change that is continued without its caller, such as an undo, has no items.
    ...(job.total_items === 0 ? [] : [['items', countsText(job)]]),
    ['created', timeText(job.created_at, now)],
    ...(ended === null ? [] : [['ended', timeText(ended, now)]]),
  ];
  const wrapped = (text: string, by: number) => wrap(visibleText(text, MAX_CHARACTERS), width - by);
  const message = withPlaylistName(error?.message ?? '', playlist, name ?? names.get(playlist ?? ''));
  // For a job in review, the commands at the end are the remedy.
  const remedy = error && !job.review_required ? (readRemedy(error.fix) ?? readRemedy(error.remedy)) : null;
  const words = remedy ? wrapped(terminalText(remedy, inBackquotes(named)), 2) : [];
  const next = nextSteps(job, named);
  const forgiven = items.filter(isForgiven);
  const open = items.filter((item) => !isForgiven(item));
  const [others, alike] = [unresolvedOf(job) - open.length, (job.spelling ?? 0) - forgiven.length];
  const moreOpen =
    others > 0 ? moreText(others, named, 'jobs', 'show', shortId(job.job_id), '--unresolved') : '';
  const moreForgiven = alike > 0 ? `and ${alike} more` : '';
  return [
    ...tableLines({ rows: facts }, width),
    ...(error ? ['', ...wrapped(withTimes(message, now), 0)] : []),
    ...(job.review_required && job.result ? differenceLines(job.result) : []),
    ...words.map((line) => `  ${line}`),
    ...section(isPastSettling(job) ? 'Left out:' : 'Need you:', open.map(itemLine), moreOpen),
    ...section('Found by forgiving a typo:', forgiven.map(forgivenLine), moreForgiven),
    ...(next.length === 0 ? [] : ['', ...next]),
  ];
}

/** @param more how many others there are, and the command that lists them */
function section(title: string, lines: readonly string[], more = ''): string[] {
  if (lines.length === 0) return [];
  return ['', title, ...[...lines, more].filter(Boolean).map((line) => `  ${line}`)];
}

/** Returns a line such as `12. Titel by Artist: found as Title by Artist`. */
function forgivenLine({ position, input, track }: ItemRecord): string {
  return `${position + 1}. ${visibleText(inputWords(input))}: found as ${track ? titled(track) : ''}`;
}

export function moreText(count: number, named: NamedHome, ...words: readonly string[]): string {
  return `and ${count} more: ${commandLine(named, ...words)}`;
}

function linkText(id: string): string {
  return BARE_ID.test(id) ? `https://open.spotify.com/playlist/${id}` : visibleText(id);
}

function countsText(job: JobRecord): string {
  const counts: Array<[number | undefined, string]> = [
    [job.resolved, 'found'],
    [job.pending, 'to search for'],
    [job.confirmed, 'of them confirmed although the names differ'],
    [job.spelling, 'of them by forgiving a typo'],
    [job.ambiguous, 'ambiguous'],
    [job.unmatched, 'unmatched'],
    [job.failed, 'failed'],
    [job.skipped, 'left out by you'],
    [job.skipped_existing, 'already there or listed twice'],
    [job.written, 'written'],
  ];
  const shown = counts.flatMap(([count = 0, name]) => (count > 0 ? [`${count} ${name}`] : []));
  return `${job.total_items}: ${shown.join(', ')}`;
}

/**
 * Returns an item as a line: `12. Title by Artist (unmatched; nearest: Other Title by Artist, 0.36)`. Items are numbered from 1.
 */
export function itemLine({ position, input, status, candidates, error }: ItemRecord): string {
  const [first] = candidates ?? [];
  const why = [
    status,
    ...(error ? [visibleText(error.code, 100)] : []),
    ...(first ? [`nearest: ${titled(first.track)}, ${first.score.toFixed(2)}`] : []),
  ];
  return `${position + 1}. ${visibleText(inputWords(input))} (${why.join('; ')})`;
}

function titled({ name: title, artists }: Track): string {
  const names = artists.map(({ name }) => name).join(', ');
  return `${visibleText(title, 100)} by ${visibleText(names, 100)}`;
}

export function nextSteps(job: JobRecord, named: NamedHome): string[] {
  const command = (action: string, ...more: string[]) =>
    commandLine(named, 'jobs', action, shortId(job.job_id), ...more);
  if (job.status === 'failed' && job.review_required) {
    return [
      `To make it what was asked for: ${command('resume', '--review', 'continue')}`,
      `To keep it as it is: ${command('resume', '--review', 'keep')}`,
      `To make it what it was before the job: ${command('resume', '--review', 'undo')}`,
    ];
  }
  if (job.status === 'failed') return [`To resume it: ${command('resume')}`];
  if (job.status !== 'ready') return [];
  const open = unresolvedOf(job);
  if (open === 0) return job.resolved > 0 ? [`To write it: ${command('commit')}`] : [];
  return [
    `${counted(open, 'song')} ${open === 1 ? 'needs' : 'need'} you: ${command('fix')}`,
    ...(job.resolved > 0 ? [`To write it without them: ${commandLine(named, ...commitWords(job))}`] : []),
  ];
}

/** The command that writes what was found. A strict job needs an option for it if something was not found. */
export function commitWords(job: JobRecord): string[] {
  const isRefused = job.payload.strict !== false && unresolvedOf(job) > 0;
  return ['jobs', 'commit', shortId(job.job_id), ...(isRefused ? ['--skip-unresolved'] : [])];
}

/** True for a job that only a login can continue. */
export function needsLogin({ status, reason }: JobRecord): boolean {
  return status === 'waiting' && isErrorCode(reason) && failureClassOf({ code: reason }) === 'login';
}

/** The command that continues a job that waits for a login. Such a job has an error only if another account is connected. */
export function loginWords({ error }: Pick<JobRecord, 'error'>): string[] {
  return ['login', ...(error ? ['--switch-account'] : [])];
}

/** Says what a job waits for, how to review it, or that it is a dry run; empty if none applies. */
function waitText(job: JobRecord, { named, now }: Pick<JobView, 'named' | 'now'>): string {
  if (job.status !== 'waiting') {
    if (job.review_required) return `review it: ${commandLine(named, 'jobs', 'show', 'ID')}`;
    return isDryRunOver(job) ? 'dry run: writes nothing' : '';
  }
  if (needsLogin(job)) return `for a login: ${commandLine(named, ...loginWords(job))}`;
  // After the computer has slept, the server may take some minutes to notice that the time has come.
  const when = (time: string) => (Date.parse(time) > now ? timeText(time, now) : 'soon');
  const until = job.run_after === null ? '' : `continues ${when(job.run_after)}`;
  return [until, job.reason === null ? '' : `(${visibleText(job.reason)})`].filter(Boolean).join(' ');
}

export function progressOf(job: JobRecord): { done: number; total: number } {
  if (job.phase === 'commit') return { done: job.written, total: job.resolved - job.skipped_existing };
  return { done: job.total_items - job.pending, total: job.total_items };
}

const DOING: Partial<Record<JobRecord['status'], string>> = {
  pending: 'Finding songs',
  resolving: 'Finding songs',
  waiting: 'Waiting',
  committing: 'Writing',
};

const BAR_WIDTH = 24;

export function barText(job: JobRecord, unicode: boolean, view: Pick<JobView, 'named' | 'now'>): string {
  const { done, total } = progressOf(job);
  const filled = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH);
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  const bar = full.repeat(filled) + empty.repeat(BAR_WIDTH - filled);
  const wait = job.status === 'waiting' ? `, ${waitText(job, view)}` : '';
  return `${DOING[job.status] ?? job.status} ${bar} ${done} of ${total}${wait}`;
}
