/** Changes one key of `config.json`, for `relay config` and `relay login`. */
import { RelayError } from '../domain/errors.ts';
import { readConfigFile, writeConfigFile } from './configFile.ts';
import { settingsError, shown } from './problems.ts';
import { inspectSettings, type LoadOptions, type Settings } from './settings.ts';
import { SETTINGS, type Setting, type SettingKey } from './table.ts';

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

// The refused value never reached the file, so the usual remedy "Correct it there" would not help.
const NOT_CHANGED = 'Nothing was changed, since relay would not start with these settings.';

function change(
  options: LoadOptions,
  edit: (values: Record<string, unknown>) => Record<string, unknown>,
): Settings {
  const file = readable(options);
  const values = edit(file.values);
  const before = inspectSettings(options).problems;
  const { settings, problems } = inspectSettings(options, values);
  const added = problems.filter(({ message }) => !before.some((known) => known.message === message));
  if (added.length > 0) throw settingsError(added, NOT_CHANGED);
  writeConfigFile({ ...file, values });
  return settings;
}

function readable(options: LoadOptions) {
  const file = readConfigFile(inspectSettings(options).settings.home);
  if (file.problem) throw settingsError([file.problem]);
  return file;
}
