import { Command } from 'commander';
import type { Context } from '../context.ts';
import type { Finish } from '../exit.ts';
import { hostServer } from '../serve/openServer.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import type { ToolOptions } from '../usage/toolFlags.ts';
import { runStdio } from './runStdio.ts';

export function stdioCommand(context: Context, finish: Finish): Command {
  return new Command('stdio')
    .helpGroup(HELP_GROUPS.clients)
    .description('Speak MCP on stdin and stdout, for clients that start programs')
    .option('--toolsets <list>', 'Limit the client to these toolsets')
    .option('--read-only', 'Limit the client to tools that change nothing')
    .addHelpText(
      'after',
      `
Uses the running server. Without one, it becomes the server, for as long as
clients need it.

Examples:
  $ relay connect claude-desktop --write
  $ relay stdio --demo`,
    )
    .action(async (options: ToolOptions) =>
      finish(await runStdio(context, options, (settings) => hostServer(context, settings))),
    );
}
