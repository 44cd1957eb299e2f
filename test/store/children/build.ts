/** Bundles a child program once, so that starting it many times costs what Node costs. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** Path of the bundled program `test/store/children/<name>.ts`. */
export function buildChild(name: string): string {
  // Below the checkout, where the program finds the WebAssembly of sql.js.
  const cache = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'relay-child-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, `${name}.cjs`);
  const entry = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
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
