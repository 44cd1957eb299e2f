/** Builds the bundle and its assets into a base program, with Node's own `--build-sea`. */
import { execFile } from 'node:child_process';
import { chmod, copyFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ADDON_ASSET } from '../../src/secrets/keyringAddon.ts';
import { SQLITE_ASSET } from '../../src/store/sqlite.ts';
import { root } from '../bundle.ts';
import { lockedPin, unpack } from './fetch.ts';
import { HOST, type Target } from './targets.ts';

/**
 * SQLite stays at V8's first compiler for WebAssembly: the second makes it little faster, and its work at the start takes a
 * tenth of the memory. The code cache fits one set of such flags, so the builder gets them too. For the same reason one
 * thread beside the main one is enough (`--v8-pool-size`, which is Node's).
 */
const V8_FLAGS = ['--liftoff-only'];

export interface ExecutableOptions {
  target: Target;
  /** The target's base program, and this machine's, which does the building. */
  base: string;
  builder: string;
  bundle: string;
  /** For what is left over; the caller removes it. */
  folder: string;
  output: string;
}

/** https://nodejs.org/api/single-executable-applications.html */
export async function buildExecutable(options: ExecutableOptions): Promise<void> {
  const { target, base, builder, bundle, folder, output } = options;
  const addon = join(folder, target.name);
  await unpack(lockedPin(target.keyring), [target.addon], addon);
  const built = join(folder, `built-${target.name}${target.suffix}`);
  const config = join(folder, `${target.name}.json`);
  await writeFile(
    config,
    JSON.stringify({
      // By its name alone, which stack traces show.
      main: basename(bundle),
      mainFormat: 'commonjs',
      executable: base,
      output: built,
      disableExperimentalSEAWarning: true,
      // The cache fits one version of V8 on one kind of processor.
      useCodeCache: target === HOST,
      execArgv: ['--v8-pool-size=1', ...V8_FLAGS],
      // NODE_OPTIONS is meant for other programs; one option unknown to this Node would keep relay from starting.
      execArgvExtension: 'none',
      assets: {
        [ADDON_ASSET]: join(addon, target.addon),
        [SQLITE_ASSET]: join(root, 'node_modules', 'sql.js', 'dist', SQLITE_ASSET),
      },
    }),
  );
  await promisify(execFile)(builder, [...V8_FLAGS, '--build-sea', config], {
    cwd: dirname(bundle),
  });
  await rm(output, { force: true });
  await copyFile(built, output);
  await rm(built);
  await chmod(output, 0o755);
  if (process.platform === 'darwin' && target.name.startsWith('darwin')) {
    await promisify(execFile)('codesign', ['--force', '--sign', '-', output]);
  }
}
