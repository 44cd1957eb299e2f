import type { Command } from 'commander';
import { isObject } from '../../base/parsing.ts';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import type { ChangeEntry, UndoAnswer } from '../../domain/localApi.ts';
import type { LocalApi } from '../../server/calls.ts';
import { leaf, type Result, wholeNumber } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { note } from '../terminal/output.ts';
import { canAsk, requireYes } from '../terminal/prompt.ts';
import { timeText } from '../terminal/time.ts';

interface UndoOptions {
  force?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  by?: string;
}

const UNDO_HELP = `
An undo is a change too: undo it to redo the change.

Examples:
  $ relay undo --dry-run
  $ relay undo --by Claude
  $ relay undo 1f0c2b3a --force`;

const HISTORY_HELP = `
Newest first; kept for 30 days, 200 at most.

Examples:
  $ relay history --limit 5
  $ relay history --by Claude`;

export function historyCommand(context: Context): Command {
  const description = 'List what relay has changed in playlists and the library';
  return leaf(context, 'history', description, listChanges, HISTORY_HELP)
    .option('--by <client>', 'Only what this client asked for: its name, or how it begins')
    .option('--limit <n>', 'Show this many, 1 to 200', wholeNumber(1, 200), 20);
}

async function listChanges(context: Context, given: { limit: number; by?: string }): Promise<Result> {
  const { local } = await context.server();
  const { items, total } = await local.listChanges(given);
  const whose = given.by === undefined ? '' : ` by "${visibleText(given.by, 100)}"`;
  const notes = items.length === 0 ? [`No changes${whose} in the last 30 days.`] : [];
  if (total > items.length) notes.push(`and ${total - items.length} older: --limit shows more`);
  const now = context.clock.now();
  const rows = items.map((change) => [
    visibleText(change.what, 200),
    shortId(change.change_id),
    timeText(change.at, now),
    stateText(change),
    visibleText(change.who, 60),
  ]);
  return {
    value: { items, total },
    text: [{ heads: ['WHAT', 'ID', 'WHEN', 'STATE', 'ASKED BY'], rows }],
    notes,
  };
}

function stateText({ state, undone_by, being_undone }: ChangeEntry): string {
  if (undone_by === undefined) return state.replaceAll('_', ' ');
  return `${being_undone ? 'being undone' : 'undone'} by ${shortId(undone_by)}`;
}

export function undoCommand(context: Context): Command {
  const change = 'ID from `relay history`, or its first characters; the last change or import without it';
  return leaf(context, 'undo', 'Undo a change that relay made', runUndo, UNDO_HELP)
    .argument('[change]', change)
    .option('--by <client>', 'Undo the last change of this client')
    .option('--force', 'Undo even if someone has made later changes, which are then lost')
    .option('--dry-run', 'Show what the undo would do, and change nothing')
    .option('--yes', 'Do not ask before removing songs or a playlist');
}

async function runUndo(
  context: Context,
  given: string | undefined,
  { force = false, dryRun = false, yes = false, by }: UndoOptions,
): Promise<Result> {
  const { io, signal } = context;
  if (given !== undefined && by !== undefined)
    throw new RelayError('USAGE', 'A change and --by cannot be combined.', { remedy: 'Give one of them.' });
  const { local } = await context.server();
  const ask = (change: string | null, isDry: boolean, together?: boolean) =>
    asking(context, local, {
      ...{ change, force, dryRun: isDry, together },
      ...(change === null ? { by } : {}),
    });
  // With `--json` there is no dry run first: the answer itself says what cannot be brought back.
  if (context.json && !dryRun) return { value: await ask(given ?? null, false) };
  const plan = await ask(given ?? null, true);
  const { change, undone, summary, added, taken, notes } = plan;
  const lines = [
    `Undoing: ${change ? `${visibleText(change.what, 200)} (${shortId(undone)})` : undone}`,
    visibleText(summary, 500),
    ...songLines('+', added.first, added.count),
    ...songLines('-', taken.first, taken.count),
    ...notes.map((one) => visibleText(one, 500)),
  ];
  if (dryRun) return { value: plan, text: lines };
  for (const line of lines) note(io, line);
  // What deletes a playlist or removes songs is asked for.
  if (!yes && canAsk(context) && (force || taken.count > 0 || change?.kind === 'create')) {
    if (force && plan.removed === null) note(io, 'Later changes will be lost.');
    await requireYes(io, 'Undo?', signal);
  }
  // There may be a newer change by now, so the request names the change that was shown.
  return done(context, await ask(undone, false, plan.together === undefined ? undefined : true));
}

function done(context: Context, answer: UndoAnswer): Result {
  const { job_id, reason = '', summary, notes, change_id } = answer;
  if (job_id !== undefined) {
    const job = shortId(job_id);
    return {
      value: answer,
      text: [`The undo is not finished; it continues as job ${job}. ${reason}`.trimEnd()],
      notes: [`To follow it: ${commandLine(context, 'jobs', 'show', job, '--watch')}`],
    };
  }
  return {
    value: answer,
    text: [summary, ...notes].map((line) => visibleText(line, 500)),
    notes: change_id === undefined ? [] : [`To redo it: ${commandLine(context, 'undo', shortId(change_id))}`],
  };
}

/** Sends one request to the server. Before an error that a playlist has changed, shows what differs. */
async function asking(
  context: Context,
  local: LocalApi,
  request: Parameters<LocalApi['undoChange']>[0],
): Promise<UndoAnswer> {
  try {
    return await local.undoChange(request);
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    if (error.code === 'INVALID_ARGUMENT') throw error.with({ code: 'USAGE' });
    if (error.code === 'CONFLICT' && !context.json)
      for (const line of differenceLines(error.details ?? {})) note(context.io, line);
    throw error;
  }
}

/** @param details of a `CONFLICT`. Returns what differs from what a change left; nothing for other details */
export function differenceLines(details: Record<string, unknown>): string[] {
  const { missing, missing_count, extra, extra_count, expected, present } = details;
  if (Array.isArray(missing) && Array.isArray(extra)) {
    return [
      ...(missing.length > 0 ? ['Missing:', ...songLines('-', missing, Number(missing_count))] : []),
      ...(extra.length > 0
        ? ['More than relay left there:', ...songLines('+', extra, Number(extra_count))]
        : []),
    ];
  }
  if (!isObject(expected) || !isObject(present)) return [];
  const shown = (value: unknown) => visibleText(String(value ?? '-'), 60);
  return Object.keys(expected)
    .filter((name) => expected[name] !== present[name])
    .map((name) => `${name}: relay left ${shown(expected[name])}, now it is ${shown(present[name])}`);
}

function songLines(mark: string, first: readonly unknown[], count: number): string[] {
  const more = count > first.length ? [`  ${mark} and ${count - first.length} more`] : [];
  return [...first.map((song) => `  ${mark} ${visibleText(String(song), 120)}`), ...more];
}
