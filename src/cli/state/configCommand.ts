import { Command } from 'commander';
import { answering, groupCommand } from '../command.ts';
import type { Context } from '../context.ts';

const HELP = `
A secret is set in the environment, and shown only as set or not set.

Examples:
  $ relay config
  $ relay config set port 5000`;

export function configCommand(context: Context): Command {
  const load = () => import('./runConfig.ts');
  const list = answering(context, async () => (await load()).listSettings(context));
  return groupCommand('config', 'Show and change the settings', list)
    .addHelpText('after', HELP)
    .addCommand(new Command('list').description('Print every setting and where it comes from').action(list))
    .addCommand(
      new Command('set')
        .description('Store a value in config.json')
        .argument('<key>', 'Name of the setting')
        .argument('<value>', 'New value')
        .action(
          answering(context, async (_, key: string, value: string) =>
            (await load()).setSetting(context, key, value),
          ),
        ),
    )
    .addCommand(
      new Command('unset')
        .description('Remove a stored value, so that the default applies')
        .argument('<key>', 'Name of the setting')
        .action(answering(context, async (_, key: string) => (await load()).unsetSetting(context, key))),
    );
}
