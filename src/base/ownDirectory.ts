/** Relay's own directories. Apart from `userDirectories.ts`, since the help of the command line loads no package for them. */
import { isAbsolute, join } from 'node:path';
import envPaths from 'env-paths';
import { homeDirectory } from './userDirectories.ts';

/** Returns relay's own directory of that kind for this process, never one in the working directory. */
export function ownDirectory(kind: 'config' | 'cache'): string {
  const usual = envPaths('relay', { suffix: '' })[kind];
  // env-paths takes each variable as it is.
  if (isAbsolute(usual)) return usual;
  const folders =
    process.platform === 'darwin'
      ? { config: 'Library/Preferences', cache: 'Library/Caches' }
      : { config: '.config', cache: '.cache' };
  return join(homeDirectory(process), folders[kind], 'relay');
}
