/** Bundles a child program once, so that each of its many starts takes little longer than the start of Node alone. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** Path of the bundled program `test/store/children/<program>.ts`, or of the bundled program at the given URL. */
export function buildChild(program: string | URL): string {
  // Below the checkout, where the program finds the WebAssembly of sql.js.
  const cache = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'relay-child-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const entry = fileURLToPath(program instanceof URL ? program : new URL(`./${program}.ts`, import.meta.url));
  const outfile = join(folder, `${basename(entry, '.ts')}.cjs`);
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  return outfile;
}
