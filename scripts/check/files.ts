/** The files that the checks read, and where they are. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const src = fileURLToPath(new URL('../../src/', import.meta.url));

/** Returns the paths of all files that git does not ignore, from the root of the repository. */
export function pathsInRepository(): string[] {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '');
}

/** Returns the paths below `src`, with slashes, of all files and directories. */
export function pathsInSrc(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
}
