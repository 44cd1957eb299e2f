/** Where clients keep their configuration files. Paths are built for the given platform, not for the current one. */
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { RelayError } from '../domain/errors.ts';

export interface System {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  /** The user's home directory. */
  home: string;
}

/** Returns the system on which relay looks for the files of clients. @throws RelayError `HOME_UNUSABLE` */
export function systemOf({ platform, env }: Pick<System, 'platform' | 'env'>): System {
  const name = platform === 'win32' ? 'USERPROFILE' : 'HOME';
  const home = env[name] || homedir();
  if (pathsOf({ platform }).isAbsolute(home)) return { platform, env, home };
  throw new RelayError(
    'HOME_UNUSABLE',
    `Your home directory is unknown: ${name} is "${home}", which is not an absolute path.`,
    { remedy: 'Set it in the environment to your home directory, then run this again.' },
  );
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
  const { platform, env, home } = system;
  const { join } = pathsOf(system);
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return xdgConfig(system);
}

/** Returns where the XDG rules put configuration; some clients follow them on every platform. */
export function xdgConfig(system: System): string {
  return system.env.XDG_CONFIG_HOME || pathsOf(system).join(system.home, '.config');
}

/** Returns where Windows keeps application data that does not roam. */
export function localAppData(system: System): string {
  return system.env.LOCALAPPDATA || pathsOf(system).join(system.home, 'AppData', 'Local');
}

export function pathsOf({ platform }: Pick<System, 'platform'>): typeof posix {
  return platform === 'win32' ? win32 : posix;
}
