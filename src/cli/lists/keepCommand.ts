import { Command, Option } from 'commander';
import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import { ADDRESS, parseRef } from '../../domain/ids.ts';
import { shortId } from '../../domain/job.ts';
import {
  isApprovable,
  isEmptyPreview,
  KEEP_INTERVALS,
  type KeepInterval,
  type KeepPreview,
  type KeepRecord,
} from '../../domain/keep.ts';
import { type KeepRule, parseRule, READY_RULE_NAMES, READY_RULES } from '../../domain/keepRules.ts';
import type { KeepAnswer } from '../../domain/localApi.ts';
import type { KeepRow } from '../../domain/shapes.ts';
import type { LocalApi } from '../../server/calls.ts';
import { answering, groupCommand, type Result } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { note } from '../terminal/output.ts';
import { canAsk, openDialogue } from '../terminal/prompt.ts';
import { timeText } from '../terminal/time.ts';
import { findPlaylist, playlistsCalled } from './findPlaylist.ts';

interface AddOptions {
  like?: string;
  every: KeepInterval;
  dryRun?: boolean;
}

const RULES = READY_RULE_NAMES.map((name) => `  ${name.padEnd(10)} ${READY_RULES[name]}`).join('\n');

const HELP = `
relay runs the query every hour, day or week, and writes only what differs. A
run that would take out much, or somebody's edits, waits for your review.

Examples:
  $ relay keep add "Fresh" --like fresh
  $ relay keep add "Newest" "SELECT uri FROM saved ORDER BY position LIMIT 50"
  $ relay keep run "Fresh" --accept`;

const ADD_HELP = `
Ready rules, for --like:
${RULES}`;

const KEPT = 'ID or name of a kept playlist, or link of the playlist';

export function keepCommand(context: Context): Command {
  const list = answering(context, () => listKeeps(context));
  return groupCommand('keep', 'Keep playlists in step with a query of your library', list)
    .addHelpText('after', HELP)
    .addCommand(new Command('list').description('List the kept playlists').action(list))
    .addCommand(
      new Command('show')
        .description('Show a kept playlist, and what waits for your review')
        .argument('<playlist>', KEPT)
        .action(answering(context, (playlist: string) => showKeep(context, playlist))),
    )
    .addCommand(
      new Command('add')
        .description('Keep a new or existing playlist in step with a query')
        .argument('<playlist>', 'Name of a new playlist; or name, ID or link of one of yours')
        .argument('[sql]', 'The query: SELECT uri …, in the order of the playlist')
        .option('--like <rule>', 'A ready rule instead of a query')
        .addOption(
          new Option('--every <interval>', 'How often the query runs')
            .choices([...KEEP_INTERVALS])
            .default('day'),
        )
        .option('--dry-run', 'Only say what would change')
        .addHelpText('after', ADD_HELP)
        .action(
          answering(context, (playlist: string, sql: string | undefined, options: AddOptions) =>
            addKeep(context, playlist.trim(), sql?.trim(), options),
          ),
        ),
    )
    .addCommand(
      new Command('run')
        .description('Run the query of a kept playlist now')
        .argument('<playlist>', KEPT)
        .option('--accept', 'Approve the run that waits for your review')
        .action(
          answering(context, async (playlist: string, { accept = false }: { accept?: boolean }) => {
            const { local } = await context.server();
            const { id } = await findKeep(local, playlist);
            return ran(context, await local.actOnKeep({ id: id ?? '', action: accept ? 'accept' : 'run' }));
          }),
        ),
    )
    .addCommand(
      new Command('stop')
        .description('Stop keeping a playlist; the playlist and its songs stay')
        .argument('<playlist>', KEPT)
        .action(answering(context, (playlist: string) => stopKeep(context, playlist))),
    );
}

async function listKeeps(context: Context): Promise<Result> {
  const { local } = await context.server();
  const { items } = await local.listKeeps();
  const now = context.clock.now();
  const add = commandLine(context, 'keep', 'add', '--help');
  const reasons = items.filter(({ status, reason }) => reason !== undefined && status !== 'active');
  const row = ({ id, name, every, status, next_run_at, last_run_at, last_result }: KeepRecord) => [
    shortId(id ?? ''),
    visibleText(name, 100),
    every,
    status,
    next_run_at === null ? '' : timeText(next_run_at, now),
    last_run_at === null ? '' : `${timeText(last_run_at, now)}: ${visibleText(last_result ?? '', 60)}`,
  ];
  return {
    value: { items },
    text: [{ heads: ['ID', 'NAME', 'EVERY', 'STATUS', 'NEXT', 'LAST RUN'], rows: items.map(row) }],
    notes:
      items.length === 0
        ? [`No kept playlists. To add one: ${add}`]
        : reasons.map(({ name, reason = '' }) => `${visibleText(name, 60)}: ${visibleText(reason, 300)}`),
  };
}

async function showKeep(context: Context, given: string): Promise<Result> {
  const { local } = await context.server();
  const keep = await findKeep(local, given);
  return { value: { keep }, text: detailLines(keep, context.clock.now()), notes: nextNotes(context, keep) };
}

async function addKeep(
  context: Context,
  given: string,
  sql: string | undefined,
  { like, every, dryRun = false }: AddOptions,
): Promise<Result> {
  if ((sql === undefined) === (like === undefined)) {
    throw new RelayError('USAGE', 'Give a query, or a ready rule with --like.', {
      remedy: { text: '{command} lists the rules.', command: ['keep', 'add', '--help'] },
    });
  }
  // A wrong rule is reported before the server is asked anything.
  const ready = like === undefined ? null : parseRule(like);
  const { local } = await context.server();
  const found = await playlistOrNull(local, given);
  const follows = ready ? { rule: await withPlaylists(local, ready) } : { sql: sql ?? '' };
  const target = { playlistId: found?.id ?? null, name: found ? null : given };
  const answer = await local.addKeep({ ...target, ...follows, every, dryRun });
  if (dryRun) {
    const lines = answerLines(answer.keep, answer.preview, true, context.clock.now());
    return { value: answer, text: lines, notes: warningOf(answer), exit: exitOf(answer) };
  }
  const { keep, note: isRunning } = answer;
  if (isRunning === undefined && isApprovable(keep) && canAsk(context)) {
    for (const line of answerLines(keep, answer.preview, false, context.clock.now())) note(context.io, line);
    const dialogue = openDialogue(context.io, context.signal);
    const yes = await dialogue.confirm('Approve it now?', false).finally(() => dialogue.close());
    if (yes) return ran(context, await local.actOnKeep({ id: keep.id ?? '', action: 'accept' }));
  }
  return ran(context, answer);
}

/** Says what a run did, and what can be done next. The record of a run that continues describes the run before it. */
function ran(context: Context, answer: KeepAnswer): Result {
  const { keep, preview, change_id, note: isRunning } = answer;
  if (isRunning !== undefined) {
    const show = commandLine(context, 'keep', 'show', shortId(keep.id ?? ''));
    return {
      value: answer,
      text: [`The run of "${visibleText(keep.name, 100)}" continues in the server.`],
      notes: [...warningOf(answer), `To see how it ended: ${show}`],
    };
  }
  const undo =
    change_id === undefined ? [] : [`To undo it: ${commandLine(context, 'undo', shortId(change_id))}`];
  return {
    value: answer,
    text: [
      ...answerLines(keep, preview, false, context.clock.now()),
      ...(keep.status === 'paused' ? [`This run: ${keep.last_result ?? 'nothing written'}.`] : []),
    ],
    notes: [...warningOf(answer), ...nextNotes(context, keep), ...undo],
    exit: exitOf(answer),
  };
}

function warningOf({ warning }: KeepAnswer): string[] {
  return warning === undefined ? [] : [warning];
}

/** What can be done about a run that waits for a review. */
function nextNotes(context: Context, keep: KeepRecord): string[] {
  if (keep.status !== 'review' || keep.id === null) return [];
  const id = shortId(keep.id);
  return [
    isApprovable(keep)
      ? `To approve it once: ${commandLine(context, 'keep', 'run', id, '--accept')}`
      : `To try again: ${commandLine(context, 'keep', 'run', id)}`,
    `To stop keeping it: ${commandLine(context, 'keep', 'stop', id)}`,
  ];
}

async function stopKeep(context: Context, given: string): Promise<Result> {
  const { local } = await context.server();
  const { id } = await findKeep(local, given);
  const answer = await local.actOnKeep({ id: id ?? '', action: 'stop' });
  const isWriting = answer.change_id !== undefined;
  const songs = isWriting ? 'Its last write has begun and is not over yet.' : 'Its songs stay as they are.';
  return {
    value: answer,
    text: [`"${visibleText(answer.keep.name, 100)}" is no longer kept. ${songs}`],
    notes: isWriting ? [`To see how it ends: ${commandLine(context, 'history')}`] : [],
  };
}

function exitOf({ keep, note: isRunning }: KeepAnswer) {
  return keep.status === 'review' && isRunning === undefined ? EXIT.failed : EXIT.done;
}

/** Returns the rule with the playlists that a person has named. */
async function withPlaylists(
  local: LocalApi,
  { rule, names }: ReturnType<typeof parseRule>,
): Promise<KeepRule> {
  return names.length === 0 ? rule : { ...rule, playlists: await playlistsCalled(local, names) };
}

/** Finds the named playlist; null if there is no playlist of this name yet. */
async function playlistOrNull(local: LocalApi, given: string) {
  try {
    return await findPlaylist(local, given);
  } catch (error) {
    if (error instanceof RelayError && error.code === 'NOT_FOUND' && !ADDRESS.test(given)) return null;
    throw error;
  }
}

/** Finds a kept playlist by its name, by the first characters of its ID, or by the playlist's own ID or link. */
async function findKeep(local: LocalApi, given: string): Promise<KeepRecord> {
  const { items } = await local.listKeeps();
  const { calledLike } = await import('../../music/names.ts');
  const named = calledLike(items, given);
  const playlist = ADDRESS.test(given) ? parseRef(given, ['playlist']).id : given;
  const isIt = ({ id, playlist_id }: KeepRecord) => id?.startsWith(given) || playlist_id === playlist;
  const found = named.length > 0 || given === '' ? named : items.filter(isIt);
  const [first, other] = found;
  if (first && !other) return first;
  if (first) {
    throw new RelayError('USAGE', `Several kept playlists match "${given}".`, {
      remedy: `Give the ID instead: ${found.map(({ id }) => shortId(id ?? '')).join(' or ')}.`,
    });
  }
  throw new RelayError('NOT_FOUND', `No playlist is kept as "${given}".`, {
    remedy: { text: '{command} lists them.', command: ['keep'] },
  });
}

const EVERY = { hour: 'hourly', day: 'daily', week: 'weekly' } as const;

function answerLines(
  keep: KeepRecord,
  preview: KeepPreview | undefined,
  dryRun: boolean,
  now: number,
): string[] {
  const name = `"${visibleText(keep.name, 100)}"`;
  const states = {
    active: `${name} is kept ${EVERY[keep.every]}: ${keep.last_result ?? 'it runs when it is due'}.`,
    waiting: `${name} waits: ${visibleText(keep.reason ?? '', 300)}`,
    review: `${name} is in review: ${visibleText(keep.reason ?? '', 300)}`,
    paused: `${name} is paused.`,
    stopped: `${name} is no longer kept.`,
  };
  const next = keep.next_run_at === null ? [] : [`Next run: ${timeText(keep.next_run_at, now)}.`];
  if (!dryRun) {
    const isShown = keep.status === 'review' && preview && !isEmptyPreview(preview);
    const shown = isShown ? previewLines(preview) : leftOutLines(preview);
    return [states[keep.status], ...shown, ...next];
  }
  const what = keep.status === 'review' ? 'wait for your review' : 'wait';
  const would =
    keep.status === 'active' ? [] : [`The first run would ${what}: ${visibleText(keep.reason ?? '', 300)}`];
  return [...would, ...(preview ? previewLines(preview) : [])];
}

function detailLines(keep: KeepRecord, now: number): string[] {
  return [
    ...answerLines(keep, keep.preview, false, now),
    ...(keep.last_run_at === null ? [] : [`Last run: ${timeText(keep.last_run_at, now)}.`]),
    ...(keep.rule === undefined ? [] : [`Rule: ${visibleText(keep.rule, 300)}.`]),
    `Query: ${visibleText(keep.sql, 10_000)}`,
  ];
}

function previewLines(preview: KeepPreview): string[] {
  const { total, added, removed, added_count, removed_count, moved_count = 0 } = preview;
  const moved = moved_count === 0 ? '' : `, ${moved_count} moved`;
  return [
    `It would have ${counted(total, 'song')}: ${added_count} added, ${removed_count} removed${moved}.`,
    ...rowLines('+', added, added_count),
    ...rowLines('-', removed, removed_count),
    ...leftOutLines(preview),
  ];
}

function rowLines(sign: string, rows: readonly KeepRow[], count: number): string[] {
  const more = count > rows.length ? [`${sign} and ${count - rows.length} more`] : [];
  return [...rows.map((row) => `${sign} ${rowText(row)}`), ...more];
}

function rowText({ uri, name, artist }: KeepRow): string {
  return visibleText(name === undefined ? uri : artist ? `${name} by ${artist}` : name, 120);
}

function leftOutLines(preview: KeepPreview | undefined): string[] {
  if (!preview || preview.left_out === 0) return [];
  return [
    `Left out: ${counted(preview.left_out, 'row')} (local, no longer offered by Spotify, or neither track nor episode).`,
  ];
}
