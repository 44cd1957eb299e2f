/** Which home a command names that is started without this shell's environment, by a service manager or an MCP client. */
import { dirname } from 'node:path';
import type { Settings } from './settings.ts';

/** The value for `--home`; null if the command finds the home without it. */
export function homeToName(
  { home, demo, origins }: Pick<Settings, 'home' | 'demo' | 'origins'>,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): string | null {
  // On Linux the default home depends on a variable. Service managers may have another value of it, and MCP clients start
  // programs without it.
  const dependsOnVariable = platform === 'linux' && Boolean(env.XDG_CONFIG_HOME);
  if (origins.home === 'default' && !dependsOnVariable) return null;
  // The demo's own home is below the one that is named, and `--demo` leads to it.
  return demo ? dirname(home) : home;
}
