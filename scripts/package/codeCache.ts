/** V8's code cache for the program, made by running it: an executable with the recorder in the launcher's place. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE_ASSET } from '../../src/carried.ts';
import { bundle } from '../bundle.ts';
import { buildSea, type SeaOptions } from './sea.ts';

/**
 * Path of the cache. It fits this V8 on this kind of processor only.
 * @throws Error when V8 would not take it
 */
export async function recordCodeCache(
  options: Omit<SeaOptions, 'main' | 'output'>,
  folder: string,
): Promise<string> {
  const main = join(folder, 'recorder.cjs');
  await bundle({ entry: 'scripts/package/recorder.ts', outfile: main, target: 'node26' });
  const cache = join(folder, CACHE_ASSET);
  await record({ ...options, main, output: join(folder, 'recorder') }, cache);
  const assets = { ...options.assets, [CACHE_ASSET]: cache };
  const checked = join(folder, 'checked.cache');
  await record({ ...options, assets, main, output: join(folder, 'checker') }, checked);
  return cache;
}

async function record(options: SeaOptions, cache: string): Promise<void> {
  await buildSea(options);
  await chmod(options.output, 0o755);
  const home = await mkdtemp(join(dirname(cache), 'home-'));
  const env = { ...process.env, RELAY_HOME: home, RELAY_KEYCHAIN: 'file', RECORD_CACHE: cache };
  await promisify(execFile)(options.output, ['serve', '--json', '--port', '0'], { env });
}
