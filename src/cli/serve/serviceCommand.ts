import type { Command } from 'commander';
import { interruptible } from '../../base/abort.ts';
import { groupOf, leaf, type Result } from '../command.ts';
import type { Context } from '../context.ts';

const EXPLANATION = `
The service runs \`relay serve\` as you: a systemd user unit, a launchd agent or
an entry in the Run key of Windows. It gets its settings from config.json, not
from your environment. On Linux \`loginctl enable-linger\` lets it run while
nobody is logged in.

Exit code of status: 0 if it is installed, 1 if something is left to do

Examples:
  $ relay service install
  $ relay service restart`;

export function serviceCommand(context: Context): Command {
  const load = () => import('./runService.ts');
  const status = async () => (await load()).showService(context);
  const install = async (restart: boolean) => (await load()).installService(context, restart);
  const command = (name: string, description: string, run: () => Promise<Result>) =>
    leaf(context, name, description, () => interruptible(context.signal, run()));
  const commands = [
    command('install', 'Start the server now and at every login', () => install(false)),
    command('uninstall', 'Stop the service and remove it', async () =>
      (await load()).uninstallService(context),
    ),
    command('status', 'Show whether the service is installed and running', status),
    command('restart', 'Stop the service and start it again', () => install(true)),
  ];
  const description = 'Start the server at every login, as a service';
  return groupOf(context, 'service', description, status, commands, EXPLANATION);
}
