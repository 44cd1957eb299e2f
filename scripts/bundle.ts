/** The one way of bundling: CommonJS, the form that a single executable needs. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
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
  /** For a script that an executable carries and that is to start quickly: what takes a while to load is loaded when used. */
  quick?: boolean;
}

/** Tells what went in, with paths relative to the checkout. */
export async function bundle({
  entry,
  outfile,
  target,
  minify = false,
  quick = false,
}: BundleOptions): Promise<Metafile> {
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
    define: { 'import.meta.url': quick ? '__filename' : 'relayModuleUrl' },
    banner: { js: quick ? '' : "const relayModuleUrl = require('node:url').pathToFileURL(__filename).href;" },
    plugins: [lazyChildProcess, ...(quick ? [lazyBuiltins] : [])],
    minify,
    legalComments: 'linked',
    // A stack trace of minified code in somebody's report is read with it.
    sourcemap: minify ? 'external' : false,
    metafile: true,
    logLevel: 'warning',
  });
  await toAscii(outfile);
  if (minify) await leaveOutBuildPaths(`${outfile}.map`);
  return metafile;
}

/** Makes a source map the same wherever it was built: its sources get their paths in the checkout. */
async function leaveOutBuildPaths(path: string): Promise<void> {
  const map: { sources: string[] } = JSON.parse(await readFile(path, 'utf8'));
  const inCheckout = (source: string) => {
    // Made by a plugin.
    if (/^[\w-]+:/.test(source)) return source;
    const whole = relative(root, resolve(dirname(path), source)).replaceAll('\\', '/');
    // The packages may lie elsewhere, behind a link.
    return whole.replace(/^.*?(?=node_modules\/)/, '');
  };
  await writeFile(path, JSON.stringify({ ...map, sources: map.sources.map(inCheckout) }));
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

const LAZY = ['node:child_process', 'node:crypto', 'node:fs/promises', 'node:module'];

/** Modules of Node that take a while to load: their functions load them. A bundle loads at once what it imports. */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) =>
      LAZY.includes(path) ? { path, namespace: 'lazy-builtin' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'lazy-builtin' }, async ({ path }) => {
      const functions = Object.entries(await import(path)).filter(([, value]) => typeof value === 'function');
      const load = `process.getBuiltinModule('${path}')`;
      const contents = functions
        .filter(([name]) => name !== 'default')
        .map(([name]) => `export const ${name} = (...args) => ${load}.${name}(...args);`);
      return { contents: contents.join('\n') };
    });
  },
};
