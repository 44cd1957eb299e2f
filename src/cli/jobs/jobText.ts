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
import { differenceLines } from '../lists/changeText.ts';
import { wrap } from '../terminal/output.ts';
import { type Table, tableLines } from '../terminal/table.ts';
import { timeText, withTimes } from '../terminal/time.ts';

/** Maximum number of characters of an error or a remedy. */
const MAX_CHARACTERS = 1_000;

/** What the texts of jobs depend on besides the job. */
export interface JobView {
  named: NamedHome;
  /** Present time, in Unix milliseconds. */
  now: number;
  /** Known names of playlists, by ID. */
  names: ReadonlyMap<string, string>;
}

export function jobTable(jobs: readonly JobRecord[], view: JobView): Table {
  return {
    heads: ['WHAT', 'ID', 'STATUS', 'DONE', 'OPEN', 'CREATED', 'NEXT'],
    rows: jobs.map((job) => [
      whatText(job, view),
      shortId(job.job_id),
      job.status,
      progressText(job),
      unresolvedOf(job) > 0 ? unresolvedOf(job) : '',
      timeText(job.created_at, view.now),
      waitText(job, view),
    ]),
  };
}

/** Says what a job does, such as `add to "Evening"`. */
function whatText(job: JobRecord, view: JobView): string {
  return jobWords(job.type, playlistText(job, view));
}

const MAX_NAME = 60;

function playlistText({ playlist_id, name: own }: JobRecord, { names }: JobView): string {
  const name = own ?? names.get(playlist_id ?? '');
  if (name !== undefined) return `"${visibleText(name, MAX_NAME)}"`;
  return playlist_id === null ? 'a playlist' : `playlist ${visibleText(playlist_id, MAX_NAME)}`;
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
  const { named, now } = view;
  const facts = [
    ['job', job.job_id],
    ['what', whatText(job, view)],
    ['status', [job.status, waitText(job, view)].filter(Boolean).join(', ')],
    ...(job.playlist_id === null ? [] : [['playlist', linkText(job.playlist_id)]]),
    // A change that is continued without its caller, such as an undo, has no items.
    ...(job.total_items === 0 ? [] : [['items', countsText(job)]]),
    ['created', timeText(job.created_at, now)],
    ...(job.completed_at === null ? [] : [['ended', timeText(job.completed_at, now)]]),
  ];
  const error = job.error
    ? ['', ...wrap(visibleText(withTimes(inNames(job, view, job.error.message), now), MAX_CHARACTERS), width)]
    : [];
  const differences = job.review_required && job.result ? differenceLines(job.result) : [];
  // For a job in review, the commands at the end are the remedy.
  const words = job.error && !job.review_required ? errorRemedy(job.error, named) : null;
  const remedy = words === null ? [] : wrap(visibleText(words, MAX_CHARACTERS), width - 2);
  const next = nextSteps(job, named);
  const forgiven = items.filter(isForgiven);
  const unresolved = items.filter((item) => !isForgiven(item));
  return [
    ...tableLines({ rows: facts }, width),
    ...error,
    ...differences,
    ...remedy.map((line) => `  ${line}`),
    ...openText(job, unresolved, named),
    ...forgivenText(job, forgiven),
    ...(next.length === 0 ? [] : ['', ...next]),
  ];
}

/** Returns a message of a job, with the name of its playlist instead of the ID. */
function inNames({ playlist_id, name }: JobRecord, { names }: JobView, message: string): string {
  return withPlaylistName(message, playlist_id, name ?? names.get(playlist_id ?? ''));
}

function forgivenText({ spelling = 0 }: JobRecord, forgiven: readonly ItemRecord[]): string[] {
  if (forgiven.length === 0) return [];
  const more = spelling - forgiven.length;
  return [
    '',
    'Found by forgiving a typo:',
    ...forgiven.map((item) => `  ${forgivenLine(item)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** Returns a line such as `12. Titel by Artist: found as Title by Artist`. */
function forgivenLine({ position, input, track }: ItemRecord): string {
  const found = track === null ? '' : titled(track);
  return `${position + 1}. ${visibleText(inputWords(input), MAX_INPUT)}: found as ${found}`;
}

function openText(job: JobRecord, unresolved: readonly ItemRecord[], named: NamedHome): string[] {
  if (unresolved.length === 0) return [];
  const more = unresolvedOf(job) - unresolved.length;
  const rest =
    more > 0 ? [`  ${moreText(more, named, 'jobs', 'show', shortId(job.job_id), '--unresolved')}`] : [];
  const title = isPastSettling(job) ? 'Left out:' : 'Need you:';
  return ['', title, ...unresolved.map((item) => `  ${itemLine(item)}`), ...rest];
}

/** Returns a line such as `and 380 more: relay jobs show 1f0c2b3a --unresolved`. */
export function moreText(count: number, named: NamedHome, ...words: readonly string[]): string {
  return `and ${count} more: ${commandLine(named, ...words)}`;
}

function linkText(id: string): string {
  return BARE_ID.test(id) ? `https://open.spotify.com/playlist/${id}` : visibleText(id);
}

function errorRemedy({ remedy, fix }: NonNullable<JobRecord['error']>, named: NamedHome): string | null {
  const value = readRemedy(fix) ?? readRemedy(remedy);
  return value && terminalText(value, inBackquotes(named));
}

function countsText(job: JobRecord): string {
  const duplicates = job.skipped_existing === 1 ? 'duplicate' : 'duplicates';
  const counts: Array<[number, string]> = [
    [job.resolved, 'found'],
    [job.pending, 'to search for'],
    [job.confirmed ?? 0, 'of them confirmed although the names differ'],
    [job.spelling ?? 0, 'of them by forgiving a typo'],
    [job.ambiguous, 'ambiguous'],
    [job.unmatched, 'unmatched'],
    [job.failed, 'failed'],
    [job.skipped, 'left out by you'],
    [job.skipped_existing, job.payload.skip_existing ? 'already there or listed twice' : duplicates],
    [job.written, 'written'],
  ];
  const shown = counts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`);
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
  return `${position + 1}. ${visibleText(inputWords(input), MAX_INPUT)} (${why.join('; ')})`;
}

const MAX_INPUT = 200;

function titled({ name: title, artists }: Track): string {
  const names = artists.map(({ name }) => name).join(', ');
  return `${visibleText(title, 100)} by ${visibleText(names, 100)}`;
}

/** Says what can be done with a job that is ready or has failed, one command per line. */
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

/** Counts what is written or, before a job writes, what has been looked up. */
export function progressOf(job: JobRecord): { done: number; total: number } {
  if (job.phase === 'commit') return { done: job.written, total: job.resolved - job.skipped_existing };
  return { done: job.total_items - job.pending, total: job.total_items };
}

function progressText(job: JobRecord): string {
  if (job.total_items === 0) return '';
  const { done, total } = progressOf(job);
  return `${done} of ${total}`;
}

const DOING: Partial<Record<JobRecord['status'], string>> = {
  pending: 'Finding songs',
  resolving: 'Finding songs',
  waiting: 'Waiting',
  committing: 'Writing',
};

const BAR_WIDTH = 24;

/** Returns one line: what the job does, a bar, how much is done, and how long it waits. */
export function barText(job: JobRecord, unicode: boolean, view: Pick<JobView, 'named' | 'now'>): string {
  const { done, total } = progressOf(job);
  const filled = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH);
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  const bar = full.repeat(filled) + empty.repeat(BAR_WIDTH - filled);
  const wait = job.status === 'waiting' ? `, ${waitText(job, view)}` : '';
  return `${DOING[job.status] ?? job.status} ${bar} ${done} of ${total}${wait}`;
}
