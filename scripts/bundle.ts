/** Bundles the program as CommonJS, the form that a single executable needs. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export interface BundleOptions {
  /** Path of the entry file. */
  entry: string;
  outfile: string;
  /** Target for esbuild, such as `node20`. */
  target: string;
  /** True to minify, with a source map beside the bundle. */
  minify?: boolean;
  /** True for a script that must start quickly. It loads Node's slow modules only when it uses them. */
  quick?: boolean;
}

/** Writes the bundle. Returns esbuild's list of the files in it, with paths relative to the checkout. */
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
    // jsonc-parser's CommonJS form is UMD. A bundler cannot follow the `require` calls in it, so ES modules are preferred.
    mainFields: ['module', 'main'],
    // The keychain's native addon cannot be bundled. The program loads it from where it is installed or unpacked.
    external: ['@napi-rs/keyring'],
    // A script with its own code cache can load Node's modules only by `require`.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': quick ? '__filename' : 'relayModuleUrl' },
    banner: { js: quick ? '' : "const relayModuleUrl = require('node:url').pathToFileURL(__filename).href;" },
    plugins: [lazyChildProcess, ...(quick ? [lazyBuiltins] : [])],
    minify,
    legalComments: 'linked',
    // A source map translates the stack traces of minified code in bug reports.
    sourcemap: minify ? 'external' : false,
    metafile: true,
    logLevel: 'warning',
  });
  await writeFile(outfile, asciiOf(await readFile(outfile, 'utf8')));
  if (minify) await leaveOutBuildPaths(`${outfile}.map`);
  return metafile;
}

/** Gives the sources in a source map relative paths, so that the map does not depend on where the checkout is. */
async function leaveOutBuildPaths(path: string): Promise<void> {
  const map: { sources: string[] } = JSON.parse(await readFile(path, 'utf8'));
  const inCheckout = (source: string) => {
    // A plugin created this source, so it has no path.
    if (/^[\w-]+:/.test(source)) return source;
    const whole = relative(root, resolve(dirname(path), source)).replaceAll('\\', '/');
    // `node_modules` may be a link to another directory.
    return whole.replace(/^.*?(?=node_modules\/)/, '');
  };
  await writeFile(path, JSON.stringify({ ...map, sources: map.sources.map(inCheckout) }));
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

/**
 * commander loads `node:child_process` for subcommands in separate files. relay has no such subcommands, and `--help` is faster
 * without the module.
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

/** Loads Node's slow modules only when one of their functions is called. Without this plugin, a bundle loads them when it starts. */
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
