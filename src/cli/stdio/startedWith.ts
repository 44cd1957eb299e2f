/** What this `relay stdio` was started with: its settings, and the tools of its own client. */
import { type LoadOptions, loadSettings, type Settings } from '../../config/settings.ts';
import { choiceHeaders, type ToolChoice } from '../../domain/toolsets.ts';
import type { Context } from '../context.ts';
import { type ToolOptions, toolFlags } from '../usage/toolFlags.ts';

export interface StartedWith {
  /** The settings, with the tools from flags and environment, which are for this client alone. */
  settings: Settings;
  /** The headers that make the server leave out tools for this client. */
  headers: Record<string, string>;
}

/** Reads the files of the home each time. @throws RelayError `SETTINGS_INVALID` */
export function startedWith(context: Context, tools: ToolOptions): StartedWith {
  const settings = loadSettings(context.loadOptions({ flags: toolFlags(tools) }));
  const { toolsets, readOnly, origins } = settings;
  const choice: Partial<ToolChoice> = {
    ...(isOwn(origins.toolsets) ? { toolsets } : {}),
    ...(isOwn(origins.readOnly) ? { readOnly } : {}),
  };
  return { settings, headers: choiceHeaders(choice) };
}

/**
 * Returns the settings for a server in this process. Other clients use that server too, so its tools are those that the home's
 * `config.json` sets.
 */
export function hostSettings(context: Context, { settings }: StartedWith): Settings {
  const options = context.loadOptions();
  const { toolsets, readOnly, origins } = loadSettings({ ...options, env: withoutTools(options.env) });
  return {
    ...settings,
    toolsets,
    readOnly,
    origins: { ...settings.origins, toolsets: origins.toolsets, readOnly: origins.readOnly },
  };
}

function isOwn(origin: Settings['origins']['toolsets']): boolean {
  return origin === 'flag' || origin === 'environment';
}

function withoutTools(env: LoadOptions['env']): LoadOptions['env'] {
  const { RELAY_TOOLSETS: _, RELAY_READ_ONLY: __, ...others } = env;
  return others;
}
