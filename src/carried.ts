/**
 * Running the program that an executable carries as an asset. Node's own way of embedding a script keeps the code cache
 * of one that was only compiled; this one takes the cache of a program that has run, with every function that a start uses.
 */
import { getAsset, getRawAsset } from 'node:sea';
import { Script } from 'node:vm';

/** Names of the assets: the bundle of `executable.ts`, and V8's cache for it where the build could make one. */
export const PROGRAM_ASSET = 'relay.cjs';
export const CACHE_ASSET = 'relay.cache';

/** Starts the program as a CommonJS module. The script that comes back can make a new cache. */
export function runCarried(module: NodeJS.Module, require: NodeJS.Require): Script {
  const cachedData = readCache();
  // The bundle is ASCII, and this is the quickest way of reading it.
  const source = getAsset(PROGRAM_ASSET, 'latin1');
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: PROGRAM_ASSET,
    ...(cachedData === null ? {} : { cachedData }),
  });
  script.runInThisContext()(module.exports, require, module, process.execPath, '');
  return script;
}

function readCache(): Buffer | null {
  try {
    return Buffer.from(getRawAsset(CACHE_ASSET) as ArrayBuffer);
  } catch {
    return null;
  }
}
