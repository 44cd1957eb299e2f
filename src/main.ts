/** Entry of the bundle. In an executable, `executable.ts` calls `main`. */
import { runProgram } from './cli/program.ts';
import { runProcess } from './cli/terminal/runProcess.ts';
import { systemWorld } from './cli/world.ts';

/** Runs the command line `argv` (as in `process.argv`) and returns the exit code. */
export function main(argv: string[]): Promise<number> {
  return runProcess((signal) => runProgram(argv.slice(2), systemWorld(signal)));
}
