/** Finds words that this project replaces with others. The glossary in `src/README.md` has the words with a fixed meaning. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';
import { proseFiles } from './prose.ts';

/** Words that are not allowed, and what to write instead. */
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

/** Parts of names in code that are not allowed, and the word of the glossary. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  upstream: 'provider',
  backend: 'provider',
  tenant: 'account',
  revert: 'undo, rollback',
  mutation: 'change',
  favorite: 'saved',
  scrobble: 'play',
  subscription: 'kept playlist',
  crawl: 'mirror, copy',
  utils: 'what it does',
  misc: 'what it does',
};
const NAME = /\b(?:const|let|function|class|interface|type)\s+(\w+)/g;

/** Returns one sentence per file and word or name. */
export function strangeWords(): string[] {
  return proseFiles().flatMap((path) => {
    // Comments are joined, since a phrase may continue on the next line.
    const text = readFileSync(join(root, path), 'utf8').replace(/\n *(\*|\/\/)? */g, '\n');
    return [...strangeNames(path, text), ...strangePhrases(path, text)];
  });
}

function strangeNames(path: string, text: string): string[] {
  return [...text.matchAll(NAME)].flatMap(([, name = '']) =>
    Object.entries(OTHER_NAMES)
      .filter(([part]) => name.toLowerCase().includes(part))
      .map(([part, instead]) => `${path} names something ${name}: for "${part}" write ${instead}`),
  );
}

function strangePhrases(path: string, text: string): string[] {
  return INSTEAD.flatMap(([pattern, instead]) => {
    const found = new RegExp(pattern.source.replaceAll(' ', '\\s'), pattern.flags).exec(text);
    if (!found) return [];
    const line = text.slice(0, found.index).split('\n').length;
    return [`${path}:${line} has "${found[0]}": write ${instead}`];
  });
}
