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
  const raw = rawValue(key, setting, sources);
  if (raw === null) return { value: setting.fallback(at), origin: 'default' };
  const value = setting.type.read(raw.value);
  if (value !== null) return { value, origin: raw.origin };
  const given = setting.secret ? '' : `, not ${shown(raw.value)}`;
  const message = `${placeOf(key, raw.origin, sources.path)} must be ${setting.type.expects}${given}`;
  return {
    value: setting.fallback(at),
    origin: 'default',
    problem: { key, origin: raw.origin, message },
  };
}

/** Returns the first value that a source gives; null if none does. An empty variable and a JSON null count as not set. */
function rawValue(
  key: SettingKey,
  setting: Setting<unknown>,
  { env, flags, file }: Sources,
): { value: unknown; origin: Origin } | null {
  const flag = setting.flag === null ? undefined : flags[key as keyof SettingFlags];
  if (flag !== undefined) return { value: flag, origin: 'flag' };
  const variable = env[setting.env];
  if (variable !== undefined && variable !== '') return { value: variable, origin: 'environment' };
  const stored = setting.inFile && Object.hasOwn(file, key) ? file[key] : null;
  return stored === null ? null : { value: stored, origin: 'file' };
}

/** Names the place where a value was given, for messages. @param path what to call `config.json` */
export function placeOf(key: SettingKey, origin: Origin, path: string): string {
  if (origin === 'flag') return `${SETTINGS[key].flag}`;
  return origin === 'file' ? `"${key}" in ${path}` : `${SETTINGS[key].env} in the environment`;
}

/** Problems with keys of `config.json` that are not settings, or that may not be in a file. */
export function unknownKeys({ file, path }: Sources): Problem[] {
  const allowed: string[] = SETTING_KEYS.filter((key) => SETTINGS[key].inFile);
  return Object.keys(file)
    .filter((key) => !allowed.includes(key))
    .map((key) => ({
      key,
      origin: 'file' as const,
      misplaced: true as const,
      message: `"${key}" in ${path} ${whyUnknown(key, allowed)}`,
    }));
}

function whyUnknown(key: string, allowed: string[]): string {
  const known = findSetting(key);
  if (known && !allowed.includes(known))
    return `does not belong in a file: set ${SETTINGS[known].env} instead`;
  if (known) return `is called "${known}" in a file`;
  const hint = didYouMean(key, allowed);
  return hint === undefined ? 'is not a setting' : `is not a setting (${hint.replace(/^D/, 'd')})`;
}
