/** Creates directories. Node's own recursive call reports a read-only disk as ENOENT, and never returns below `/proc`. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCodeOf } from './thrown.ts';

type Make = (path: string, options: { mode: number }) => Promise<unknown>;

/**
 * Creates the directory `path` and the missing directories above it, with access for their owner only.
 * @throws the error of the first directory that could not be created
 */
export async function makeDirectories(path: string, make: Make = mkdir): Promise<void> {
  const missing: string[] = [];
  for (let at = path; !(await made(at, make)); at = dirname(at)) missing.push(at);
  for (const next of missing.reverse()) {
    if (!(await made(next, make))) await make(next, { mode: 0o700 });
  }
}

/** Creates one directory, or finds it there. False if the directory above is missing. */
async function made(path: string, make: Make): Promise<boolean> {
  try {
    await make(path, { mode: 0o700 });
  } catch (error) {
    if ((await stat(path).catch(() => null))?.isDirectory()) return true;
    if (systemCodeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return false;
  }
  return true;
}
