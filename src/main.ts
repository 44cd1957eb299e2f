/** Entry of the bundle, which `bin/relay.mjs` and `executable.ts` run. */
import { runProgram } from './cli/program.ts';
import { systemWorld } from './cli/terminal/processWorld.ts';
import { runProcess } from './cli/terminal/runProcess.ts';

/** Runs the command line `argv` (as in `process.argv`) and returns the exit code. */
export function main(argv: string[]): Promise<number> {
  return runProcess((signal) => runProgram(argv.slice(2), systemWorld(signal)));
}
