import { Command } from 'commander';
import type { SettingKey } from '../../config/table.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { note, printJson } from '../terminal/output.ts';
import { commandWithOthers, HELP_GROUPS } from '../usage/commandGroups.ts';
import { requireSetting, runConfigGet, runConfigList, runConfigPath } from './configView.ts';

export function configCommand(context: Context): Command {
  const list = () => named(context, () => runConfigList(context));
  return commandWithOthers('config', 'Show and change the settings', list)
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
        .action((key: string) => named(context, () => runConfigGet(context, key))),
    )
    .addCommand(
      new Command('set')
        .description('Store a value in config.json; a secret is read from stdin and kept encrypted')
        .argument('<key>', 'Name of the setting')
        .argument('[value]', 'New value; not for secrets')
        .action((key: string, value?: string) => named(context, () => runConfigSet(context, key, value))),
    )
    .addCommand(
      new Command('unset')
        .description('Remove a value from config.json, so that the default applies')
        .argument('<key>', 'Name of the setting')
        .action((key: string) => named(context, () => runConfigUnset(context, key))),
    )
    .addCommand(
      new Command('path').description('Print the path of config.json').action(() => runConfigPath(context)),
    );
}

/** First says whose settings these are, if a running demo could be meant. */
async function named(context: Context, run: () => Promise<void>): Promise<void> {
  const { noteOtherHome } = await import('../findServer.ts');
  await noteOtherHome(context);
  return run();
}

async function runConfigSet(context: Context, name: string, value?: string): Promise<void> {
  const key = await requireSetting(name);
  if (key === 'providerClientSecret') return storeSecret(context, value);
  await refuseOutsideFile(key);
  if (value === undefined) {
    throw new RelayError('USAGE', `The value of ${key} is missing.`, {
      remedy: { text: 'Give it: {command}.', command: ['config', 'set', key, 'VALUE'] },
    });
  }
  const { storeSetting } = await import('../../config/edit.ts');
  const settings = storeSetting(context.loadOptions(), key, value);
  const done = { key, value: settings[key], source: settings.origins[key], path: settings.configPath };
  if (context.json) printJson(context.io, done);
  else note(context.io, `Set ${key} in ${settings.configPath}`);
  for (const warning of settings.warnings) context.remark(`Warning: ${warning}`);
  await noteWhatElse(context, key, settings.origins[key] === 'environment');
}

async function runConfigUnset(context: Context, name: string): Promise<void> {
  const { findSetting } = await import('../../config/table.ts');
  if (findSetting(name) === 'providerClientSecret') return forgetSecret(context);
  const { removeSetting } = await import('../../config/edit.ts');
  // An unknown key may still be in the file, which is unusable until it is removed.
  const removed = removeSetting(context.loadOptions(), findSetting(name) ?? name);
  const key = removed ? (findSetting(name) ?? name) : await requireSetting(name);
  if (context.json) printJson(context.io, { key, removed });
  else note(context.io, removed ? `Removed ${key}` : `${key} was not set in the file`);
  if (removed) await noteWhatElse(context, key, false);
}

/** Secrets are not taken as arguments, which end up in the shell's history. */
async function storeSecret(context: Context, value: string | undefined): Promise<void> {
  if (value !== undefined) {
    throw new RelayError('USAGE', 'A secret must not be on the command line.', {
      remedy: {
        text: 'Run {command} and type it, or pipe it in.',
        command: ['config', 'set', 'providerClientSecret'],
      },
    });
  }
  const { askSecret } = await import('../terminal/prompt.ts');
  const secret = await askSecret(context.io, 'Client secret: ', context.signal);
  const { secretText } = await import('../../config/types.ts');
  if (secretText.read(secret) === null) {
    throw new RelayError('SETTINGS_INVALID', `providerClientSecret must be ${secretText.expects}.`, {
      remedy: 'Nothing was changed; give another value.',
    });
  }
  await context.withLocal((local) => local.setClientSecret({ value: secret }), { ownHome: true });
  reportSecret(context, true);
}

async function forgetSecret(context: Context): Promise<void> {
  await context.withLocal((local) => local.setClientSecret({ value: null }), { ownHome: true });
  reportSecret(context, false);
}

function reportSecret(context: Context, set: boolean): void {
  if (context.json) printJson(context.io, { key: 'providerClientSecret', set });
  else note(context.io, set ? 'Stored the client secret, encrypted' : 'Forgot the client secret');
  if (context.env.PROVIDER_CLIENT_SECRET) {
    note(context.io, 'PROVIDER_CLIENT_SECRET in the environment overrides it.');
  }
}

async function refuseOutsideFile(key: SettingKey): Promise<void> {
  const { SETTINGS } = await import('../../config/table.ts');
  if (SETTINGS[key].inFile) return;
  throw new RelayError('USAGE', `${key} is not kept in config.json.`, {
    remedy: `Set ${SETTINGS[key].env} in the environment.`,
  });
}

async function noteWhatElse(context: Context, key: string, overridden: boolean): Promise<void> {
  const { SETTINGS } = await import('../../config/table.ts');
  if (overridden) note(context.io, `${SETTINGS[key as SettingKey].env} in the environment overrides it.`);
  else note(context.io, 'Restart a running server to use it.');
}
