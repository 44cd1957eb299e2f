/** Runs the command line: in this process with captured streams, or as a separate process. */
import { execFile, execFileSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock, systemRandom } from '../../src/base/clock.ts';
import type { Parts, Pipe, World } from '../../src/cli/context.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { Machine } from '../../src/service/service.ts';

export { temporaryHome } from './temporaryHome.ts';

export interface CliOptions {
  env?: NodeJS.ProcessEnv;
  /** A string is the whole content of stdin. A stream stays open until the test ends it. */
  stdin?: string | PassThrough;
  /** What `relay stdio` reads and writes. */
  pipe?: Pipe;
  terminal?: { stdin?: boolean; stdout?: boolean; stderr?: boolean };
  columns?: number;
  platform?: NodeJS.Platform;
  clock?: Clock;
  signal?: AbortSignal;
  openBrowser?: (url: string) => Promise<void>;
  parts?: Partial<Parts>;
  machine?: Machine;
  /** Called each time that text is added to stdout, with all of stdout so far. */
  onOut?: (all: string) => void;
  /** The same for stderr. */
  onErr?: (all: string) => void;
}

export interface CliResult {
  code: number;
  out: string;
  err: string;
}

/** Runs `relay …args` in this process; nothing reaches the real streams, environment or browser. */
export async function relay(args: string[], options: CliOptions = {}): Promise<CliResult> {
  const result: CliResult = { code: -1, out: '', err: '' };
  result.code = await runInside(args, worldOf(options, result));
  return result;
}

/** Runs `relay …args` in this process for the home of a test's relay. A command that needs the server asks that relay. */
export function run(
  world: { env: NodeJS.ProcessEnv },
  args: string[],
  options: CliOptions = {},
): Promise<CliResult> {
  return relay(args, { ...options, env: { ...world.env, ...options.env } });
}

/** Runs the command line in this process, and leaves the exit code of the tests as it was. */
export function runInside(args: readonly string[], world: World): Promise<number> {
  // Hides the exit code that node:test sets once a test has failed, since Commander reads it when it prints help.
  const { exitCode } = process;
  process.exitCode = undefined;
  const ended = runProgram(args, world);
  process.exitCode = exitCode;
  return ended;
}

function worldOf(options: CliOptions, result: CliResult): World {
  const terminal = { stdin: false, stdout: false, stderr: false, ...options.terminal };
  return {
    io: {
      stdin: inputOf(options.stdin),
      out: (text) => {
        result.out += text;
        options.onOut?.(result.out);
      },
      err: (text) => {
        result.err += text;
        options.onErr?.(result.err);
      },
      terminal,
      columns: options.columns ?? 80,
    },
    pipe: () => options.pipe ?? unexpected(),
    env: options.env ?? {},
    platform: options.platform ?? 'linux',
    clock: options.clock ?? systemClock,
    random: systemRandom,
    version: '1.2.3',
    signal: options.signal ?? new AbortController().signal,
    openBrowser: options.openBrowser ?? (() => Promise.reject(new Error('no browser'))),
    machine: async () => options.machine ?? nobodysMachine,
    parts: async () => ({
      createLog: () => silent,
      startServer: unexpected,
      openOffline: unexpected,
      startDemo: unexpected,
      ...options.parts,
    }),
  };
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

const nobodysMachine: Machine = {
  program: ['/opt/relay/relay'],
  homeDir: '/home/nobody',
  uid: 1000,
  run: unexpected,
};

function unexpected(): never {
  throw new Error('The command used a part that this test does not provide.');
}

function inputOf(stdin: string | PassThrough | undefined): PassThrough {
  if (stdin instanceof PassThrough) return stdin;
  const stream = new PassThrough();
  stream.end(stdin ?? '');
  return stream;
}

const PROGRAM = fileURLToPath(new URL('../../bin/relay.mjs', import.meta.url));

/** Runs the real program as a process with its own environment. */
export function relayProcess(
  args: string[],
  { env: more = {} }: { env?: NodeJS.ProcessEnv } = {},
): Promise<CliResult> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8', ...more };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], { env }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
    child.stdin?.end();
  });
}

/** For each example line, `  $ relay call …`: the tool and its arguments, as a shell reads the line. */
export function exampleWords(lines: readonly string[]): string[][] {
  const script = lines.map((line) => `printf '%s\\0' ${line.replace('  $ ', '')}; echo`).join('\n');
  const rows = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0\n');
  return rows.slice(0, -1).map((row) => row.split('\0').slice(2));
}
