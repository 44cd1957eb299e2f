import { Command } from 'commander';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import type { UndoAnswer } from '../../domain/localApi.ts';
import type { LocalApi } from '../../server/calls.ts';
import { answering, type Result, wholeNumber } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { note } from '../terminal/output.ts';
import { canAsk, requireYes } from '../terminal/prompt.ts';
import { changeTable, differenceLines, effectLines } from './changeText.ts';

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

interface HistoryOptions {
  limit: number;
  by?: string;
}

export function historyCommand(context: Context): Command {
  return new Command('history')
    .description('List what relay has changed in playlists and the library')
    .option('--by <client>', 'Only what this client asked for: its name, or how it begins')
    .option('--limit <n>', 'Show this many, 1 to 200', wholeNumber(1, 200), 20)
    .addHelpText('after', HISTORY_HELP)
    .action(answering(context, (options: HistoryOptions) => listChanges(context, options)));
}

async function listChanges(context: Context, { limit, by }: HistoryOptions): Promise<Result> {
  const { local } = await context.server();
  const { items, total } = await local.listChanges({ limit, by });
  const whose = by === undefined ? '' : ` by "${visibleText(by, 100)}"`;
  const notes = items.length === 0 ? [`No changes${whose} in the last 30 days.`] : [];
  if (total > items.length) notes.push(`and ${total - items.length} older: --limit shows more`);
  return { value: { items, total }, text: [changeTable(items, context.clock.now())], notes };
}

export function undoCommand(context: Context): Command {
  return new Command('undo')
    .description('Undo a change that relay made')
    .argument(
      '[change]',
      'ID from `relay history`, or its first characters; the last change or import without it',
    )
    .option('--by <client>', 'Undo the last change of this client')
    .option('--force', 'Undo even if someone has made later changes, which are then lost')
    .option('--dry-run', 'Show what the undo would do, and change nothing')
    .option('--yes', 'Do not ask before removing songs or a playlist')
    .addHelpText('after', UNDO_HELP)
    .action(
      answering(context, (change: string | undefined, options: UndoOptions) =>
        runUndo(context, change ?? null, options),
      ),
    );
}

async function runUndo(context: Context, given: string | null, options: UndoOptions): Promise<Result> {
  const { io, signal } = context;
  const { force = false, dryRun = false, yes = false, by } = options;
  if (given !== null && by !== undefined)
    throw new RelayError('USAGE', 'A change and --by cannot be combined.', { remedy: 'Give one of them.' });
  const { local } = await context.server();
  const ask = (change: string | null, isDry: boolean, together?: boolean) =>
    asking(context, local, {
      ...{ change, force, dryRun: isDry, together },
      ...(change === null ? { by } : {}),
    });
  // With `--json` there is no dry run first: the answer itself says what cannot be brought back.
  if (context.json && !dryRun) return { value: await ask(given, false) };
  const plan = await ask(given, true);
  const what = plan.change ? `${visibleText(plan.change.what, 200)} (${shortId(plan.undone)})` : plan.undone;
  const lines = [`Undoing: ${what}`, ...effectLines(plan)];
  if (dryRun) return { value: plan, text: lines };
  for (const line of lines) note(io, line);
  // What deletes a playlist or removes songs is asked for.
  if (!yes && canAsk(context) && (force || plan.taken.count > 0 || plan.change?.kind === 'create')) {
    if (force && plan.removed === null) note(io, 'Later changes will be lost.');
    await requireYes(io, 'Undo?', signal);
  }
  // There may be a newer change by now, so the request names the change that was shown.
  return done(context, await ask(plan.undone, false, plan.together === undefined ? undefined : true));
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

/** Sends one request to the server, and rewrites a refusal in the words of the command line. */
async function asking(
  context: Context,
  local: LocalApi,
  request: Parameters<LocalApi['undoChange']>[0],
): Promise<UndoAnswer> {
  try {
    return await local.undoChange(request);
  } catch (error) {
    if (context.signal.aborted && !request.dryRun) {
      throw new RelayError('INTERRUPTED', 'Interrupted. The server finishes what it has begun.', {
        remedy: { text: '{command} shows whether the change is undone.', command: ['history'] },
      });
    }
    if (!(error instanceof RelayError)) throw error;
    if (error.code === 'INVALID_ARGUMENT') throw error.with({ code: 'USAGE' });
    if (error.code === 'CONFLICT' && !context.json)
      for (const line of differenceLines(error.details ?? {})) note(context.io, line);
    throw error;
  }
}
