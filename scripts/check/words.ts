/** Words that this project writes in another way. The glossary in `src/README.md` has the words with one meaning. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';

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
  [/\bof no use\b/i, 'useless'],
  [/\bslips? of the pen\b/i, 'typo'],
  [/\bgoes on\b/i, 'continues'],
];

/** One sentence per file and word. */
export function strangeWords(): string[] {
  return proseFiles().flatMap((path) => {
    // A sentence of a comment may break between two lines.
    const text = readFileSync(join(root, path), 'utf8').replace(/\n *(\*|\/\/)? */g, '\n');
    return INSTEAD.flatMap(([pattern, instead]) => {
      const found = new RegExp(pattern.source.replaceAll(' ', '\\s'), pattern.flags).exec(text);
      if (!found) return [];
      const line = text.slice(0, found.index).split('\n').length;
      return [`${path}:${line} has "${found[0]}": write ${instead}`];
    });
  });
}

/** Everything with sentences in it that people write by hand. */
function proseFiles(): string[] {
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
