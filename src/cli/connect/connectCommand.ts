import { Command } from 'commander';
import { CLIENTS } from '../../connect/clientTable.ts';
import type { Context } from '../context.ts';
import { wrap } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import type { ConnectOptions } from './runConnect.ts';

const HELP = `
Clients: ${wrap(CLIENTS.map(({ id }) => id).join(', '), 70).join('\n         ')}
For any other name, relay shows the URL and the header to enter, or the program
to start.

Examples:
  $ relay connect
  $ relay connect cursor
  $ relay connect codex --write
  $ relay connect claude-code --key --write
  $ relay connect cursor --toolsets catalog,playlists --read-only
  $ relay connect cursor --remove
  $ relay connect claude-code --skill
  $ relay connect --skill .agents/skills
  $ relay connect claude-code --skill --remove`;

export function connectCommand(context: Context): Command {
  return new Command('connect')
    .helpGroup(HELP_GROUPS.clients)
    .description('Show how to connect an AI client, or write its configuration')
    .argument('[client]', 'One of the clients below, or any other name; without it, relay lists all')
    .option('--write', "Add relay to the client's configuration file, after a backup")
    .option('--remove', "Remove relay from the client's configuration file, after a backup")
    .option('--key', 'Use the API key instead of approval in the browser')
    .option(
      '--skill [dir]',
      'Write a skill that describes the commands of relay, for the client or into this directory',
    )
    .option('--toolsets <list>', 'Limit the client to these toolsets')
    .option('--read-only', 'Limit the client to tools that change nothing')
    .addHelpText('after', HELP)
    .action(async (name: string | undefined, options: ConnectOptions) => {
      const { runConnect } = await import('./runConnect.ts');
      await runConnect(context, name, options);
    });
}
