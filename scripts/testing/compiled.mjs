// Paths of compiled files: `.cache/tests` mirrors the checkout.
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const cache = join(root, '.cache', 'tests');

/** Folders whose TypeScript tests may load. */
export const FOLDERS = ['src', 'test', 'scripts'];

export const compiledPath = (source) => join(cache, relative(root, source).replace(/\.[jt]s$/, '.mjs'));
