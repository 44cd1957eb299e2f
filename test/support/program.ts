/** The built program as a person runs it: `bin/relay.mjs` (or `RELAY_BIN`), processes, a home of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../bin/relay.mjs', import.meta.url));

/** The command and its first arguments; `RELAY_BIN` names a packaged program to test in place of the bundle. */
const COMMAND: [string, ...string[]] = process.env.RELAY_BIN
  ? [process.env.RELAY_BIN]
  : [process.execPath, SCRIPT];

/** Long enough for a loaded machine; a program that hangs fails its test instead of the whole run. */
const PATIENCE_MS = 40_000;

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface Running {
  pid: number;
  /** What it has written so far. */
  readonly out: string;
  readonly err: string;
  write(text: string): void;
  /** Waits for text on stdout or stderr and returns the match. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
  ended: Promise<Ended>;
}

export interface Ready {
  event: 'ready';
  pid: number;
  baseUrl: string;
  mcpUrl: string;
  version: string;
  providerConnected: boolean;
}

export interface Desk {
  home: string;
  /** Runs a command to its end. */
  relay(args: string[], options?: { input?: string; env?: Record<string, string> }): Promise<Ended>;
  start(args: string[], env?: Record<string, string>): Running;
  /** `relay serve --json --port 0`, once it is ready. */
  serve(args?: string[], env?: Record<string, string>): Promise<{ server: Running; ready: Ready }>;
  /** Paths, relative to the home, of files in which the text stands in clear. */
  filesWith(text: string): string[];
}

/** A person's desk: one home, whatever runs on it is ended by pid at the end. */
export async function withDesk(
  env: Record<string, string>,
  work: (desk: Desk) => Promise<void>,
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'relay-desk-'));
  const started: Running[] = [];
  const start = (args: string[], more: Record<string, string> = {}) => {
    const running = spawnRelay(args, { RELAY_HOME: home, RELAY_KEYCHAIN: 'file', ...env, ...more });
    started.push(running);
    return running;
  };
  const desk: Desk = {
    home,
    start,
    async relay(args, options = {}) {
      const running = start(args, options.env);
      if (options.input !== undefined) running.write(options.input);
      return running.ended;
    },
    async serve(args = [], more = {}) {
      const server = start(['serve', '--json', '--port', '0', ...args], more);
      const [line] = await server.until(/^\{"event":"ready".*\}$/m);
      return { server, ready: JSON.parse(line) as Ready };
    },
    filesWith: (text) => filesBelow(home).filter((path) => readFileSync(join(home, path)).includes(text)),
  };
  try {
    await work(desk);
  } finally {
    await Promise.all(started.map((running) => running.stop('SIGKILL')));
    await rm(home, { recursive: true, force: true });
  }
}

function spawnRelay(args: string[], env: Record<string, string>): Running {
  const [command, ...first] = COMMAND;
  const child = spawn(command, [...first, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text.out += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text.err += part;
  });
  child.stdin.on('error', () => {});
  const ended = endOf(child, text);
  return {
    pid: child.pid ?? 0,
    get out() {
      return text.out;
    },
    get err() {
      return text.err;
    },
    write: (part) => child.stdin.write(part),
    until: (pattern) => waitFor(child, text, pattern),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
    ended,
  };
}

async function endOf(child: ChildProcess, text: { out: string; err: string }): Promise<Ended> {
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS * 2);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return { code: code as number | null, ...text };
}

function waitFor(
  child: ChildProcess,
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
      child.stdout?.off('data', look);
      child.stderr?.off('data', look);
      child.off('close', ended);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.on('close', ended);
    look();
  });
}

function filesBelow(folder: string, prefix = ''): string[] {
  return readdirSync(join(folder, prefix)).flatMap((name) => {
    const path = join(prefix, name);
    return statSync(join(folder, path)).isDirectory() ? filesBelow(folder, path) : [path];
  });
}
