/** Words that this project writes in another way. The glossary in `src/README.md` has the words with one meaning. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathsInSrc, root } from './files.ts';

/** What is not written, and what to write. */
const INSTEAD: ReadonlyArray<readonly [pattern: RegExp, instead: string]> = [
  [/\bMOST_/, 'MAX_'],
  [/\bLONGEST(_|\b)/, 'MAX_'],
  [/\bmend(s|ed)?\b/i, 'fix, correct'],
  [/\bmust be a text\b/i, 'must be a string'],
  [/\bnot understood\b/i, 'not valid, not known'],
  [/\bin the place of\b/i, 'instead of, replaces'],
  [/\bof an own\b/i, 'of its own'],
  [/\bwhoever\b/i, 'anyone who'],
  [/\bin earnest\b/i, 'real'],
  [/\banew\b/i, 'again'],
];

/** One sentence per file and word. */
export function strangeWords(): string[] {
  return proseFiles().flatMap((path) => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    return INSTEAD.flatMap(([pattern, instead]) => {
      const line = lines.findIndex((text) => pattern.test(text));
      if (line < 0) return [];
      const [found] = pattern.exec(lines[line] ?? '') ?? [];
      return [`${path}:${line + 1} has "${found}": write ${instead}`];
    });
  });
}

/** Everything with sentences in it that people write by hand. */
function proseFiles(): string[] {
  const written = pathsInSrc().filter((path) => /\.(ts|js|md)$/.test(path) && !path.startsWith('generated/'));
  return [
    'README.md',
    '.github/MANUAL.md',
    '.github/CONTRIBUTING.md',
    ...written.map((path) => `src/${path}`),
  ];
}
