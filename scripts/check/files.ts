/** The source files of `src`, and where they are. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const src = fileURLToPath(new URL('../../src/', import.meta.url));

/** Returns the paths below `src`, with slashes, of all files and directories. */
export function pathsInSrc(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
}
