/** Where clients keep their configuration files. Paths are built for the given platform, not for the current one. */
import { directoryIn, homeDirectory, pathsOf, type Place as Surroundings } from '../base/userDirectories.ts';

export interface System extends Surroundings {
  home: string;
}

/** Returns the system on which relay looks for the files of clients. */
export function systemOf({ platform, env }: Surroundings): System {
  return { platform, env, home: homeDirectory({ platform, env }) };
}

export interface Place {
  file: string;
  /** A path that exists once the client has run on this machine; mostly the file's directory. */
  trace: string;
}

export function placeBelow(system: System, directory: string, ...parts: string[]): Place {
  const { dirname, join } = pathsOf(system);
  const file = join(directory, ...parts);
  return { file, trace: dirname(file) };
}

/** Returns the same place, which counts only if the file itself exists. */
export function ifThere({ file }: Place): Place {
  return { file, trace: file };
}

export function inHome(...parts: string[]): (system: System) => Place[] {
  return (system) => [placeBelow(system, system.home, ...parts)];
}

/** For a client with one file in a directory of the user's home directory, or in the one that the client's own variable names. */
export function inNamed(variable: string, directory: string, name: string): (system: System) => Place[] {
  return (system) => [
    placeBelow(system, system.env[variable] || pathsOf(system).join(system.home, directory), name),
  ];
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
