/** Finds the settings that relay lacks if a service manager or an MCP client starts it, without this shell's environment. */
import { isDeepStrictEqual } from 'node:util';
import { inspectSettings } from '../config/settings.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey } from '../config/table.ts';
import { commandLine } from './commandLine.ts';
import type { Context } from './context.ts';

export interface LeftBehind {
  env: string;
  /** The command that stores the setting; null if relay cannot store it. */
  store: string | null;
}

/** @param home the `--home` that the program is started with; null for the default home */
export function leftBehind(context: Context, home: string | null): LeftBehind[] {
  const flags = home === null ? {} : { home };
  const theirs = inspectSettings({ env: withoutSettings(context.env), flags }).settings;
  const own = inspectSettings(context.loadOptions()).settings;
  return SETTING_KEYS.filter((key) => key !== 'home' && own.origins[key] === 'environment')
    .filter((key) => !isDeepStrictEqual(own[key], theirs[key]))
    .map((key) => ({ env: SETTINGS[key].env, store: storeCommand(context, key) }));
}

/** Returns the environment without relay's settings, as a service manager or an MCP client may give it to relay. */
export function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = SETTING_KEYS.map((key) => SETTINGS[key].env);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

function storeCommand(context: Context, key: SettingKey): string | null {
  return SETTINGS[key].inFile ? commandLine(context, 'config', 'set', key, 'VALUE') : null;
}
