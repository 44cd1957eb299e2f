/** Files that documents name: a reader must find each. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';

/** A file of the source in backquotes: `server/http/router.ts`. */
const NAMED = /`([\w./-]+\.(?:ts|mjs|sql))`/g;
/** Not files: placeholders in instructions. */
const PLACEHOLDERS = new Set(['migrations/00000N_subject.sql']);

/** One sentence per name in a document that no file's path ends with. */
export function missingFiles(): string[] {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '');
  return files
    .filter((path) => path.endsWith('.md'))
    .flatMap((document) =>
      [...readFileSync(join(root, document), 'utf8').matchAll(NAMED)]
        .map(([, name = '']) => name)
        .filter((name) => !PLACEHOLDERS.has(name) && !files.some((file) => endsWith(file, name)))
        .map((name) => `${document} names ${name}, which does not exist`),
    );
}

function endsWith(file: string, name: string): boolean {
  return `/${file}`.endsWith(`/${name.replace(/^(\.\.?\/)+/, '')}`);
}
