/** The one way of bundling: CommonJS, the form that a single executable needs. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export interface BundleOptions {
  /** A file of the checkout. */
  entry: string;
  outfile: string;
  /** As in esbuild: `node20`. */
  target: string;
  /** Makes it small, with a source map beside it. */
  minify?: boolean;
}

/** Tells what went in, with paths relative to the checkout. */
export async function bundle({ entry, outfile, target, minify = false }: BundleOptions): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    target,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    // jsonc-parser's CommonJS form is UMD, whose own `require` calls a bundler cannot follow.
    mainFields: ['module', 'main'],
    // The keychain's native addon cannot be bundled; it is loaded where it is installed or unpacked.
    external: ['@napi-rs/keyring'],
    // Node's own modules are loaded late by `require` too: a script that brings its code cache has no other way.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'relayModuleUrl' },
    banner: { js: "const relayModuleUrl = require('node:url').pathToFileURL(__filename).href;" },
    plugins: [lazyChildProcess],
    minify,
    legalComments: 'linked',
    // A stack trace of minified code in somebody's report is read with it.
    sourcemap: minify ? 'external' : false,
    metafile: true,
    logLevel: 'warning',
  });
  await toAscii(outfile);
  return metafile;
}

/** V8 keeps a script with one character beyond Latin-1 at two bytes each; esbuild leaves those in regular expressions. */
async function toAscii(path: string): Promise<void> {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  await writeFile(path, (await readFile(path, 'utf8')).replace(/[\u0080-\uffff]/g, escaped));
}

/**
 * commander loads `node:child_process` for subcommands in files of their own. relay has none, and `--help` is quicker
 * without.
 */
const lazyChildProcess: Plugin = {
  name: 'lazy-child-process',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]node_modules[\\/]commander[\\/]/.test(importer)
        ? { path: 'node:child_process', namespace: 'lazy' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'lazy' }, () => ({
      contents: "exports.spawn = (...args) => process.getBuiltinModule('node:child_process').spawn(...args);",
    }));
  },
};
