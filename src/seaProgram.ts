/**
 * Runs the scripts that an executable carries as assets. Node can also embed a script with a code cache, but makes that cache
 * before the script has run. The caches used here are made after a run, so they have every function that a start uses.
 */
import { getAsset, getRawAsset } from 'node:sea';
import { Script } from 'node:vm';

/** Names of the assets with the bundles of `executable.ts` and `carriedStdio.ts`, each wrapped by `asFunction`. */
export const SCRIPT_ASSETS = { program: 'relay.cjs', stdio: 'stdio.cjs' } as const;

/**
 * Names of the assets with V8's code caches. An asset is missing if the build could not make its cache. The program has two
 * caches. `command` was made after a command had started. `options` is for options alone and is smaller: reading the large
 * cache takes longer than the rest of `--version`.
 */
export const CACHE_ASSETS = {
  command: 'command.cache',
  options: 'options.cache',
  stdio: 'stdio.cache',
} as const;

type Cache = keyof typeof CACHE_ASSETS;

/**
 * Wraps a CommonJS module in a function, as Node does. The build calls this, because wrapping at each start would copy the
 * source in memory.
 */
export function asFunction(source: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
}

/** Loads the whole program without running it. */
export function loadProgram(require: NodeJS.Require): typeof import('./executable.ts') {
  return evaluate(compileProgram(), require) as typeof import('./executable.ts');
}

/** Loads `relay stdio` alone. */
export function loadStdio(require: NodeJS.Require): typeof import('./cli/stdio/carriedStdio.ts') {
  return evaluate(compileStdio(), require) as typeof import('./cli/stdio/carriedStdio.ts');
}

export function compileProgram(): Script {
  const isOptions = process.argv.slice(2).every((arg) => arg.startsWith('-'));
  return compile('program', isOptions ? 'options' : 'command');
}

export function compileStdio(): Script {
  return compile('stdio', 'stdio');
}

function compile(name: keyof typeof SCRIPT_ASSETS, cache: Cache): Script {
  const cachedData = readCache(cache);
  // The bundles are ASCII, and this is the quickest way of reading them.
  return new Script(getAsset(SCRIPT_ASSETS[name], 'utf8'), {
    filename: SCRIPT_ASSETS[name],
    ...(cachedData === null ? {} : { cachedData }),
  });
}

export function evaluate(script: Script, require: NodeJS.Require): unknown {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, process.execPath, '');
  return module.exports;
}

/** Reads a code cache; null if the build could not make it. */
export function readCache(name: Cache): Buffer | null {
  try {
    return Buffer.from(getRawAsset(CACHE_ASSETS[name]) as ArrayBuffer);
  } catch {
    return null;
  }
}
