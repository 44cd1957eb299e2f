/**
 * Loads and checks the settings, and tells where each value came from. The first source that gives a value counts: flag,
 * environment, `config.json`, default. Reads two files at most and changes nothing.
 */
import { join, resolve } from 'node:path';
import { ownDirectory } from '../base/ownDirectory.ts';
import { homeDirectory } from '../base/userDirectories.ts';
import { configPath, readConfigFile } from './configFile.ts';
import {
  type ConfiguredClient,
  clientFromEnvironment,
  duplicateClients,
  readClientsFile,
} from './oauthClients.ts';
import { type Origin, type Problem, settingsError } from './problems.ts';
import { crossProblems, crossWarnings, type Origins } from './rules.ts';
import { placeOf, type ReadValue, readSetting, type SettingFlags, unknownKeys } from './sources.ts';
import { SETTING_KEYS, type SettingValues, type Surroundings } from './table.ts';
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
  /** Clients from the environment and from the clients file. `loadSettings` refuses an ID that occurs twice. */
  readonly oauthClients: readonly ConfiguredClient[];
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
  const home = findHome(options);
  const at = { home: home.value, demo: options.demo ?? false, terminal: options.terminal ?? false };
  const file = readConfigFile(at.home);
  const sources = {
    env: options.env,
    flags: options.flags ?? {},
    file: fileValues ?? file.values,
    path: file.path,
  };
  const problems = [...(file.problem ? [file.problem] : []), ...unknownKeys(sources)];

  const values: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const key of SETTING_KEYS) {
    const found = key === 'home' ? home : readSetting(key, sources, at);
    values[key] = found.value;
    origins[key] = found.origin;
    if (found.problem) problems.push(found.problem);
  }
  return complete(values as SettingValues, origins as Origins, at, problems);
}

/** Returns the redirect URI to use and to enter in the Spotify app, for a server that listens on `port`. */
export function redirectUriFor(settings: Pick<Settings, 'providerRedirectUri'>, port: number): string {
  return settings.providerRedirectUri ?? `http://127.0.0.1:${port}${CALLBACK_PATH}`;
}

/** Returns the options by which `secrets/masterKey.ts` finds the master key of a home. */
export function keyOptions({ home, keychain, encryptionKey }: Settings) {
  return { home, mode: keychain, encryptionKey: encryptionKey ?? undefined };
}

/** Returns the base URL of a server on this machine, for a program on the same machine. */
export function localBaseUrl(host: string, port: number): string {
  return `http://${urlHost(host)}:${port}`;
}

/** Returns the host at which programs on this machine reach a server on `host`. Every server listens on loopback as well. */
function urlHost(host: string): string {
  if (host === '::1') return '[::1]';
  return host === 'localhost' ? host : '127.0.0.1';
}

function complete(values: SettingValues, origins: Origins, at: Surroundings, problems: Problem[]) {
  if (values.oauthClientsFile !== null) {
    const base = origins.oauthClientsFile === 'file' ? at.home : process.cwd();
    values.oauthClientsFile = resolve(base, values.oauthClientsFile);
  }
  const clients = readClients(values, origins, at);
  const settings: Settings = {
    ...values,
    demo: at.demo,
    configPath: configPath(at.home),
    oauthClients: clients.clients,
    origins,
    warnings: crossWarnings(values),
  };
  // An unusable value is reported once, not also as missing.
  const cross = crossProblems(values, origins).filter(
    ({ key }) => !problems.some((other) => other.key === key),
  );
  return { settings, problems: [...problems, ...cross, ...clients.problems] };
}

function readClients(values: SettingValues, { oauthClientsFile: origin }: Origins, { home }: Surroundings) {
  const { mcpOauthClientId: id, mcpOauthClientSecret: secret, mcpOauthClientRedirectUri: uri } = values;
  const own = id !== null && secret !== null && uri !== null ? [clientFromEnvironment(id, secret, uri)] : [];
  const place = origin === 'default' ? '' : `${placeOf('oauthClientsFile', origin, configPath(home))}: `;
  const file =
    values.oauthClientsFile === null
      ? { clients: [], problems: [] }
      : readClientsFile(values.oauthClientsFile, origin, place);
  const clients = [...own, ...file.clients];
  return { clients, problems: [...file.problems, ...duplicateClients(clients)] };
}

/** Expands a leading tilde. A shell does not expand it in `--home=~/relay`, and nothing expands it in an env file. */
function withoutTilde(path: string): string {
  return /^~(?=$|[\\/])/.test(path) ? join(homeDirectory(process), path.slice(1)) : path;
}

/** Finds the home before any other setting is read, since `config.json` is in it. */
function findHome(options: LoadOptions): ReadValue & { value: string } {
  const [raw, origin]: [string, Origin] = options.flags?.home
    ? [options.flags.home, 'flag']
    : options.env.RELAY_HOME
      ? [options.env.RELAY_HOME, 'environment']
      : [options.home ?? ownDirectory('config'), 'default'];
  const value = resolve(withoutTilde(raw));
  return { value: options.demo ? join(value, 'demo') : value, origin };
}
