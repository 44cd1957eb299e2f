/** Bundles the program as CommonJS, the form that a single executable needs. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export interface BundleOptions {
  /** Path of the entry file. */
  entry: string;
  outfile: string;
  /** Target for esbuild, such as `node20`. */
  target: string;
  /** True to make it small. Functions keep their names, which stack traces show. */
  minify?: boolean;
}

/** Writes the bundle. Returns esbuild's list of the files in it, with paths relative to the checkout. */
export async function bundle({ entry, outfile, target, minify = false }: BundleOptions): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    target,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    // jsonc-parser's CommonJS form is UMD. A bundler cannot follow the `require` calls in it, so ES modules are preferred.
    mainFields: ['module', 'main'],
    // The keychain's native addon cannot be bundled. The program loads it from where it is installed or unpacked.
    external: ['@napi-rs/keyring'],
    define: { 'import.meta.url': 'relayModuleUrl' },
    banner: { js: "const relayModuleUrl = require('node:url').pathToFileURL(__filename).href;" },
    minifySyntax: minify,
    minifyWhitespace: minify,
    legalComments: 'none',
    // The bundle has the paths of CommonJS modules in it: those in the checkout, also if `node_modules` is a link.
    preserveSymlinks: true,
    metafile: true,
    logLevel: 'warning',
  });
  await writeFile(outfile, asciiOf(await readFile(outfile, 'utf8')));
  return metafile;
}

/**
 * Escapes the characters beyond ASCII that esbuild leaves in regular expressions. A single character beyond Latin-1 makes V8
 * use two bytes for every character of the file.
 */
export function asciiOf(script: string): string {
  return script.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
