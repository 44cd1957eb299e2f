/** Creates directories. Node's own recursive call reports a read-only disk as ENOENT, and never returns below `/proc`. */
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCodeOf } from './thrown.ts';

interface Options {
  /** Access rights of new directories; by default for their owner only. */
  mode?: number;
  /** Creates one directory, in place of Node's `mkdir`. */
  make?: (path: string, options: { mode: number }) => Promise<unknown>;
}

/**
 * Creates the directory `path` and the missing directories above it.
 * @returns the paths of the new directories, the innermost first
 * @throws the error of the first directory that could not be created
 */
export async function makeDirectories(
  path: string,
  { mode = 0o700, make = mkdir }: Options = {},
): Promise<string[]> {
  const made: string[] = [];
  const missing: string[] = [];
  let at = path;
  for (let isMade = await makeOne(at); isMade === null; isMade = await makeOne(at)) {
    missing.push(at);
    at = dirname(at);
  }
  for (const next of missing.reverse()) {
    if ((await makeOne(next)) === null) await make(next, { mode });
  }
  return made.reverse();

  /** True if the directory is new, false if it was there; null if the directory above is missing. */
  async function makeOne(one: string): Promise<boolean | null> {
    try {
      await make(one, { mode });
    } catch (error) {
      if ((await stat(one).catch(() => null))?.isDirectory()) return false;
      if (systemCodeOf(error) !== 'ENOENT' || dirname(one) === one) throw error;
      return null;
    }
    made.push(one);
    return true;
  }
}

/** Like `makeDirectories`, with access for the owner only. */
export function makeDirectoriesSync(path: string): void {
  if (existsSync(path)) return;
  if (path !== dirname(path)) makeDirectoriesSync(dirname(path));
  makeDirectorySync(path);
}

/** Creates one directory with access for its owner only, unless something is there. */
export function makeDirectorySync(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
}
