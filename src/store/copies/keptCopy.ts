/** Keeping the state file as it is under a second name, before something replaces it. */
import { chmod, stat } from 'node:fs/promises';
import { type Clock, stampOf } from '../../base/clock.ts';
import { linkUnlessExists } from '../home/smallFiles.ts';

/**
 * Gives the file at `path` the name `<path>.<why>-<UTC time>`, which it keeps when the first goes to a new file.
 * @returns that path, which nothing had before; null where there is no file
 */
export async function keepStateFile(path: string, why: string, clock: Clock): Promise<string | null> {
  if (!(await stat(path).catch(() => null))) return null;
  const time = stampOf(clock.now());
  for (let attempt = 1; ; attempt++) {
    const kept = `${path}.${why}-${time}${attempt === 1 ? '' : `-${attempt}`}`;
    if (!(await linkUnlessExists(path, kept))) continue;
    await chmod(kept, 0o600);
    return kept;
  }
}
