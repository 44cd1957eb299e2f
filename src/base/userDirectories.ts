/** Directories of the user, from the environment. A variable counts only if it holds an absolute path. */
import { userInfo } from 'node:os';
import { posix, win32 } from 'node:path';

export interface Place {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
}

export function pathsOf({ platform }: Pick<Place, 'platform'>): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/**
 * Returns the directory that a variable names. An empty or relative path counts as not set, as the XDG specification asks, since
 * it would lead into the working directory: https://specifications.freedesktop.org/basedir-spec/latest/#variables
 */
export function directoryIn(place: Place, variable: string): string | undefined {
  const path = place.env[variable];
  return path !== undefined && pathsOf(place).isAbsolute(path) ? path : undefined;
}

/** Returns the user's home directory; what the system knows if the environment has none. */
export function homeDirectory(place: Place): string {
  return directoryIn(place, place.platform === 'win32' ? 'USERPROFILE' : 'HOME') ?? userInfo().homedir;
}
