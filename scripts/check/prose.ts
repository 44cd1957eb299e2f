/** Lists the files whose wording is checked: documents and code, without generated files and tests. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';

/** Returns their paths from the root of the repository. */
export function proseFiles(): string[] {
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  }).split('\n');
  return tracked.filter(
    (path) =>
      /^(README\.md|\.github\/.*\.md|(src|scripts|test\/support)\/.*\.(ts|mjs|js|md))$/.test(path) &&
      !/^src\/generated\/|^scripts\/check\/words\.ts$/.test(path) &&
      existsSync(join(root, path)),
  );
}
