import { Command } from 'commander';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode, type Finish } from '../exit.ts';
import { note } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import { wholeNumber } from '../usage/wholeNumber.ts';

interface LogsOptions {
  follow?: boolean;
  lines: number;
}

export function logsCommand(context: Context, finish: Finish): Command {
  return new Command('logs')
    .helpGroup(HELP_GROUPS.server)
    .description("Show the server's log, also when it runs as a service")
    .option('-f, --follow', 'Keep printing new lines, until Ctrl-C')
    .option(
      '-n, --lines <n>',
      'Show this many of the last lines',
      wholeNumber(0, 100_000, 'from 0 to 100,000'),
      50,
    )
    .addHelpText(
      'after',
      '\nThe log is kept in the home, at most 2 MiB of it, and holds no secrets.\nWith --json each line is one JSON document.\n\nExamples:\n  $ relay logs\n  $ relay logs -f\n  $ relay logs -n 500 --json',
    )
    .action(async (options: LogsOptions) => finish(await runLogs(context, options)));
}

async function runLogs(context: Context, { follow = false, lines: count }: LogsOptions): Promise<ExitCode> {
  const { showLog } = await import('./showLog.ts');
  const isEmpty = await showLog(context, count, follow);
  if (isEmpty && !follow)
    note(context.io, 'There is no log yet: no server has logged anything for this home.');
  return context.signal.aborted ? EXIT.interrupted : EXIT.done;
}
