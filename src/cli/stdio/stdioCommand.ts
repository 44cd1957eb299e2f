import { Command } from 'commander';
import type { Context } from '../context.ts';
import type { Finish } from '../exit.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import type { ToolOptions } from '../usage/toolFlags.ts';

export function stdioCommand(context: Context, finish: Finish): Command {
  return new Command('stdio')
    .helpGroup(HELP_GROUPS.clients)
    .description('Speak MCP on stdin and stdout, for clients that start programs')
    .option('--toolsets <list>', 'Limit the client to these toolsets')
    .option('--read-only', 'Limit the client to tools that change nothing')
    .addHelpText(
      'after',
      `
Uses the running server. Without one, it starts one that other programs find
too, and that ends ten minutes after its last client and its last job.

Examples:
  $ relay connect claude-desktop --write
  $ relay stdio --demo`,
    )
    .action(async (options: ToolOptions) => {
      const { pipeStdio } = await import('./pipeStdio.ts');
      finish(await pipeStdio(context, options));
    });
}
