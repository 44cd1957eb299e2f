import { type Command, Option } from 'commander';
import { LEVELS } from '../../domain/access.ts';
import { leaf } from '../command.ts';
import type { Context } from '../context.ts';
import type { StdioOptions } from './pipeStdio.ts';

const HELP = `
Uses the running server. Without one, it starts one that other programs find
too, and that ends ten minutes after its last client and its last job.

Examples:
  $ relay connect claude-desktop --write
  $ relay stdio --demo`;

export function stdioCommand(context: Context): Command {
  const description = 'Speak MCP on stdin and stdout, for clients that start programs';
  const run = async (_: Context, options: StdioOptions) => {
    const { pipeStdio } = await import('./pipeStdio.ts');
    await pipeStdio(context, options);
    return undefined;
  };
  return leaf(context, 'stdio', description, run, HELP).addOption(
    new Option('--access <level>', 'What it may do').choices(LEVELS),
  );
}
