import { Command, Option } from 'commander';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import { ADDRESS, parseRef } from '../../domain/ids.ts';
import { shortId } from '../../domain/job.ts';
import {
  isApprovable,
  KEEP_INTERVALS,
  type KeepAction,
  type KeepInterval,
  type KeepRecord,
} from '../../domain/keep.ts';
import { type KeepRule, parseRule, READY_RULE_NAMES, READY_RULES } from '../../domain/keepRules.ts';
import type { KeepAnswer } from '../../domain/localApi.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { Context } from '../context.ts';
import { EXIT, type Finish } from '../exit.ts';
import { note, printJson, printLine, printTable } from '../terminal/output.ts';
import { HELP_GROUPS, parentCommand } from '../usage/commandGroups.ts';
import { commandLine } from '../usage/commandLine.ts';

interface AddOptions {
  like?: string;
  every: KeepInterval;
  dryRun?: boolean;
}

const RULES = READY_RULE_NAMES.map((name) => `  ${name.padEnd(10)} ${READY_RULES[name]}`).join('\n');

const HELP = `
relay runs the query every hour, day or week, and writes only what differs. A
run that would empty the playlist, shrink it a lot or undo somebody's edits
waits for your review, and so does a first run that would take songs out;
"accept" approves the run. \`relay undo\` undoes a run
like any other change.

Ready rules, for --like:
${RULES}

Examples:
  $ relay keep add "Fresh" --like fresh
  $ relay keep add "Newest" "SELECT uri FROM saved ORDER BY position LIMIT 50"
  $ relay keep
  $ relay keep accept "Fresh"`;

const KEPT = 'ID or name of a kept playlist, or link of the playlist';

export function keepCommand(context: Context, finish: Finish): Command {
  const list = () => runList(context);
  const acting = (action: KeepAction, description: string) =>
    new Command(action)
      .description(description)
      .argument('<playlist>', KEPT)
      .action(async (playlist: string) => finish(await runAction(context, playlist, action)));
  return parentCommand('keep', 'Keep playlists in step with a query of your library', list)
    .helpGroup(HELP_GROUPS.lists)
    .addHelpText('after', HELP)
    .addCommand(new Command('list').description('List the kept playlists').action(list))
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
        .action(async (playlist: string, sql: string | undefined, options: AddOptions) =>
          finish(await runAdd(context, playlist, sql, options)),
        ),
    )
    .addCommand(
      new Command('show')
        .description('Show a kept playlist, and what waits for your review')
        .argument('<playlist>', KEPT)
        .action((playlist: string) => runShow(context, playlist)),
    )
    .addCommand(acting('run', 'Run the query of a kept playlist now'))
    .addCommand(acting('accept', 'Approve the run that waits for your review'))
    .addCommand(acting('pause', 'Pause a kept playlist'))
    .addCommand(acting('resume', 'Resume a kept playlist after a pause'))
    .addCommand(acting('stop', 'Stop keeping a playlist; the playlist and its songs stay'));
}

async function runList(context: Context): Promise<void> {
  const { io, json } = context;
  const { local } = await context.server();
  const { items } = await local.listKeeps();
  if (json) return printJson(io, { items });
  if (items.length === 0)
    return note(io, `No kept playlists. To add one: ${commandLine(context, 'keep', 'add', '--help')}`);
  const { listRow } = await import('./keepText.ts');
  const now = context.clock.now();
  const heads = ['ID', 'NAME', 'EVERY', 'STATUS', 'NEXT', 'LAST RUN'];
  const rows = items.map((keep) => listRow(keep, now));
  printTable(io, { heads, rows, flexible: [1, 5] });
  for (const { status, name, reason } of items) {
    if (reason !== undefined && status !== 'active')
      note(io, `${visibleText(name, 60)}: ${visibleText(reason, 300)}`);
  }
}

async function runAdd(context: Context, playlist: string, sql: string | undefined, options: AddOptions) {
  const { io, json } = context;
  const { like, every, dryRun = false } = options;
  if ((sql === undefined) === (like === undefined)) {
    throw new RelayError('USAGE', 'Give a query, or a ready rule with --like.', {
      remedy: { text: '{command} lists the rules.', command: ['keep', '--help'] },
    });
  }
  // A new playlist gets this name.
  const given = playlist.trim();
  // A wrong rule is reported before the server is asked anything.
  const ready = like === undefined ? null : parseRule(like);
  const { local } = await context.server();
  const found = await playlistOrNull(local, given);
  const follows = ready ? { rule: await withPlaylists(local, ready) } : { sql: sql?.trim() ?? '' };
  const answer = await local.addKeep({
    playlistId: found?.id ?? null,
    name: found ? null : given,
    ...follows,
    every,
    dryRun,
  });
  if (json) printJson(io, answer);
  else await showAnswer(context, answer, dryRun);
  if (dryRun || !(await isApproved(context, answer))) return exitOf(answer);
  const run = await local.actOnKeep({ id: answer.keep.id ?? '', action: 'accept' });
  await showAnswer(context, run, false);
  return exitOf(run);
}

/** Asks a person at a terminal whether the first run, which waits for a review, may happen. */
async function isApproved(
  { io, json, signal }: Context,
  { keep, note: isRunning }: KeepAnswer,
): Promise<boolean> {
  const canAsk = io.terminal.stdin && io.terminal.stderr && !json;
  if (!canAsk || isRunning !== undefined || !isApprovable(keep)) return false;
  const { openDialogue } = await import('../terminal/prompt.ts');
  const dialogue = openDialogue(io, signal);
  return (await dialogue.confirm('Approve it now?', false).finally(() => dialogue.close())) === true;
}

/** Returns the rule with the playlists that a person has named. */
async function withPlaylists(
  local: LocalApi,
  { rule, names }: ReturnType<typeof parseRule>,
): Promise<KeepRule> {
  if (names.length === 0) return rule;
  const { playlistsCalled } = await import('./findPlaylist.ts');
  return { ...rule, playlists: await playlistsCalled(local, names) };
}

/** Finds the named playlist; null if there is no playlist of this name yet. */
async function playlistOrNull(local: LocalApi, given: string) {
  const { findPlaylist } = await import('./findPlaylist.ts');
  try {
    return await findPlaylist(local, given);
  } catch (error) {
    if (error instanceof RelayError && error.code === 'NOT_FOUND' && !ADDRESS.test(given)) return null;
    throw error;
  }
}

async function showAnswer(context: Context, answer: KeepAnswer, dryRun: boolean): Promise<void> {
  const { io } = context;
  if (answer.warning !== undefined) note(io, answer.warning);
  if (answer.note !== undefined) return showRunning(context, answer);
  const { keep, preview, change_id } = answer;
  const { answerLines } = await import('./keepText.ts');
  for (const line of answerLines(keep, preview, dryRun, context.clock.now())) printLine(io, line);
  if (keep.status === 'review' && !dryRun && keep.id !== null) {
    const id = shortId(keep.id);
    if (isApprovable(keep)) note(io, `To approve it once: ${commandLine(context, 'keep', 'accept', id)}`);
    else note(io, `To try again: ${commandLine(context, 'keep', 'run', id)}`);
    note(io, `To stop keeping it: ${commandLine(context, 'keep', 'stop', id)}`);
  }
  if (change_id !== undefined) note(io, `To undo it: ${commandLine(context, 'undo', shortId(change_id))}`);
}

async function runShow(context: Context, given: string): Promise<void> {
  const { io, json } = context;
  const { local } = await context.server();
  const keep = await findKeep(local, given);
  if (json) return printJson(io, { keep });
  const { detailLines } = await import('./keepText.ts');
  for (const line of detailLines(keep, context.clock.now())) printLine(io, line);
}

async function runAction(context: Context, given: string, action: KeepAction) {
  const { io, json } = context;
  const { local } = await context.server();
  const { id } = await findKeep(local, given);
  const answer = await local.actOnKeep({ id: id ?? '', action });
  if (json) printJson(io, answer);
  else if (action === 'stop') {
    const isWriting = answer.change_id !== undefined;
    const songs = isWriting ? 'Its last write has begun and is not over yet.' : 'Its songs stay as they are.';
    printLine(io, `"${visibleText(answer.keep.name, 100)}" is no longer kept. ${songs}`);
    if (isWriting) note(io, `To see how it ends: ${commandLine(context, 'history')}`);
  } else await showAnswer(context, answer, false);
  const isRun = action === 'run' || action === 'accept';
  if (isRun && !json && answer.note === undefined && answer.keep.status === 'paused') {
    const { ranLine } = await import('./keepText.ts');
    printLine(io, ranLine(answer.keep));
  }
  return isRun ? exitOf(answer) : EXIT.done;
}

/** Says that the run continues. The record is not shown, since it describes the run before this one. */
function showRunning(context: Context, { keep }: KeepAnswer): void {
  const show = commandLine(context, 'keep', 'show', shortId(keep.id ?? ''));
  printLine(context.io, `The run of "${visibleText(keep.name, 100)}" continues in the server.`);
  note(context.io, `To see how it ended: ${show}`);
}

function exitOf({ keep, note: isRunning }: KeepAnswer) {
  return keep.status === 'review' && isRunning === undefined ? EXIT.failed : EXIT.done;
}

function withId(items: readonly KeepRecord[], given: string): KeepRecord[] {
  const playlist = ADDRESS.test(given) ? parseRef(given, ['playlist']).id : given;
  return items.filter(({ id, playlist_id }) => id?.startsWith(given) || playlist_id === playlist);
}

/** Finds a kept playlist by its name, by the first characters of its ID, or by the playlist's own ID or link. */
async function findKeep(local: LocalApi, given: string): Promise<KeepRecord> {
  const { items } = await local.listKeeps();
  const { calledLike } = await import('../../music/names.ts');
  const named = calledLike(items, given);
  const found = named.length > 0 || given === '' ? named : withId(items, given);
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
