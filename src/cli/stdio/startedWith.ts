/** What this `relay stdio` was started with: its settings, and the tools of its own client. */
import { loadSettings, type Settings } from '../../config/settings.ts';
import { choiceHeaders } from '../../domain/toolsets.ts';
import type { Context } from '../context.ts';
import { type ToolOptions, toolFlags } from '../usage/toolFlags.ts';

export interface StartedWith {
  settings: Settings;
  /** The headers that make the server leave out tools for this client, from its flags and environment. */
  headers: Record<string, string>;
}

/** Reads the files of the home each time. @throws RelayError `SETTINGS_INVALID` */
export function startedWith(context: Context, tools: ToolOptions): StartedWith {
  const settings = loadSettings(context.loadOptions({ flags: toolFlags(tools) }));
  const { toolsets, readOnly, origins } = settings;
  const isOwn = (origin: string) => origin === 'flag' || origin === 'environment';
  return {
    settings,
    headers: choiceHeaders({
      ...(isOwn(origins.toolsets) ? { toolsets } : {}),
      ...(isOwn(origins.readOnly) ? { readOnly } : {}),
    }),
  };
}
