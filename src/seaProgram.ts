/**
 * Running the scripts that an executable carries as assets. Node can embed a script too, but its code cache is made by
 * compiling alone. The cache used here is made after a run, so it has every function that a start uses.
 */
import { getAsset, getRawAsset } from 'node:sea';
import { Script } from 'node:vm';

/** Names of the assets with scripts, each as `asFunction` makes it: the bundles of `executable.ts` and of `carriedStdio.ts`. */
export const SCRIPT_ASSETS = { program: 'relay.cjs', stdio: 'stdio.cjs' } as const;

/**
 * Names of the assets with V8's caches for them, where the build could make them: for the program after the start of a
 * command, and after options alone. Reading the large one takes longer than all that `--version` does.
 */
export const CACHE_ASSETS = {
  command: 'command.cache',
  options: 'options.cache',
  stdio: 'stdio.cache',
} as const;

type Cache = keyof typeof CACHE_ASSETS;

/** A CommonJS module as the function that Node makes of it. Wrapping it at each start would copy it in memory. */
export function asFunction(source: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
}

/** The whole program; nothing of it runs yet. */
export function loadProgram(require: NodeJS.Require): typeof import('./executable.ts') {
  return evaluate(compileProgram(), require) as typeof import('./executable.ts');
}

/** `relay stdio` alone. */
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

/** null if the build could make none. */
export function readCache(name: Cache): Buffer | null {
  try {
    return Buffer.from(getRawAsset(CACHE_ASSETS[name]) as ArrayBuffer);
  } catch {
    return null;
  }
}
