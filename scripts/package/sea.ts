/** One run of Node's own `--build-sea`: https://nodejs.org/api/single-executable-applications.html */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/**
 * One thread besides the main one is enough for a server that mostly waits. This is an option of Node; an option of V8 would
 * make V8 discard the code cache of Node's own modules.
 */
const EXEC_ARGV = ['--v8-pool-size=1'];

export interface SeaOptions {
  /** Paths of this machine's base program, which does the building, and of the target's. */
  builder: string;
  base: string;
  /** The main script. */
  main: string;
  /** Paths of the assets by name. */
  assets: Record<string, string>;
  output: string;
  /** Further options for Node. */
  execArgv?: readonly string[];
}

export async function buildSea(options: SeaOptions): Promise<void> {
  const { builder, base, main, assets, output, execArgv = [] } = options;
  const folder = await mkdtemp(join(dirname(main), 'sea-'));
  const built = join(folder, basename(output));
  const config = {
    // The path is left out, since stack traces would show it.
    main: basename(main),
    mainFormat: 'commonjs',
    executable: base,
    output: built,
    disableExperimentalSEAWarning: true,
    // A cache would save nothing for the launcher, and the program has one that was made by running it.
    useCodeCache: false,
    execArgv: [...EXEC_ARGV, ...execArgv],
    // NODE_OPTIONS is meant for other programs, and an option unknown to this Node would keep relay from starting.
    execArgvExtension: 'none',
    assets,
  };
  const file = join(folder, 'sea.json');
  await writeFile(file, JSON.stringify(config));
  await promisify(execFile)(builder, ['--build-sea', file], { cwd: dirname(main) });
  // The file is copied, since far more of a file counts as resident if --build-sea has written it.
  await rm(output, { force: true });
  await copyFile(built, output);
  await rm(folder, { recursive: true });
}
