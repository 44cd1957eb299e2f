/** The real `World` of the command line: this process, the browser, the system and the parts of the program. */
import { basename, relative } from 'node:path';
import { isatty } from 'node:tty';
import program from '../../../package.json' with { type: 'json' };
import { systemClock, systemRandom } from '../../base/clock.ts';
import type { Pipe, World } from '../context.ts';
import { type Streams, wantsColour } from './output.ts';

export function systemWorld(signal: AbortSignal): World {
  const { platform } = process;
  // Copied at the start, since `process.env` later loses the variables that child programs must not get.
  const env = { ...process.env };
  return {
    io: systemIo(),
    pipe: systemPipe,
    env,
    platform,
    clock: systemClock,
    random: systemRandom,
    version: program.version,
    program: typedProgram(process.env, process.argv[1] ?? '', process.cwd()),
    signal,
    openBrowser: async (url) => {
      const { startBrowser } = await import('../serve/signedInBrowser.ts');
      await startBrowser(url, { env, platform });
    },
    machine: async () => (await import('../../service/service.ts')).systemMachine(),
    parts: async () => ({
      ...(await import('../../server/start.ts')),
      ...(await import('../../server/offline.ts')),
      ...(await import('../../server/log/log.ts')),
      ...(await import('../serve/openServer.ts')),
    }),
  };
}

/**
 * Returns the command that starts relay, as this person can type it. A checkout has no `relay` in the search path.
 * @param script the path of the running script
 */
function typedProgram(
  { npm_lifecycle_event: run, npm_package_name: name }: NodeJS.ProcessEnv,
  script: string,
  folder: string,
): string {
  if (run === 'start' && name === 'relay') return 'node bin/relay.mjs';
  const isCheckout = basename(script) === 'relay.mjs' && !/[\\/]node_modules[\\/]/.test(script);
  return isCheckout ? `node ${relative(folder, script)}` : 'relay';
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

/** Reserves stdout for messages. All other text that is written to stdout, for example by a package, goes to stderr. */
function systemPipe(): Pipe {
  const { stdin, stdout, stderr } = process;
  const closed = new AbortController();
  const write = stdout.write.bind(stdout);
  stdout.on('error', () => closed.abort());
  // Without a listener, the process would end if the reader of stderr goes away.
  stderr.on('error', () => {});
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  const written = (text: string) =>
    new Promise<void>((resolve) => {
      if (closed.signal.aborted) resolve();
      else write(text, () => resolve());
    });
  return {
    input: stdin,
    terminal: stdin.isTTY === true,
    write: written,
    flushed: () => written(''),
    closed: closed.signal,
  };
}
