import { Command } from 'commander';
import { answering } from '../command.ts';
import type { Context } from '../context.ts';
import type { ToolOptions } from './pipeStdio.ts';

const HELP = `
Uses the running server. Without one, it starts one that other programs find
too, and that ends ten minutes after its last client and its last job.

Examples:
  $ relay connect claude-desktop --write
  $ relay stdio --demo`;

export function stdioCommand(context: Context): Command {
  return new Command('stdio')
    .description('Speak MCP on stdin and stdout, for clients that start programs')
    .option('--toolsets <list>', 'Limit the client to these toolsets')
    .option('--read-only', 'Limit the client to tools that change nothing')
    .addHelpText('after', HELP)
    .action(
      answering(context, async (options: ToolOptions) => {
        const { pipeStdio } = await import('./pipeStdio.ts');
        await pipeStdio(context, options);
        return undefined;
      }),
    );
}
