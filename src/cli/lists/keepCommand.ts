import { type Command, Option } from 'commander';
import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import { ADDRESS, parseRef } from '../../domain/ids.ts';
import { shortId } from '../../domain/job.ts';
import {
  EMPTY_PREVIEW,
  isApprovable,
  isEmptyPreview,
  KEEP_INTERVALS,
  type KeepInterval,
  type KeepPreview,
  type KeepRecord,
} from '../../domain/keep.ts';
import { type KeepRule, parseRule, READY_RULE_NAMES, READY_RULES } from '../../domain/keepRules.ts';
import type { PlaylistFacts } from '../../domain/listExport.ts';
import type { KeepAnswer } from '../../domain/localApi.ts';
import type { KeepRow } from '../../domain/shapes.ts';
import type { LocalApi } from '../../server/calls.ts';
import { groupOf, leaf, type Result } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { note } from '../terminal/output.ts';
import { canAsk, openDialogue } from '../terminal/prompt.ts';
import { timeText } from '../terminal/time.ts';
import { findPlaylist, playlistOrNull } from './findPlaylist.ts';

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
  const every = new Option('--every <interval>', 'How often the query runs');
  const commands = [
    leaf(context, 'list', 'List the kept playlists', listKeeps),
    leaf(context, 'show', 'Show a kept playlist, and what waits for your review', showKeep).argument(
      '<playlist>',
      KEPT,
    ),
    leaf(context, 'add', 'Keep a new or existing playlist in step with a query', addKeep, ADD_HELP)
      .argument('<playlist>', 'Name of a new playlist; or name, ID or link of one of yours')
      .argument('[sql]', 'The query: SELECT uri …, in the order of the playlist')
      .option('--like <rule>', 'A ready rule instead of a query')
      .addOption(every.choices([...KEEP_INTERVALS]).default('day'))
      .option('--dry-run', 'Only say what would change'),
    leaf(context, 'run', 'Run the query of a kept playlist now', runKeep)
      .argument('<playlist>', KEPT)
      .option('--accept', 'Approve the run that waits for your review'),
    leaf(context, 'stop', 'Stop keeping a playlist; the playlist and its songs stay', stopKeep).argument(
      '<playlist>',
      KEPT,
    ),
  ];
  const description = 'Keep playlists in step with a query of your library';
  return groupOf(context, 'keep', description, listKeeps, commands, HELP);
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
  const now = context.clock.now();
  const { last_run_at: last, rule, sql } = keep;
  return {
    value: { keep },
    text: [
      ...stateLines(keep, keep.preview, now),
      ...(last === null ? [] : [`Last run: ${timeText(last, now)}.`]),
      ...(rule === undefined ? [] : [`Rule: ${visibleText(rule, 300)}.`]),
      `Query: ${visibleText(sql, 10_000)}`,
    ],
    notes: nextNotes(context, keep),
  };
}

async function runKeep(
  context: Context,
  given: string,
  { accept = false }: { accept?: boolean },
): Promise<Result> {
  const { local } = await context.server();
  const { id } = await findKeep(local, given);
  return ran(context, await local.actOnKeep({ id: id ?? '', action: accept ? 'accept' : 'run' }));
}

async function addKeep(
  context: Context,
  playlist: string,
  sql: string | undefined,
  { like, every, dryRun = false }: AddOptions,
): Promise<Result> {
  const given = playlist.trim();
  if ((sql === undefined) === (like === undefined)) {
    throw new RelayError('USAGE', 'Give a query, or a ready rule with --like.', {
      remedy: { text: '{command} lists the rules.', command: ['keep', 'add', '--help'] },
    });
  }
  // A wrong rule is reported before the server is asked anything.
  const ready = like === undefined ? null : parseRule(like);
  const { local } = await context.server();
  const found = await playlistOrNull(local, given);
  const follows = ready ? { rule: await withPlaylists(local, ready) } : { sql: sql?.trim() ?? '' };
  const target = { playlistId: found?.id ?? null, name: found ? null : given };
  const answer = await local.addKeep({ ...target, ...follows, every, dryRun });
  if (dryRun) return { ...ran(context, answer), text: wouldLines(answer) };
  const { keep, note: isRunning } = answer;
  if (isRunning === undefined && isApprovable(keep) && canAsk(context)) {
    for (const line of stateLines(keep, answer.preview, context.clock.now())) note(context.io, line);
    const dialogue = openDialogue(context.io, context.signal);
    const yes = await dialogue.confirm('Approve it now?', false).finally(() => dialogue.close());
    if (yes) return ran(context, await local.actOnKeep({ id: keep.id ?? '', action: 'accept' }));
  }
  return ran(context, answer);
}

/** Says what a run did, and what can be done next. The record of a run that continues describes the run before it. */
function ran(context: Context, answer: KeepAnswer): Result {
  const { keep, preview, change_id, note: isRunning, warning } = answer;
  const warnings = warning === undefined ? [] : [warning];
  if (isRunning !== undefined) {
    const show = commandLine(context, 'keep', 'show', shortId(keep.id ?? ''));
    return {
      value: answer,
      text: [`The run of "${visibleText(keep.name, 100)}" continues in the server.`],
      notes: [...warnings, `To see how it ended: ${show}`],
    };
  }
  const undo =
    change_id === undefined ? [] : [`To undo it: ${commandLine(context, 'undo', shortId(change_id))}`];
  return {
    value: answer,
    text: stateLines(keep, preview, context.clock.now()),
    notes: [...warnings, ...nextNotes(context, keep), ...undo],
    exit: keep.status === 'review' ? EXIT.failed : EXIT.done,
  };
}

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

async function withPlaylists(
  local: LocalApi,
  { rule, names }: ReturnType<typeof parseRule>,
): Promise<KeepRule> {
  if (names.length === 0) return rule;
  const { playlists: known } = await local.listPlaylists();
  const playlists: PlaylistFacts[] = [];
  for (const name of names) playlists.push(await findPlaylist(local, name, known));
  return { ...rule, playlists: playlists.map(({ id, name }) => ({ id, name })) };
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

function stateLines(keep: KeepRecord, preview: KeepPreview | undefined, now: number): string[] {
  const name = `"${visibleText(keep.name, 100)}"`;
  const reason = visibleText(keep.reason ?? '', 300);
  const last = keep.last_result ?? 'it runs when it is due';
  const states = {
    active: `${name} is kept ${EVERY[keep.every]}: ${last}.`,
    waiting: `${name} waits: ${reason}`,
    review: `${name} is in review: ${reason}`,
    paused: `${name} is paused: ${last}.`,
    stopped: `${name} is no longer kept.`,
  };
  const isShown = keep.status === 'review' && preview && !isEmptyPreview(preview);
  return [
    states[keep.status],
    ...(isShown ? previewLines(preview) : leftOutLines(preview)),
    ...(keep.next_run_at === null ? [] : [`Next run: ${timeText(keep.next_run_at, now)}.`]),
  ];
}

function wouldLines({ keep, preview }: KeepAnswer): string[] {
  const what = keep.status === 'review' ? 'wait for your review' : 'wait';
  const would = `The first run would ${what}: ${visibleText(keep.reason ?? '', 300)}`;
  return [...(keep.status === 'active' ? [] : [would]), ...(preview ? previewLines(preview) : [])];
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
  const words = ({ uri, name, artist }: KeepRow) => (artist ? `${name} by ${artist}` : (name ?? uri));
  const more = count > rows.length ? [`${sign} and ${count - rows.length} more`] : [];
  return [...rows.map((row) => `${sign} ${visibleText(words(row), 120)}`), ...more];
}

function leftOutLines({ left_out: count }: KeepPreview = EMPTY_PREVIEW): string[] {
  const which = 'local, no longer offered by Spotify, or neither track nor episode';
  return count === 0 ? [] : [`Left out: ${counted(count, 'row')} (${which}).`];
}
