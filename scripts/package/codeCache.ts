/** Makes V8's code caches: builds an executable with the recorder in place of the launcher, and runs it once for each cache. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE_ASSETS } from '../../src/seaProgram.ts';
import { bundle } from '../bundle.ts';
import { RECORDER_FLAGS } from './recorderFlags.ts';
import { buildSea, type SeaOptions } from './sea.ts';

/** The command to run for each cache. */
const RUNS = {
  command: ['serve', '--json', '--port', '0'],
  options: ['--help'],
  stdio: ['stdio'],
} as const;
type Kind = keyof typeof RUNS;
const KINDS: readonly Kind[] = ['command', 'options', 'stdio'];

/**
 * Returns the paths of the caches by the names of their assets. They fit only this V8 on this kind of processor.
 * @throws Error if V8 does not accept one of the caches
 */
export async function recordCodeCaches(
  options: Omit<SeaOptions, 'main' | 'output'>,
  folder: string,
): Promise<Record<string, string>> {
  const main = join(folder, 'recorder.cjs');
  await bundle({ entry: 'scripts/package/recorder.ts', outfile: main, target: 'node26' });
  const path = (kind: Kind) => join(folder, CACHE_ASSETS[kind]);
  await record({ ...options, main, output: join(folder, 'recorder'), execArgv: RECORDER_FLAGS }, path);
  const caches = Object.fromEntries(KINDS.map((kind) => [CACHE_ASSETS[kind], path(kind)]));
  const assets = { ...options.assets, ...caches };
  await record(
    { ...options, assets, main, output: join(folder, 'checker') },
    (kind) => `${path(kind)}.again`,
  );
  return caches;
}

async function record(options: SeaOptions, pathOf: (kind: Kind) => string): Promise<void> {
  await buildSea(options);
  await chmod(options.output, 0o755);
  for (const kind of KINDS) {
    const home = await mkdtemp(join(dirname(options.output), 'home-'));
    // An empty home, so that the builder's own settings have no effect.
    const env = { RELAY_HOME: home, RELAY_KEYCHAIN: 'file', RECORD_CACHE: pathOf(kind), HOME: home };
    await promisify(execFile)(options.output, [...RUNS[kind]], { env, timeout: 60_000 });
  }
}
