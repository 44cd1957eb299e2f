/** Bundles a child program once, so that starting it many times costs what Node costs. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** Path of the bundled program `test/store/children/<name>.ts`. */
export function buildChild(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'relay-child-'));
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
