/** Shows and changes settings. A secret is only shown as set or not set. */
import { didYouMean } from '../../base/nearest.ts';
import {
  inspectSettings,
  redirectUriFor,
  removeSetting,
  type Settings,
  storeSetting,
} from '../../config/settings.ts';
import { settingsError } from '../../config/sources.ts';
import { findSetting, SETTING_KEYS, SETTINGS, type SettingKey } from '../../config/table.ts';
import { RelayError } from '../../domain/errors.ts';
import { printResult, type Result } from '../command.ts';
import type { Context } from '../context.ts';
import { noteOtherHome } from '../findServer.ts';

/**
 * Prints the settings that can be used, and marks the others. Then throws `SETTINGS_INVALID` if there are others. If
 * `config.json` cannot be read, nothing is known about its settings, so nothing is printed.
 */
export async function listSettings(context: Context): Promise<Result> {
  await noteOtherHome(context);
  const { settings, problems } = inspectSettings(context.loadOptions());
  if (problems.some(({ key }) => key === 'config.json')) throw settingsError(problems);
  // The redirect URI depends on the port. With port 0 there is none.
  const known = problems.some(({ key }) => key === 'port') ? { ...settings, port: 0 } : settings;
  const views = SETTING_KEYS.map((key) => {
    const view = viewOf(known, key);
    const problem = problems.find((one) => one.key === key);
    if (!problem) return view;
    const { origin: source, message } = problem;
    return { ...view, value: null, source, set: source !== 'default', problem: message };
  });
  const result = {
    value: { path: settings.configPath, settings: views },
    text: [{ rows: views.map((view) => [view.key, textOf(view), originOf(view, settings)]) }],
  };
  if (problems.length === 0) return { ...result, notes: [`They are stored in ${settings.configPath}`] };
  await printResult(context, result);
  throw settingsError(problems);
}

/** `value` is null for a secret, and if nothing is set; `fallback` is the default in words. */
function viewOf(settings: Settings, key: SettingKey) {
  const { env, secret, fallbackText } = SETTINGS[key];
  // The redirect URI follows the port, unless the URI itself is set.
  const followsPort = key === 'providerRedirectUri' && settings.port !== 0;
  const value = followsPort ? redirectUriFor(settings, settings.port) : settings[key];
  const fallback = fallbackText.replaceAll('`', '');
  const source: string = settings.origins[key];
  return { key, env, value: secret ? null : value, source, secret, set: value !== null, fallback };
}

type View = ReturnType<typeof viewOf> & { problem?: string };

function textOf({ problem, set, secret, fallback, value }: View): string {
  if (problem !== undefined) return set ? 'cannot be used' : 'missing';
  if (!set) return `not set (${fallback})`;
  return secret ? 'set' : String(value);
}

function originOf({ key, env, source }: View, { configPath }: Settings): string {
  if (source === 'default') return '';
  if (source === 'environment') return `from ${env}`;
  return source === 'flag' ? `from --${key}` : `from ${configPath}`;
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
  if (key === 'providerClientId')
    return 'A running server that was started with a client ID keeps that ID until it restarts. Any other server reads the file at each login.';
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
