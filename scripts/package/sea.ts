/** One run of Node's own `--build-sea`: https://nodejs.org/api/single-executable-applications.html */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/**
 * One thread beside the main one is enough for a server that mostly waits. This option is Node's; one of V8 would make V8
 * throw away the code cache of Node's own modules.
 */
const EXEC_ARGV = ['--v8-pool-size=1'];

export interface SeaOptions {
  /** The program that does the building, for this machine; and the one that is built into. */
  builder: string;
  base: string;
  /** The main script. */
  main: string;
  /** Paths by name. */
  assets: Record<string, string>;
  output: string;
  /** More options that Node is started with. */
  execArgv?: readonly string[];
}

export async function buildSea(options: SeaOptions): Promise<void> {
  const { builder, base, main, assets, output, execArgv = [] } = options;
  const folder = await mkdtemp(join(dirname(main), 'sea-'));
  const built = join(folder, basename(output));
  const config = {
    // By its name alone, which stack traces show.
    main: basename(main),
    mainFormat: 'commonjs',
    executable: base,
    output: built,
    disableExperimentalSEAWarning: true,
    // Of the launcher it would spare nothing; the program has one that was made by running it.
    useCodeCache: false,
    execArgv: [...EXEC_ARGV, ...execArgv],
    // NODE_OPTIONS is meant for other programs; one option unknown to this Node would keep relay from starting.
    execArgvExtension: 'none',
    assets,
  };
  const file = join(folder, 'sea.json');
  await writeFile(file, JSON.stringify(config));
  await promisify(execFile)(builder, ['--build-sea', file], { cwd: dirname(main) });
  // What --build-sea has written counts as resident in far larger pieces than what was copied.
  await rm(output, { force: true });
  await copyFile(built, output);
  await rm(folder, { recursive: true });
}
