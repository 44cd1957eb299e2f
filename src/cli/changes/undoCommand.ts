import { Command } from 'commander';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import type { UndoAnswer } from '../../domain/localApi.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import { commandLine } from '../usage/commandLine.ts';

interface UndoOptions {
  force?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

export function undoCommand(context: Context): Command {
  return new Command('undo')
    .helpGroup(HELP_GROUPS.tools)
    .description('Undo a change that relay made')
    .argument(
      '[change]',
      'ID from `relay history`, or its first characters; the last change or import without it',
    )
    .option('--force', 'Undo even if someone has made later changes, which are then lost')
    .option('--dry-run', 'Show what the undo would do, and change nothing')
    .option('--yes', 'Do not ask before removing songs or a playlist')
    .addHelpText(
      'after',
      '\nAn undo is a change too: undo it to redo the change.\n\nExamples:\n  $ relay undo --dry-run\n  $ relay undo\n  $ relay undo 1f0c2b3a --force',
    )
    .action((change: string | undefined, options: UndoOptions) => runUndo(context, change, options));
}

async function runUndo(context: Context, given: string | undefined, options: UndoOptions): Promise<void> {
  const { io } = context;
  const { force = false, dryRun = false, yes = false } = options;
  const { local } = await context.server();
  const text = await import('./changeText.ts');
  const ask = (change: string | null, isDry: boolean, together?: boolean) =>
    asking(context, local, { change, force, dryRun: isDry, together });

  const canAsk = !yes && io.terminal.stdin && io.terminal.stderr && !context.json;
  let change = given ?? null;
  let together: boolean | undefined;
  // With `--json` there is no dry run first: the answer itself says what cannot be brought back.
  if (dryRun || !context.json) {
    const plan = await ask(change, true);
    if (dryRun && context.json) return printJson(io, plan);
    const what = plan.change
      ? `${visibleText(plan.change.what, 200)} (${shortId(plan.undone)})`
      : plan.undone;
    const print = dryRun ? printLine : note;
    for (const line of [`Undoing: ${what}`, ...text.effectLines(plan)]) print(io, line);
    if (dryRun) return;
    if (canAsk && (force || takesAway(plan))) await confirmUndo(context, plan, force);
    // There may be a newer change by now, so the request names the change that was shown.
    change = plan.undone;
    if (plan.together !== undefined) together = true;
  }
  const answer = await ask(change, false, together);
  if (context.json) return printJson(io, answer);
  showDone(context, answer);
}

/** True if the undo deletes a playlist or removes songs. */
function takesAway({ taken, change }: UndoAnswer): boolean {
  return taken.count > 0 || change?.kind === 'create';
}

function showDone(context: Context, answer: UndoAnswer): void {
  const { io } = context;
  if (answer.job_id !== undefined) {
    const job = shortId(answer.job_id);
    printLine(io, `The undo is not finished; it continues as job ${job}. ${answer.reason ?? ''}`.trimEnd());
    note(io, `To follow it: ${commandLine(context, 'jobs', 'show', job, '--watch')}`);
    return;
  }
  for (const line of [answer.summary, ...answer.notes]) printLine(io, visibleText(line, 500));
  if (answer.change_id === undefined) return;
  note(io, `To redo it: ${commandLine(context, 'undo', shortId(answer.change_id))}`);
}

async function confirmUndo({ io, signal }: Context, { removed }: UndoAnswer, force: boolean): Promise<void> {
  if (force && removed === null) note(io, 'Later changes will be lost.');
  const { requireYes } = await import('../terminal/prompt.ts');
  await requireYes(io, 'Undo?', signal);
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
    if (context.signal.aborted && !request.dryRun) throw stillGoing();
    if (!(error instanceof RelayError)) throw error;
    if (error.code === 'INVALID_ARGUMENT') throw error.with({ code: 'USAGE' });
    if (error.code !== 'CONFLICT') throw error;
    await showDifference(context, error);
    throw error;
  }
}

function stillGoing(): RelayError {
  return new RelayError('INTERRUPTED', 'Interrupted. The server finishes what it has begun.', {
    remedy: { text: '{command} shows whether the change is undone.', command: ['history'] },
  });
}

/** Shows both lists. With `--json` they are only in the error's details. */
async function showDifference({ io, json }: Context, { details }: RelayError): Promise<void> {
  if (json) return;
  const { differenceLines } = await import('./changeText.ts');
  for (const line of differenceLines(details ?? {})) note(io, line);
}
