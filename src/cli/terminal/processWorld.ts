/** The streams, environment and clock of this process. */
import { basename } from 'node:path';
import { isatty } from 'node:tty';
import program from '../../../package.json' with { type: 'json' };
import { systemClock, systemRandom } from '../../base/clock.ts';
import type { World } from '../context.ts';
import { wantsColour } from './colour.ts';
import type { Streams } from './output.ts';
import { systemPipe } from './pipe.ts';

/** Returns the world without browser, machine and parts, whose code is most of the program. */
export function processWorld(signal: AbortSignal): Omit<World, 'openBrowser' | 'machine' | 'parts'> {
  return {
    io: systemIo(),
    pipe: systemPipe,
    // Copied at the start, since `process.env` later loses the variables that child programs must not get.
    env: { ...process.env },
    platform: process.platform,
    clock: systemClock,
    random: systemRandom,
    version: program.version,
    signal,
  };
}

/** True if `nohup` started this process from bash or zsh. Both put the path of the command that they run into `_`. */
export function isFromNohup(): boolean {
  return basename(process.env._ ?? '') === 'nohup';
}

function systemIo(): Streams {
  return {
    // Accessing stdin starts reading it, so only commands that read from it access it.
    get stdin() {
      return process.stdin;
    },
    out: (text) => {
      process.stdout.write(text);
    },
    err: (text) => {
      process.stderr.write(text);
    },
    terminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
    columns: process.stdout.columns ?? 80,
    colour: wantsColour(process.env),
  };
}
