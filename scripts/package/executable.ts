/** Builds executables with Node's own `--build-sea`: https://nodejs.org/api/single-executable-applications.html */
import { execFile } from 'node:child_process';
import { chmod, copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ADDON_ASSET } from '../../src/secrets/keychainHelper.ts';
import { SQLITE_ASSET } from '../../src/store/sql/sqlite.ts';
import { bundle, root } from '../bundle.ts';
import { signAdHoc } from './adHocSign.ts';
import { addonPin, nodePin, unpack } from './fetch.ts';
import type { Target } from './targets.ts';

const TARGET = 'node26';

/** Bundles the scripts of all executables into `folder`. Returns esbuild's lists of what is in them. */
export async function bundleScripts(folder: string) {
  return [
    await bundle({
      entry: 'src/executable.ts',
      outfile: join(folder, 'relay.cjs'),
      target: TARGET,
      minify: true,
    }),
  ];
}

/** Unpacks the Node of a target, and returns its path. */
export function nodeOf(target: Target, folder: string): Promise<string> {
  const name = target.platform === 'win32' ? 'node.exe' : 'node';
  return unpack(nodePin(target), `bin/${name}`, join(folder, target.name));
}

export interface ExecutableOptions {
  target: Target;
  /** This machine's Node, which can build for all targets. */
  builder: string;
  /** The directory with the scripts, also for temporary files. */
  folder: string;
  output: string;
}

export async function buildExecutable({ target, builder, folder, output }: ExecutableOptions): Promise<void> {
  const own = join(folder, target.name);
  const built = join(own, 'relay');
  const config = {
    // The path is relative, since stack traces show it.
    main: 'relay.cjs',
    mainFormat: 'commonjs',
    executable: await nodeOf(target, folder),
    output: built,
    disableExperimentalSEAWarning: true,
    // V8 makes another cache at each build, and one for this processor only.
    useCodeCache: false,
    // One thread besides the main one is enough for a server that mostly waits.
    execArgv: ['--v8-pool-size=1'],
    // NODE_OPTIONS is meant for other programs, and an option unknown to this Node would keep relay from starting.
    execArgvExtension: 'none',
    assets: {
      [ADDON_ASSET]: await unpack(addonPin(target), `keyring.${target.addon}.node`, own),
      [SQLITE_ASSET]: join(root, 'node_modules', 'sql.js', 'dist', SQLITE_ASSET),
    },
  };
  await writeFile(join(own, 'sea.json'), JSON.stringify(config));
  await promisify(execFile)(builder, ['--build-sea', join(own, 'sea.json')], { cwd: folder });
  if (target.platform === 'darwin') await writeFile(built, signAdHoc(await readFile(built), 'relay'));
  await rm(output, { force: true });
  // Copied, since far more of a file counts as resident if --build-sea has written it.
  await copyFile(built, output);
  await chmod(output, 0o755);
  await rm(own, { recursive: true });
}
