import { Command } from 'commander';
import type { Context } from '../context.ts';
import { note, printJson, printTable } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import { wholeNumber } from '../usage/wholeNumber.ts';

interface HistoryOptions {
  limit: number;
}

export function historyCommand(context: Context): Command {
  return new Command('history')
    .helpGroup(HELP_GROUPS.tools)
    .description('List what relay has changed in playlists and the library')
    .option('--limit <n>', 'Show this many, 1 to 200', wholeNumber(1, 200), 20)
    .addHelpText(
      'after',
      '\nNewest first; kept for 30 days, 200 at most. A playlist that is not among the\nfirst 50 of your library shows its ID. `relay undo ID` undoes a change.\n\nExamples:\n  $ relay history\n  $ relay history --limit 5 --json',
    )
    .action((options: HistoryOptions) => runHistory(context, options));
}

async function runHistory(context: Context, options: HistoryOptions): Promise<void> {
  const { io } = context;
  const { local } = await context.server();
  const { items, total } = await local.listChanges({ limit: options.limit });
  if (context.json) return printJson(io, { items, total });
  if (items.length === 0) return note(io, 'No changes in the last 30 days.');
  const { changeTable } = await import('./changeText.ts');
  printTable(io, changeTable(items));
  if (total > items.length) note(io, `and ${total - items.length} older: --limit shows more`);
}
