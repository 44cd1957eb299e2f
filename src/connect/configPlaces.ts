/** Where clients keep their configuration files. Paths are built for the given platform, not for the current one. */
import { directoryIn, homeDirectory, pathsOf, type Place as Surroundings } from '../base/userDirectories.ts';

export interface System extends Surroundings {
  /** The user's home directory. */
  home: string;
}

/** Returns the system on which relay looks for the files of clients. */
export function systemOf({ platform, env }: Surroundings): System {
  return { platform, env, home: homeDirectory({ platform, env }) };
}

/** A file below `base`, a directory that exists without any client. Only directories between the two may be created. */
export interface Place {
  base: string;
  file: string;
  /** A path that exists once the client has run on this machine; by default the file's directory. */
  trace: string;
}

/** Returns the place of a file to which `parts` lead from one of the user's directories. */
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

/** Returns the place of a file in the directory that the client's own environment variable names. */
export function placeIn(system: System, directory: string, name: string): Place {
  const { dirname, join } = pathsOf(system);
  return { base: dirname(directory), file: join(directory, name), trace: directory };
}

/** Electron's `appData`: where desktop programs built with Electron keep their data. */
export function appData(system: System): string {
  const { platform, home } = system;
  const { join } = pathsOf(system);
  if (platform === 'win32') return directoryIn(system, 'APPDATA') ?? join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return xdgConfig(system);
}

/** Returns where the XDG rules put configuration; some clients follow them on every platform. */
export function xdgConfig(system: System): string {
  return directoryIn(system, 'XDG_CONFIG_HOME') ?? pathsOf(system).join(system.home, '.config');
}

/** Returns where Windows keeps application data that does not roam. */
export function localAppData(system: System): string {
  return directoryIn(system, 'LOCALAPPDATA') ?? pathsOf(system).join(system.home, 'AppData', 'Local');
}
