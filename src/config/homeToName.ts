/**
 * Decides which home to name in a command that a service manager or an MCP client starts. Such a command does not have this
 * shell's environment.
 */
import { dirname } from 'node:path';
import { directoryIn } from '../base/userDirectories.ts';
import type { Settings } from './settings.ts';

/** Returns the value for `--home`; null if the command finds the home without it. */
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
