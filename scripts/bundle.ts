/**
 * Bundles the program. A single executable needs one CommonJS file; an installed program is ES modules in parts, so that a start
 * reads only what it needs.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export interface BundleOptions {
  /** Path of the entry file. */
  entry: string;
  /** Target for esbuild, such as `node20`. */
  target: string;
  /** True to make it small. Functions keep their names, which stack traces show. */
  minify?: boolean;
}

/** Writes one CommonJS file. Returns esbuild's list of the files in it, with paths relative to the checkout. */
export function bundle({ outfile, ...options }: BundleOptions & { outfile: string }): Promise<Metafile> {
  return written(options, {
    outfile,
    format: 'cjs',
    define: { 'import.meta.url': 'relayModuleUrl' },
    banner: { js: "const relayModuleUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
}

/** CommonJS packages in an ES module need what every CommonJS file has. */
const COMMON_JS = [
  "import { createRequire as relayRequire } from 'node:module';",
  "import { dirname as relayDirname } from 'node:path';",
  "import { fileURLToPath as relayPath } from 'node:url';",
  'const require = relayRequire(import.meta.url);',
  'const relayFile = relayPath(import.meta.url);',
  'const relayFolder = relayDirname(relayFile);',
].join('');

/** Writes ES modules into `outdir`: one named after the entry, and parts that it loads when they are needed. */
export function bundleParts({ outdir, ...options }: BundleOptions & { outdir: string }): Promise<Metafile> {
  return written(options, {
    outdir,
    format: 'esm',
    splitting: true,
    outExtension: { '.js': '.mjs' },
    define: { __filename: 'relayFile', __dirname: 'relayFolder' },
    banner: { js: COMMON_JS },
  });
}

async function written(
  { entry, target, minify = false }: BundleOptions,
  form: BuildOptions,
): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    target,
    bundle: true,
    platform: 'node',
    // jsonc-parser's CommonJS form is UMD. A bundler cannot follow the `require` calls in it, so ES modules are preferred.
    mainFields: ['module', 'main'],
    // The keychain's native addon cannot be bundled. The program loads it from where it is installed or unpacked.
    external: ['@napi-rs/keyring'],
    // The SDK's validator is for forms, which relay never sends. It would be a third of what is loaded for the first MCP client.
    alias: { '@modelcontextprotocol/server/_shims': join(root, 'scripts', 'package', 'noForms.ts') },
    minifySyntax: minify,
    minifyWhitespace: minify,
    legalComments: 'none',
    // The bundle has the paths of CommonJS modules in it: those in the checkout, also if `node_modules` is a link.
    preserveSymlinks: true,
    logLevel: 'warning',
    ...form,
    metafile: true,
  });
  for (const name of Object.keys(metafile.outputs)) {
    const path = join(root, name);
    await writeFile(path, asciiOf(await readFile(path, 'utf8')));
  }
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
