import { Command } from 'commander';
import { interruptible } from '../../base/abort.ts';
import type { Context } from '../context.ts';
import type { Finish } from '../exit.ts';
import { HELP_GROUPS, parentCommand } from '../usage/commandGroups.ts';

const EXPLANATION = `
The service runs \`relay serve\` as you: a systemd user unit on Linux, a launchd
agent on macOS, an entry in the Run key on Windows. It gets its settings from
config.json, not from your environment. On Linux \`loginctl enable-linger\` lets
it run while nobody is logged in.

Exit code of status: 0 if it is installed, 1 if something is left to do

Examples:
  $ relay service install
  $ relay service
  $ relay service uninstall`;

export function serviceCommand(context: Context, finish: Finish): Command {
  const run = () => import('./runService.ts');
  const status = async () => finish(await (await run()).showService(context));
  const install = async (restart: boolean) => (await run()).installService(context, { restart });
  const uninstall = async () => (await run()).uninstallService(context);
  const command = (name: string, description: string, action: () => Promise<void>) =>
    new Command(name).description(description).action(() => interruptible(context.signal, action()));
  return parentCommand('service', 'Start the server at every login, as a service', status)
    .helpGroup(HELP_GROUPS.server)
    .addHelpText('after', EXPLANATION)
    .addCommand(command('install', 'Start the server now and at every login', () => install(false)))
    .addCommand(command('uninstall', 'Stop the service and remove it', uninstall))
    .addCommand(command('status', 'Show whether the service is installed and running', status))
    .addCommand(command('restart', 'Stop the service and start it again', () => install(true)));
}
