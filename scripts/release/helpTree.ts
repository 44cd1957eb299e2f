/** The command line as data and as text, for man pages and completion scripts. */
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { systemClock, systemRandom } from '../../src/base/clock.ts';
import type { World } from '../../src/cli/context.ts';
import { createProgram, runProgram } from '../../src/cli/program.ts';
import { PRODUCT } from './description.ts';

const COLUMNS = 80;

/** Makes the program with all commands. */
export function commandTree(): Command {
  const world = worldInto(() => {});
  return createProgram(world, () => {}).program;
}

/** Returns the part of a command's help after its options: explanations and examples. */
export function textAfterHelp(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text.slice(text.indexOf(command.helpInformation()) + command.helpInformation().length).trim();
}

/** Returns the script that `relay completion SHELL` prints. */
export async function completionScript(shell: 'bash' | 'zsh' | 'fish'): Promise<string> {
  let text = '';
  const code = await runProgram(
    ['completion', shell],
    worldInto((part) => {
      text += part;
    }),
  );
  if (code !== 0) throw new Error(`relay completion ${shell} failed`);
  return text;
}

/** Makes a world that contains nothing of the building machine. */
function worldInto(out: (text: string) => void): World {
  const none = () => Promise.reject(new Error('not available for help texts'));
  const pipe = () => {
    throw new Error('not available for help texts');
  };
  return {
    io: {
      stdin: new PassThrough(),
      out,
      err: () => {},
      terminal: { stdin: false, stdout: false, stderr: false },
      columns: COLUMNS,
    },
    env: {},
    platform: 'linux',
    clock: systemClock,
    random: systemRandom,
    version: PRODUCT.version,
    signal: new AbortController().signal,
    openBrowser: none,
    parts: none,
    machine: none,
    pipe,
  };
}
