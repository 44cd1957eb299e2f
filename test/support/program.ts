/**
 * The program as a person runs it, with its own home. Commands run in the test's process, through the same command line. Tests
 * about processes (signals, a kill, streams) use a real process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { systemWorld } from '../../src/cli/terminal/processWorld.ts';
import { RelayError } from '../../src/domain/errors.ts';
import { createLog } from '../../src/server/log/log.ts';
import { runInside } from './cli.ts';

const SCRIPT = fileURLToPath(new URL('../../bin/relay.mjs', import.meta.url));

/** The command that starts the program as a process of its own. */
export const COMMAND = [process.execPath, SCRIPT] as const;

/** Time limit in milliseconds, long enough for a busy machine. A program that hangs fails only its test. */
const PATIENCE_MS = 120_000;
/** Longest life of a process, in milliseconds. */
const LIFE_MS = PATIENCE_MS * 2;

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface Running {
  pid: number;
  /** The output so far. */
  readonly out: string;
  readonly err: string;
  write(text: string): void;
  /** Waits for text on stdout or stderr and returns the match. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
  ended: Promise<Ended>;
}

/** A running command that can be ended at the end of a test. */
interface Started extends Running {
  end(): Promise<unknown>;
}

interface Ready {
  event: 'ready';
  pid: number;
  baseUrl: string;
  mcpUrl: string;
  version: string;
  providerConnected: boolean;
}

interface Served {
  server: Running;
  ready: Ready;
}

/** A home, and the ways to run relay with it. */
export interface Desk {
  home: string;
  /** Runs a command to its end, in this process. */
  relay(args: string[], options?: { input?: string; env?: Record<string, string> }): Promise<Ended>;
  /** Starts a command in this process, so that `stop` cannot kill it. */
  begin(args: string[], env?: Record<string, string>): Running;
  /** `relay serve --json --port 0` in this process, once it is ready. */
  host(args?: string[], env?: Record<string, string>): Promise<Served>;
  /** Starts a command as a process of its own. */
  start(args: string[], env?: Record<string, string>): Running;
  /** `relay serve --json --port 0` as a process of its own, once it is ready. */
  serve(args?: string[], env?: Record<string, string>): Promise<Served>;
  /** Paths, relative to the home, of files that contain the text in clear. */
  filesWith(text: string): string[];
}

/** Runs `work` with one home, and afterwards ends every command that was started with that home. */
export async function withDesk(
  env: Record<string, string>,
  work: (desk: Desk) => Promise<void>,
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'relay-desk-'));
  const started: Started[] = [];
  const startBy =
    (run: typeof spawnRelay) =>
    (args: string[], more: Record<string, string> = {}) => {
      const basics = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', LANG: 'C.UTF-8' };
      const running = run(args, { ...basics, RELAY_HOME: home, RELAY_KEYCHAIN: 'file', ...env, ...more });
      started.push(running);
      return running;
    };
  const start = startBy(spawnRelay);
  const begin = startBy(runRelay);
  const serveBy =
    (begin: Desk['start']): Desk['serve'] =>
    async (args = [], more = {}) => {
      const server = begin(['serve', '--json', '--port', '0', ...args], more);
      const [line] = await server.until(/^\{"event":"ready".*\}$/m);
      return { server, ready: JSON.parse(line) as Ready };
    };
  const desk: Desk = {
    home,
    start,
    begin,
    async relay(args, options = {}) {
      const running = begin(args, options.env);
      if (options.input !== undefined) running.write(options.input);
      return running.ended;
    },
    serve: serveBy(start),
    host: serveBy(begin),
    filesWith: (text) =>
      filesBelow(home).filter(
        (path) => !path.endsWith('.sock') && readFileSync(join(home, path)).includes(text),
      ),
  };
  try {
    await work(desk);
  } finally {
    await Promise.all(started.map((running) => running.end()));
    await rm(home, { recursive: true, force: true });
  }
}

/** The command line in this process, as `main` runs it. `stop` takes SIGINT and SIGTERM; the command cannot be killed. */
function runRelay(args: string[], env: Record<string, string>): Started {
  const text = { out: '', err: '' };
  const changed = new EventEmitter();
  const take = (stream: 'out' | 'err') => (part: string) => {
    text[stream] += part;
    changed.emit('text');
  };
  const stdin = new PassThrough();
  const stop = new AbortController();
  const log = new Writable({
    decodeStrings: false,
    write(part, _encoding, done) {
      take('err')(String(part));
      done();
    },
  });
  const world = systemWorld(stop.signal);
  const terminal = { stdin: false, stdout: false, stderr: false };
  const ended = runInside(args, {
    ...world,
    io: { stdin, out: take('out'), err: take('err'), terminal, columns: 80 },
    env,
    parts: async () => ({ ...(await world.parts()), createLog: (settings) => createLog(settings, log) }),
  }).then((code) => {
    changed.emit('ended');
    return { code, ...text };
  });
  const interrupt = () => {
    stop.abort(new RelayError('INTERRUPTED', 'Interrupted.'));
    return ended;
  };
  return {
    pid: process.pid,
    get out() {
      return text.out;
    },
    get err() {
      return text.err;
    },
    write: (part) => stdin.write(part),
    until: (pattern) => waitFor(changed, text, pattern),
    async stop(signal = 'SIGTERM') {
      if (signal !== 'SIGTERM' && signal !== 'SIGINT') throw new Error(`${signal} needs a process`);
      return interrupt();
    },
    end: interrupt,
    ended,
  };
}

function spawnRelay(args: string[], env: Record<string, string>): Started {
  const [command, script] = COMMAND;
  const child = spawn(command, [script, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const text = { out: '', err: '' };
  const changed = new EventEmitter();
  const take = (stream: 'out' | 'err') => (part: string) => {
    text[stream] += part;
    changed.emit('text');
  };
  child.stdout.setEncoding('utf8').on('data', take('out'));
  child.stderr.setEncoding('utf8').on('data', take('err'));
  child.stdin.on('error', () => {});
  child.once('close', () => changed.emit('ended'));
  const ended = endOf(child, text);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return ended;
  };
  return {
    pid: child.pid ?? 0,
    get out() {
      return text.out;
    },
    get err() {
      return text.err;
    },
    write: (part) => child.stdin.write(part),
    until: (pattern) => waitFor(changed, text, pattern),
    stop,
    end: () => stop('SIGKILL'),
    ended,
  };
}

async function endOf(child: ChildProcess, text: { out: string; err: string }): Promise<Ended> {
  const timer = setTimeout(() => child.kill('SIGKILL'), LIFE_MS);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return { code: code as number | null, ...text };
}

function waitFor(
  changed: EventEmitter,
  text: { out: string; err: string },
  pattern: RegExp,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const give = (why: string) => {
      finish();
      reject(new Error(`${why} while waiting for ${pattern}\nstdout: ${text.out}\nstderr: ${text.err}`));
    };
    const look = () => {
      const found = pattern.exec(text.out) ?? pattern.exec(text.err);
      if (!found) return;
      finish();
      resolve(found);
    };
    const ended = () => {
      look();
      give('the program ended');
    };
    const timer = setTimeout(() => give('nothing came'), PATIENCE_MS);
    const finish = () => {
      clearTimeout(timer);
      changed.off('text', look);
      changed.off('ended', ended);
    };
    changed.on('text', look);
    changed.on('ended', ended);
    look();
  });
}

function filesBelow(folder: string, prefix = ''): string[] {
  return readdirSync(join(folder, prefix)).flatMap((name) => {
    const path = join(prefix, name);
    return statSync(join(folder, path)).isDirectory() ? filesBelow(folder, path) : [path];
  });
}
