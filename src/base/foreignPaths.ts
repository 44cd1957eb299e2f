/** Checks if another user could change what a path leads to. Synchronous, for use before something is loaded or started. */
import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';

/** Rights of others to change a file or a directory. */
export const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Returns the nearest directory, from `directory` upwards, in which a user other than this one and root could replace a file;
 * null if there is none. On Windows always null, since access control lists hold the permissions there, and mode and owner do
 * not show them.
 * @param directory absolute and without links, as `realpath` gives it
 */
export function changeableByOthers(directory: string): string | null {
  if (process.platform === 'win32') return null;
  for (let path = directory; ; path = dirname(path)) {
    const { uid, mode } = lstatSync(path);
    const isForeign = uid !== 0 && uid !== process.getuid?.();
    // Where others may write, only the sticky bit keeps them from replacing what is not theirs.
    if (isForeign || (mode & WRITABLE_BY_OTHERS && !(mode & STICKY))) return path;
    if (path === dirname(path)) return null;
  }
}
