/**
 * `relay stdio` as a small script, which an executable runs instead of the program. Clients wait for this script at each start.
 * If a server runs, this script is enough, with less than a twentieth of the code. The rest is loaded only if this process
 * becomes the server.
 */
import { kernelRandom } from '../../base/kernelRandom.ts';
import type { Settings } from '../../config/settings.ts';
import { isErrorCode, RelayError } from '../../domain/errors.ts';
import type { RunningServer } from '../../server/start.ts';
import { createContext, type GlobalOptions } from '../context.ts';
import { type ExitCode, exitCodeOf } from '../exit.ts';
import { printError } from '../terminal/output.ts';
import { processWorld } from '../terminal/processWorld.ts';
import { runProcess } from '../terminal/runProcess.ts';
import { runStdio } from './runStdio.ts';
import { readStdioArgs, type StdioArgs } from './stdioArgs.ts';

/** The part of `executable.ts` that is needed here. */
interface WholeProgram {
  run(): void;
  host(signal: AbortSignal, globals: GlobalOptions, settings: Settings): Promise<RunningServer>;
}

/** @param load loads the whole program */
export function run(load: () => WholeProgram): void {
  const args = readStdioArgs(process.argv.slice(2));
  if (args === null) load().run();
  else
    runProcess((signal) => carry(load, args, signal)).then((code) => {
      process.exitCode = code;
    });
}

async function carry(
  load: () => WholeProgram,
  { globals, tools }: StdioArgs,
  signal: AbortSignal,
): Promise<ExitCode> {
  const unneeded = () => Promise.reject(new Error('Only the whole program has this.'));
  const beyond = { openBrowser: unneeded, machine: unneeded, parts: unneeded };
  const world = { ...processWorld(signal), ...beyond, random: kernelRandom };
  const context = createContext(world, () => globals);
  try {
    return await runStdio(context, tools, (settings) =>
      load()
        .host(signal, globals, settings)
        .catch((error: unknown) => {
          throw ownError(error);
        }),
    );
  } catch (error) {
    printError(context, error, context.json);
    return exitCodeOf(error);
  }
}

/** Turns an error of the whole program into an error of this script, which has a `RelayError` class of its own. */
function ownError(error: unknown): unknown {
  const { name, code, message, remedyValue } = error as Partial<RelayError>;
  if (error instanceof RelayError || name !== 'RelayError' || !isErrorCode(code)) return error;
  return new RelayError(code, message ?? '', { ...(remedyValue && { remedy: remedyValue }), cause: error });
}
