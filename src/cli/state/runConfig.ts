/** Shows and changes settings. A secret is only shown as set or not set. */
import { didYouMean } from '../../base/nearest.ts';
import { redirectUriFor, removeSetting, storeSetting } from '../../config/settings.ts';
import { findSetting, SETTING_KEYS, SETTINGS, type SettingKey } from '../../config/table.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Result } from '../command.ts';
import type { Context } from '../context.ts';
import { noteOtherHome } from '../findServer.ts';

/** @throws RelayError `SETTINGS_INVALID` if some cannot be used: it says which, and where they come from */
export async function listSettings(context: Context): Promise<Result> {
  await noteOtherHome(context);
  const settings = await context.settings();
  const { configPath, origins, port } = settings;
  const views = SETTING_KEYS.map((key) => {
    const { env, secret, fallbackText } = SETTINGS[key];
    // The redirect URI follows the port, unless the URI itself is set. With port 0 there is none.
    const followsPort = key === 'providerRedirectUri' && port !== 0;
    const value = followsPort ? redirectUriFor(settings, port) : settings[key];
    const fallback = fallbackText.replaceAll('`', '');
    const source: string = origins[key];
    return { key, env, value: secret ? null : value, source, secret, set: value !== null, fallback };
  });
  const rows = views.map(({ key, env, value, source, secret, set, fallback }) => {
    const places: Record<string, string> = { default: '', environment: `from ${env}`, flag: `from --${key}` };
    const shown = secret ? 'set' : String(value);
    return [key, set ? shown : `not set (${fallback})`, places[source] ?? `from ${configPath}`];
  });
  return {
    value: { path: configPath, settings: views },
    text: [{ rows }],
    notes: [`They are stored in ${configPath}`],
  };
}

export async function setSetting(context: Context, name: string, value: string): Promise<Result> {
  await noteOtherHome(context);
  const key = requireSetting(name);
  const { inFile, env } = SETTINGS[key];
  if (!inFile) {
    throw new RelayError('USAGE', `${key} is not kept in config.json.`, {
      remedy: `Set ${env} in the environment.`,
    });
  }
  const settings = storeSetting(context.loadOptions(), key, value);
  const { configPath: path, origins, warnings } = settings;
  return {
    value: { key, value: settings[key], source: origins[key], path },
    notes: [
      `Set ${key} in ${path}`,
      ...warnings.map((warning) => `Warning: ${warning}`),
      origins[key] === 'environment' ? `${env} in the environment overrides it.` : whenItCounts(key),
    ],
  };
}

export async function unsetSetting(context: Context, name: string): Promise<Result> {
  await noteOtherHome(context);
  const options = context.loadOptions();
  // The file may have a key that is not a setting, and relay refuses the file until that key is removed. So a key that is spelled
  // exactly like `name` in the file is removed first.
  const isWritten = removeSetting(options, name);
  const key = isWritten ? name : requireSetting(name);
  const removed = isWritten || removeSetting(options, key);
  return {
    value: { key, removed },
    notes: removed ? [`Removed ${key}`, whenItCounts(key)] : [`${key} was not set in the file`],
  };
}

function whenItCounts(key: string): string {
  if (key === 'providerClientId') return 'A running server that has a client ID keeps it until it restarts.';
  return 'A running server keeps the old value until it restarts.';
}

/**
 * Returns the setting with that name, as written in `config.json` or in the environment.
 * @throws RelayError `USAGE` with similar names
 */
function requireSetting(name: string): SettingKey {
  const key = findSetting(name);
  if (key) return key;
  throw new RelayError('USAGE', `There is no setting "${name}".`, {
    remedy: {
      text: `${didYouMean(name, SETTING_KEYS) ?? ''} {command} shows all.`.trim(),
      command: ['config', 'list'],
    },
  });
}
