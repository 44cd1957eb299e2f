/** Reads one setting from its four sources: flag, environment, `config.json`, default. */
import { didYouMean } from '../base/nearest.ts';
import { type Origin, type Problem, shown } from './problems.ts';
import {
  findSetting,
  SETTING_KEYS,
  SETTINGS,
  type Setting,
  type SettingKey,
  type Surroundings,
} from './table.ts';

/** Where the value of each setting came from. */
export type Origins = Record<SettingKey, Origin>;

/** Values of the command-line flags that override a setting, as typed. */
export type SettingFlags = Partial<Record<'home' | 'host' | 'port' | 'toolsets' | 'readOnly', string>>;

export interface Sources {
  env: NodeJS.ProcessEnv;
  flags: SettingFlags;
  file: Record<string, unknown>;
  /** Path of `config.json`, for messages. */
  path: string;
}

export interface ReadValue {
  value: unknown;
  origin: Origin;
  problem?: Problem;
}

/** Reads the value of one setting. If the given value cannot be used, returns the default and a problem that says why. */
export function readSetting(key: SettingKey, sources: Sources, at: Surroundings): ReadValue {
  const setting = SETTINGS[key] as Setting<unknown>;
  const [given, origin] = givenValue(key, setting, sources);
  if (origin === 'default') return { value: setting.fallback(at), origin };
  const value = setting.type.read(given);
  if (value !== null) return { value, origin };
  const not = setting.secret ? '' : `, not ${shown(given)}`;
  const message = `${placeOf(key, origin, sources.path)} must be ${setting.type.expects}${not}`;
  return { value: setting.fallback(at), origin: 'default', problem: { key, origin, message } };
}

/** Returns the first value that a source gives. An empty variable and a JSON null count as not set. */
function givenValue(
  key: SettingKey,
  { flag, env: name, inFile }: Setting<unknown>,
  { env, flags, file }: Sources,
): [value: unknown, Origin] {
  const word = flag === null ? undefined : flags[key as keyof SettingFlags];
  if (word !== undefined) return [word, 'flag'];
  const variable = env[name];
  if (variable !== undefined && variable !== '') return [variable, 'environment'];
  const stored = inFile && Object.hasOwn(file, key) ? file[key] : null;
  return [stored, stored === null ? 'default' : 'file'];
}

/** Names the place where a value was given, for messages. @param path what to call `config.json` */
export function placeOf(key: SettingKey, origin: Origin, path: string): string {
  if (origin === 'flag') return `${SETTINGS[key].flag}`;
  return origin === 'file' ? `"${key}" in ${path}` : `${SETTINGS[key].env} in the environment`;
}

/** Problems with keys of `config.json` that are not settings, or that may not be in a file. */
export function unknownKeys({ file, path }: Sources): Problem[] {
  const allowed: string[] = SETTING_KEYS.filter((key) => SETTINGS[key].inFile);
  const problem = (key: string): Problem => {
    const message = `"${key}" in ${path} ${whyUnknown(key, allowed)}`;
    return { key, origin: 'file', misplaced: true, message };
  };
  return Object.keys(file)
    .filter((key) => !allowed.includes(key))
    .map(problem);
}

function whyUnknown(key: string, allowed: string[]): string {
  const known = findSetting(key);
  if (known && !allowed.includes(known))
    return `does not belong in a file: set ${SETTINGS[known].env} instead`;
  if (known) return `is called "${known}" in a file`;
  const hint = didYouMean(key, allowed);
  return hint === undefined ? 'is not a setting' : `is not a setting (${hint.replace(/^D/, 'd')})`;
}
