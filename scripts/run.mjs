// `node scripts/run.mjs NAME …`: runs scripts/NAME.ts, bundled by esbuild, with the other words as its arguments.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root, sourceOptions } from './sources.mjs';

const [name] = process.argv.splice(2, 1);
const cache = join(root, '.cache', 'scripts');
mkdirSync(cache, { recursive: true });
// The same script may run twice at once.
const folder = mkdtempSync(join(cache, 'run-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const outfile = join(folder, 'script.mjs');
await build({ ...sourceOptions, entryPoints: [join('scripts', `${name}.ts`)], outfile });
process.setSourceMapsEnabled(true);
await import(pathToFileURL(outfile).href);
