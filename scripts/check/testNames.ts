/** Checks that the tests named in the tables of `src/oauth/README.md` exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';

const DOCUMENT = 'src/oauth/README.md';
/** A file or its short name, and what its tests are called: `token`: a wrong verifier …; a second use …. */
const NAMED = /`([\w./]+)`: ([^`]*)/g;

/** Returns a message for each test that the tables name and no file under `test` has. An ellipsis stands for any words. */
export function missingTests(): string[] {
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, 'test', path), 'utf8'))
    .join('\n');
  const cells = readFileSync(join(root, DOCUMENT), 'utf8')
    .split('\n')
    .flatMap((line) => line.split('|').slice(3, 4));
  return cells
    .flatMap((cell) => [...cell.matchAll(NAMED)])
    .flatMap(([, file = '', names = '']) => names.split(';').map((name) => ({ file, name: name.trim() })))
    .filter(({ name }) => !name.split('…').every((part) => tests.includes(part.trim())))
    .map(({ file, name }) => `${DOCUMENT} names a test of \`${file}\` that does not exist: ${name}`);
}
