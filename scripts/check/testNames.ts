/** Checks that the tests named in the tables of `src/oauth/README.md` exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';

const DOCUMENT = 'src/oauth/README.md';
/** A file or its short name, and what its tests are called: `token`: a wrong verifier …; a second use …. */
const NAMED = /`([\w./]+)`: ([^`]*)/g;

/** The title of a test, in any quotes. */
const TITLED = /[tT]est\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

/**
 * Returns a message for each name in the tables with which no title of a test under `test` begins. An ellipsis stands for any
 * words.
 */
export function missingTests(): string[] {
  const titles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .flatMap((path) => [...readFileSync(join(root, 'test', path), 'utf8').matchAll(TITLED)])
    .map(([, , title = '']) => title.replaceAll('\\', ''));
  const cells = readFileSync(join(root, DOCUMENT), 'utf8')
    .split('\n')
    .flatMap((line) => line.split('|').slice(3, 4));
  return cells
    .flatMap((cell) => [...cell.matchAll(NAMED)])
    .flatMap(([, file = '', names = '']) => names.split(';').map((name) => ({ file, name: name.trim() })))
    .filter(({ name }) => {
      const pattern = patternOf(name);
      return !titles.some((title) => pattern.test(title));
    })
    .map(({ file, name }) => `${DOCUMENT} names a test of \`${file}\` that does not exist: ${name}`);
}

/** The beginning of the titles that a name stands for. */
function patternOf(name: string): RegExp {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/ ?… ?/g, '.*')}`);
}
