import { type Command, Option } from 'commander';
import { CLIENTS } from '../../connect/clientTable.ts';
import { LEVELS } from '../../domain/access.ts';
import { leaf } from '../command.ts';
import type { Context } from '../context.ts';
import { wrap } from '../terminal/output.ts';
import type { ConnectOptions } from './runConnect.ts';

const HELP = `
Clients: ${wrap(CLIENTS.map(({ id }) => id).join(', '), 70).join('\n         ')}

Examples:
  $ relay connect cursor --write
  $ relay connect claude-code --skill`;

export function connectCommand(context: Context): Command {
  const description = 'Show how to connect an AI client, or write its configuration';
  const run = async (_: Context, name: string | undefined, options: ConnectOptions) => {
    const { runConnect } = await import('./runConnect.ts');
    return runConnect(context, name, options);
  };
  return leaf(context, 'connect', description, run, HELP)
    .argument('[client]', 'One of the clients below, or any other name; without it, relay lists all')
    .option('--write', "Add relay to the client's configuration file, after a backup")
    .option('--remove', "Remove relay from the client's configuration file, after a backup")
    .option('--key', 'Use the API key instead of approval in the browser')
    .addOption(new Option('--access <level>', 'What it may do').choices(LEVELS))
    .option(
      '--skill [dir]',
      'Write a skill that describes the commands of relay, for the client or into this directory',
    );
}
