/** Lists the files whose wording is checked: documents and code, without generated files and tests. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathsInRepository, root } from './files.ts';

/** Returns their paths from the root of the repository. */
export function proseFiles(): string[] {
  return pathsInRepository().filter(
    (path) =>
      /^(README\.md|\.github\/.*\.md|(src|scripts|test\/support)\/.*\.(ts|mjs|js|md))$/.test(path) &&
      !/^src\/generated\/|^scripts\/check\/words\.ts$/.test(path) &&
      existsSync(join(root, path)),
  );
}
