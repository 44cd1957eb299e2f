/** What the places of configuration files depend on. Paths are made for the platform given, not for this one. */
import { posix, win32 } from 'node:path';

export interface System {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  /** The person's own home directory. */
  home: string;
}

/** A file below a directory that is there before any client: only what lies between the two may be made. */
export interface Place {
  base: string;
  file: string;
  /** What exists once the client has run on this machine: the file's own directory, unless said. */
  trace: string;
}

/** `parts` lead from a directory of the person to the file. */
export function placeBelow(
  system: System,
  directory: string,
  parts: readonly string[],
  trace: readonly string[] = parts.slice(0, -1),
): Place {
  const { dirname, join, relative } = pathsOf(system);
  const isInHome = !/^\.\.|^\w:|^\//.test(relative(system.home, directory));
  const base = isInHome ? system.home : dirname(directory);
  return { base, file: join(directory, ...parts), trace: join(directory, ...trace) };
}

/** A file in a directory that a variable of the client's own names. */
export function placeIn(system: System, directory: string, name: string): Place {
  const { dirname, join } = pathsOf(system);
  return { base: dirname(directory), file: join(directory, name), trace: directory };
}

/** Where desktop programs made with Electron keep their data: its `appData`. */
export function appData(system: System): string {
  const { platform, env, home } = system;
  const { join } = pathsOf(system);
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return env.XDG_CONFIG_HOME || join(home, '.config');
}

/** Where Windows keeps what belongs to this machine alone. */
export function localAppData(system: System): string {
  return system.env.LOCALAPPDATA || pathsOf(system).join(system.home, 'AppData', 'Local');
}

export function pathsOf({ platform }: Pick<System, 'platform'>): typeof posix {
  return platform === 'win32' ? win32 : posix;
}
