/** Reads one setting from its four sources: flag, environment, `config.json`, default; and reports what is wrong with them. */
import { didYouMean } from '../base/nearest.ts';
import { visibleLine } from '../base/visibleText.ts';
import { RelayError } from '../domain/errors.ts';
import type { Remedy } from '../domain/remedy.ts';
import {
  findSetting,
  SETTING_KEYS,
  SETTINGS,
  type Setting,
  type SettingKey,
  type Surroundings,
} from './table.ts';

export type Origin = 'flag' | 'environment' | 'file' | 'default';

export interface Problem {
  /** The setting's name, or the unknown key; `config.json` if the whole file cannot be used. */
  key: string;
  origin: Origin;
  /** A whole sentence without its full stop; never holds the value of a secret. */
  message: string;
  /** What to do, if correcting the value would not help. */
  remedy?: string;
}

/**
 * Returns a `SETTINGS_INVALID` error that reports every problem; `details.problems` lists them.
 * @param remedy in place of the one that follows from the problems
 */
export function settingsError(problems: readonly Problem[], remedy?: string): RelayError {
  const messages = problems.map(({ message }) => `${visibleLine(message)}.`);
  const list = `${messages.length} problems with the settings:\n  - ${messages.join('\n  - ')}`;
  return new RelayError('SETTINGS_INVALID', messages.length === 1 ? `${messages[0]}` : list, {
    remedy: remedy ?? remedyFor(problems),
    details: { problems: [...problems] },
  });
}

function remedyFor(problems: readonly Problem[]): string | Remedy {
  const own = problems.find(({ remedy }) => remedy)?.remedy;
  if (own) return own;
  const isOne = problems.length === 1;
  const keys = problems.filter(({ origin }) => origin === 'file').map(({ key }) => key);
  if (keys.length === 0)
    return isOne
      ? 'Correct it, or remove it to use the default.'
      : 'Correct them, or remove them to use the defaults.';
  // "there": a message about a value in a file names the file. A key can be any text, so some would need quotation marks.
  const [key = ''] = keys;
  const command = ['config', 'unset', isOne && /^\w+$/.test(key) ? key : 'KEY'];
  const text = isOne
    ? 'Correct it there, or remove it with {command}.'
    : 'Correct them there, or remove each with {command}.';
  return { text, command };
}

/** Returns the text of a value for a message: at most 80 characters, with "…" in place of the user and password of a URL. */
export function shown(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/\/\/.*@/g, '//…@');
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

export type Origins = Record<SettingKey, Origin>;

/** Values of the command-line flags that override a setting, as typed. */
export type SettingFlags = Partial<Record<'home' | 'host' | 'port' | 'access', string>>;

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

/** Finds the keys of `config.json` that are not settings, or that may not be in a file. */
export function unknownKeys({ file, path }: Sources): Problem[] {
  const allowed: string[] = SETTING_KEYS.filter((key) => SETTINGS[key].inFile);
  return Object.keys(file)
    .filter((key) => !allowed.includes(key))
    .map((key) => ({ key, origin: 'file', message: `"${key}" in ${path} ${whyUnknown(key, allowed)}` }));
}

function whyUnknown(key: string, allowed: string[]): string {
  const known = findSetting(key);
  if (known && !SETTINGS[known].inFile)
    return `does not belong in a file: set ${SETTINGS[known].env} instead`;
  if (known) return `is called "${known}" in a file`;
  const hint = didYouMean(key, allowed);
  return hint === undefined ? 'is not a setting' : `is not a setting (${hint.replace(/^D/, 'd')})`;
}
