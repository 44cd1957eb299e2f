import type { Command } from 'commander';
import { groupOf, leaf } from '../command.ts';
import type { Context } from '../context.ts';

const HELP = `
A secret is set in the environment, and shown only as set or not set.

Examples:
  $ relay config
  $ relay config set port 5000`;

export function configCommand(context: Context): Command {
  const load = () => import('./runConfig.ts');
  const list = async () => (await load()).listSettings(context);
  const set = async (_: Context, key: string, value: string) =>
    (await load()).setSetting(context, key, value);
  const unset = async (_: Context, key: string) => (await load()).unsetSetting(context, key);
  const commands = [
    leaf(context, 'list', 'Print every setting and where it comes from', list),
    leaf(context, 'set', 'Store a value in config.json', set)
      .argument('<key>', 'Name of the setting')
      .argument('<value>', 'New value'),
    leaf(context, 'unset', 'Remove a stored value, so that the default applies', unset).argument(
      '<key>',
      'Name of the setting',
    ),
  ];
  return groupOf(context, 'config', 'Show and change the settings', list, commands, HELP);
}
