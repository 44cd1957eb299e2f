/**
 * Running the program that an executable carries as an asset. Node's own way of embedding a script keeps the code cache
 * of one that was only compiled; this one takes the cache of a program that has run, with every function that a start uses.
 */
import { getAsset, getRawAsset } from 'node:sea';
import { Script } from 'node:vm';

/** Name of the asset with the bundle of `executable.ts`. */
export const PROGRAM_ASSET = 'relay.cjs';

/**
 * Names of the assets with V8's caches for it, where the build could make them: after the start of a command, and after
 * options alone. Reading the large one takes longer than all that `--version` does.
 */
export const CACHE_ASSETS = { command: 'command.cache', options: 'options.cache' } as const;

/** Starts the program as a CommonJS module. The script that comes back can make a new cache. */
export function runCarried(module: NodeJS.Module, require: NodeJS.Require): Script {
  const cachedData = readCache(process.argv.slice(2));
  // The bundle is ASCII, and this is the quickest way of reading it.
  const source = getAsset(PROGRAM_ASSET, 'latin1');
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: PROGRAM_ASSET,
    ...(cachedData === null ? {} : { cachedData }),
  });
  script.runInThisContext()(module.exports, require, module, process.execPath, '');
  return script;
}

function readCache(args: readonly string[]): Buffer | null {
  const name = args.every((arg) => arg.startsWith('-')) ? CACHE_ASSETS.options : CACHE_ASSETS.command;
  try {
    return Buffer.from(getRawAsset(name) as ArrayBuffer);
  } catch {
    return null;
  }
}
