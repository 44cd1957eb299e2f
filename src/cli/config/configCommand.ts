import { Command } from 'commander';
import type { Context } from '../context.ts';
import { HELP_GROUPS, parentCommand } from '../usage/commandGroups.ts';

const run = () => import('./runConfig.ts');

export function configCommand(context: Context): Command {
  const list = async () => (await run()).listSettings(context);
  return parentCommand('config', 'Show and change the settings', list)
    .helpGroup(HELP_GROUPS.state)
    .addHelpText(
      'after',
      '\nExamples:\n  $ relay config\n  $ relay config set port 5000\n  $ relay config set providerClientSecret < secret.txt',
    )
    .addCommand(new Command('list').description('Print every setting and where it comes from').action(list))
    .addCommand(
      new Command('get')
        .description('Print the value in effect')
        .argument('<key>', 'Name of the setting')
        .action(async (key: string) => (await run()).getSetting(context, key)),
    )
    .addCommand(
      new Command('set')
        .description('Store a value in config.json; a secret is read from stdin and kept encrypted')
        .argument('<key>', 'Name of the setting')
        .argument('[value]', 'New value; not for secrets')
        .action(async (key: string, value?: string) => (await run()).setSetting(context, key, value)),
    )
    .addCommand(
      new Command('unset')
        .description('Remove a stored value, so that the default applies')
        .argument('<key>', 'Name of the setting')
        .action(async (key: string) => (await run()).unsetSetting(context, key)),
    )
    .addCommand(
      new Command('path')
        .description('Print the path of config.json')
        .action(async () => (await run()).printPath(context)),
    );
}
