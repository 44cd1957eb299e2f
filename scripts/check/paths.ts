/** Checks that files named in documents and comments exist. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathsInRepository, root } from './files.ts';

/** Matches the path of a source file in backquotes, such as `server/http/router.ts`. */
const NAMED = /`([\w./-]+\.(?:ts|mjs|sql))`/g;
/** Placeholders in instructions, which are not files. */
const PLACEHOLDERS = new Set(['migrations/00000N_subject.sql']);

/**
 * Returns one message for each missing file that a document or a comment of `src` names. A name may leave out the first folders
 * of the path.
 */
export function missingFiles(): string[] {
  const files = pathsInRepository();
  return files
    .filter((path) => path.endsWith('.md') || /^src\/(?!generated\/).*\.ts$/.test(path))
    .flatMap((document) =>
      [...proseOf(document).matchAll(NAMED)]
        .map(([, name = '']) => name)
        .filter((name) => !PLACEHOLDERS.has(name) && !files.some((file) => endsWith(file, name)))
        .map((name) => `${document} names ${name}, which does not exist`),
    );
}

/** Returns the whole text of a document, but only the comments of code, since template strings are in backquotes too. */
function proseOf(path: string): string {
  const text = readFileSync(join(root, path), 'utf8');
  return path.endsWith('.md') ? text : (text.match(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g) ?? []).join('\n');
}

function endsWith(file: string, name: string): boolean {
  return `/${file}`.endsWith(`/${name.replace(/^(\.\.?\/)+/, '')}`);
}
