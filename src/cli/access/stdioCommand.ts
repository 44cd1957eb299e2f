import { Command, Option } from 'commander';
import { LEVELS } from '../../domain/access.ts';
import { answering } from '../command.ts';
import type { Context } from '../context.ts';
import type { StdioOptions } from './pipeStdio.ts';

const HELP = `
Uses the running server. Without one, it starts one that other programs find
too, and that ends ten minutes after its last client and its last job.

Examples:
  $ relay connect claude-desktop --write
  $ relay stdio --demo`;

export function stdioCommand(context: Context): Command {
  return new Command('stdio')
    .description('Speak MCP on stdin and stdout, for clients that start programs')
    .addOption(new Option('--access <level>', 'What it may do').choices(LEVELS))
    .addHelpText('after', HELP)
    .action(
      answering(context, async (_, options: StdioOptions) => {
        const { pipeStdio } = await import('./pipeStdio.ts');
        await pipeStdio(context, options);
        return undefined;
      }),
    );
}
