/**
 * Loads and checks the settings, tells where each value came from, and changes one in `config.json`. The first source that gives a
 * value counts: flag, environment, `config.json`, default.
 */
import { dirname, join, resolve } from 'node:path';
import { ownDirectory } from '../base/ownDirectory.ts';
import { directoryIn, homeDirectory } from '../base/userDirectories.ts';
import { RelayError } from '../domain/errors.ts';
import { type ConfigFile, readConfigFile, writeConfigFile } from './configFile.ts';
import { crossProblems, crossWarnings } from './rules.ts';
import {
  type Origin,
  type Origins,
  type Problem,
  readSetting,
  type SettingFlags,
  settingsError,
  shown,
  unknownKeys,
} from './sources.ts';
import { SETTING_KEYS, SETTINGS, type Setting, type SettingKey, type SettingValues } from './table.ts';
import { CALLBACK_PATH } from './types.ts';

export interface LoadOptions {
  env: NodeJS.ProcessEnv;
  flags?: SettingFlags;
  /** Home directory if neither flag nor environment names one; by default `relay` in the user's config directory. */
  home?: string;
  /** The demo has a home of its own, `<home>/demo`, with its own `config.json`. */
  demo?: boolean;
  /** True if stderr is a terminal. */
  terminal?: boolean;
}

export interface Settings extends Readonly<SettingValues> {
  readonly demo: boolean;
  readonly configPath: string;
  readonly origins: Readonly<Origins>;
  /** Sentences for a person about values that are allowed but will probably not work. */
  readonly warnings: readonly string[];
}

/** Loads and checks every setting. Throws one `SETTINGS_INVALID` with all problems. */
export function loadSettings(options: LoadOptions): Settings {
  const { settings, problems } = inspectSettings(options);
  if (problems.length > 0) throw settingsError(problems);
  return settings;
}

/**
 * Loads what can be loaded and says what is wrong; defaults replace unusable values. `fileValues` replace the content of
 * `config.json`, to try a change before it is written.
 */
export function inspectSettings(
  options: LoadOptions,
  fileValues?: Record<string, unknown>,
): { settings: Settings; problems: Problem[] } {
  const { env, flags = {}, demo = false, terminal = false } = options;
  const home = findHome(options);
  const file = readConfigFile(home.value);
  const sources = { env, flags, file: fileValues ?? file.values, path: file.path };
  const problems = [...(file.problem ? [file.problem] : []), ...unknownKeys(sources)];

  const read: Record<string, unknown> = {};
  const from: Record<string, Origin> = {};
  for (const key of SETTING_KEYS) {
    const found = key === 'home' ? home : readSetting(key, sources, { home: home.value, demo, terminal });
    read[key] = found.value;
    from[key] = found.origin;
    if (found.problem) problems.push(found.problem);
  }
  const [values, origins] = [read as SettingValues, from as Origins];
  if (values.oauthClientsFile !== null) {
    const base = origins.oauthClientsFile === 'file' ? home.value : process.cwd();
    values.oauthClientsFile = resolve(base, values.oauthClientsFile);
  }
  // An unusable value is reported once, not also as missing.
  const cross = crossProblems(values, origins).filter(
    ({ key }) => !problems.some((other) => other.key === key),
  );
  const settings = { ...values, demo, configPath: file.path, origins, warnings: crossWarnings(values) };
  return { settings, problems: [...problems, ...cross] };
}

/** Finds the home before any other setting is read, since `config.json` is in it. */
function findHome({ flags, env, home, demo }: LoadOptions): {
  value: string;
  origin: Origin;
  problem?: never;
} {
  const named = flags?.home || env.RELAY_HOME;
  const origin = flags?.home ? 'flag' : named ? 'environment' : 'default';
  const value = resolve(withoutTilde(named || home || ownDirectory('config')));
  return { value: demo ? join(value, 'demo') : value, origin };
}

/** Expands a leading tilde. A shell does not expand it in `--home=~/relay`, and nothing expands it in an env file. */
function withoutTilde(path: string): string {
  return /^~(?=$|[\\/])/.test(path) ? join(homeDirectory(process), path.slice(1)) : path;
}

/**
 * Stores `text` as the value of `key`, and returns the settings that result. Throws `SETTINGS_INVALID`, and writes nothing, if
 * the value is unusable or contradicts other settings, or if the file cannot be read. Problems that the settings had before are
 * ignored, so that they can be fixed one by one. Throws `HOME_UNUSABLE` if the file cannot be written.
 */
export function storeSetting(options: LoadOptions, key: SettingKey, text: string): Settings {
  const setting = SETTINGS[key] as Setting<unknown>;
  const value = setting.type.read(text);
  if (value !== null) return change(options, (values) => ({ ...values, [key]: value }));
  const message = `${key} must be ${setting.type.expects}${setting.secret ? '' : `, not ${shown(text)}`}`;
  throw new RelayError('SETTINGS_INVALID', `${message}.`, {
    remedy: 'Nothing was changed; give another value.',
    details: { problems: [{ key, origin: 'flag', message }] },
  });
}

/** Removes `key`, known or not, from the file. Returns false if the file does not have the key. Throws as `storeSetting` does. */
export function removeSetting(options: LoadOptions, key: string): boolean {
  if (!Object.hasOwn(readable(options).values, key)) return false;
  change(options, ({ [key]: _removed, ...values }) => values);
  return true;
}

function change(
  options: LoadOptions,
  edit: (values: Record<string, unknown>) => Record<string, unknown>,
): Settings {
  const { path, values: before } = readable(options);
  const values = edit(before);
  const known = inspectSettings(options).problems.map(({ message }) => message);
  const { settings, problems } = inspectSettings(options, values);
  const added = problems.filter(({ message }) => !known.includes(message));
  // The refused value never reached the file, so the usual remedy "Correct it there" would not help.
  if (added.length > 0)
    throw settingsError(added, 'Nothing was changed, since relay would not start with these settings.');
  writeConfigFile(path, values);
  return settings;
}

function readable(options: LoadOptions): ConfigFile {
  const file = readConfigFile(inspectSettings(options).settings.home);
  if (file.problem) throw settingsError([file.problem]);
  return file;
}

/** Returns the redirect URI to use and to enter in the Spotify app, for a server that listens on `port`. */
export function redirectUriFor(settings: Pick<Settings, 'providerRedirectUri'>, port: number): string {
  return settings.providerRedirectUri ?? `http://127.0.0.1:${port}${CALLBACK_PATH}`;
}

/** Returns the options by which `secrets/masterKey.ts` finds the master key of a home. */
export function keyOptions({ home, keychain, encryptionKey }: Settings) {
  return { home, mode: keychain, encryptionKey: encryptionKey ?? undefined };
}

/**
 * Returns the base URL of a server on this machine, for a program on the same machine. Every server listens on loopback,
 * whatever its host is.
 */
export function localBaseUrl(host: string, port: number): string {
  const names: Record<string, string> = { '::1': '[::1]', localhost: 'localhost' };
  return `http://${names[host] ?? '127.0.0.1'}:${port}`;
}

/**
 * Returns the value for `--home` in a command that a service manager or an MCP client starts, since such a command does not have
 * this shell's environment; null if the command finds the home without it.
 */
export function homeToName(
  { home, demo, origins }: Pick<Settings, 'home' | 'demo' | 'origins'>,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): string | null {
  // On Linux the default home depends on `XDG_CONFIG_HOME`. A service manager may set it differently, and MCP clients do not pass
  // it on.
  const dependsOnVariable =
    platform === 'linux' && directoryIn({ platform, env }, 'XDG_CONFIG_HOME') !== undefined;
  if (origins.home === 'default' && !dependsOnVariable) return null;
  // The demo's home is a directory inside the home that `--home` names, and `--demo` selects it.
  return demo ? dirname(home) : home;
}
