import { Command } from 'commander';
import { interruptible } from '../../base/abort.ts';
import { answering, groupCommand, type Result } from '../command.ts';
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
  const status = answering(context, async () => (await load()).showService(context));
  const command = (name: string, description: string, run: () => Promise<Result>) =>
    new Command(name)
      .description(description)
      .action(answering(context, () => interruptible(context.signal, run())));
  return groupCommand('service', 'Start the server at every login, as a service', status)
    .addHelpText('after', EXPLANATION)
    .addCommand(
      command('install', 'Start the server now and at every login', async () =>
        (await load()).installService(context),
      ),
    )
    .addCommand(
      command('uninstall', 'Stop the service and remove it', async () =>
        (await load()).uninstallService(context),
      ),
    )
    .addCommand(
      new Command('status').description('Show whether the service is installed and running').action(status),
    )
    .addCommand(
      command('restart', 'Stop the service and start it again', async () =>
        (await load()).installService(context, true),
      ),
    );
}
