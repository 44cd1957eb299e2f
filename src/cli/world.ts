/** The real world of the command line: this process, its streams and its signals. */
import { isatty } from 'node:tty';
import program from '../../package.json' with { type: 'json' };
import { systemClock, systemRandom } from '../base/clock.ts';
import type { World } from './context.ts';
import { systemPipe } from './stdio/pipe.ts';
import type { Streams } from './terminal/output.ts';

export function systemWorld(signal: AbortSignal): World {
  return {
    io: systemIo(),
    pipe: systemPipe,
    env: process.env,
    platform: process.platform,
    clock: systemClock,
    random: systemRandom,
    version: program.version,
    signal,
    openBrowser: async (url) => {
      const { default: open } = await import('open');
      await open(url);
    },
    machine: async () => (await import('../service/machine.ts')).systemMachine(),
    parts: async () => ({
      ...(await import('../server/start.ts')),
      ...(await import('../server/offline.ts')),
      ...(await import('../server/log/log.ts')),
      // The catalogue of the demo is made while loading, so it is loaded for the demo alone.
      startDemo: async (...args) => (await import('./serve/startDemo.ts')).startDemo(...args),
    }),
  };
}

function systemIo(): Streams {
  return {
    // Only looking at it starts reading, so it is looked at when a command reads.
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
  };
}
