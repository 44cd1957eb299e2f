/** Creates directories, as Node's own recursive call does, which however reports a read-only disk as ENOENT. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCodeOf } from './thrown.ts';

/**
 * Creates the directory `path` and the missing directories above it, by default with access for the owner only.
 * @returns the paths of the new directories, the innermost first
 * @throws the error of the first directory that could not be created
 */
export function makeDirectories(path: string, mode = 0o700): string[] {
  if (isDirectory(path)) return [];
  const above = path === dirname(path) ? [] : makeDirectories(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (systemCodeOf(error) !== 'EEXIST' || !isDirectory(path)) throw error;
    return above;
  }
  return [path, ...above];
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
