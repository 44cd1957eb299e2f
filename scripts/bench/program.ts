/** Starts relay and the servers to compare it with, each as a process of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { API_KEY, ENCRYPTION_KEY } from '../../test/support/world.ts';
import { root } from '../bundle.ts';
import type { Ready } from './server.ts';

const BARE = `require('node:http').createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1', function () {
  console.log(JSON.stringify({ event: 'ready', baseUrl: 'http://127.0.0.1:' + this.address().port }));
})`;

export interface Program extends Ready {
  /** Milliseconds from the start until it was ready. */
  readyMs: number;
  /** Resident memory, in MB. */
  readonly memoryMb: number;
  end(): Promise<void>;
}

/** The command that starts relay. `RELAY_BENCH_PROGRAM` names an executable to measure in place of this checkout. */
export const RELAY: readonly string[] = process.env.RELAY_BENCH_PROGRAM
  ? [process.env.RELAY_BENCH_PROGRAM]
  : [process.execPath, join(root, 'bin', 'relay.mjs')];

/** Environment of a program that is measured, with nothing of this person's own. */
export function environment(env: Record<string, string>): Record<string, string> {
  return {
    ...{ PATH: process.env.PATH ?? '', HOME: tmpdir(), LANG: 'C.UTF-8' },
    ...{ RELAY_KEYCHAIN: 'file', RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY, RELAY_PORT: '0' },
    ...{ RELAY_ACCESS: 'everything', MCP_API_KEY: API_KEY, LOG_LEVEL: 'error' },
    ...env,
  };
}

export function startRelay(home: string, env: Record<string, string> = {}): Promise<Program> {
  return start([...RELAY, 'serve', '--json', '--port', '0'], { RELAY_HOME: home, ...env });
}

/** Starts an HTTP server that does nothing. */
export function startBare(): Promise<Program> {
  return start([process.execPath, '-e', BARE], {});
}

/** Starts a role of `server.ts`. */
export function startServer(role: string, env: Record<string, string> = {}): Promise<Program> {
  return start([process.execPath, join(root, 'scripts', 'run.mjs'), 'bench/server', role], env);
}

async function start([file = '', ...args]: string[], env: Record<string, string>): Promise<Program> {
  const begin = performance.now();
  const child = spawn(file, args, { env: environment(env), stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{"event":"ready"')) continue;
    const readyMs = performance.now() - begin;
    return {
      ...(JSON.parse(line) as Ready),
      readyMs,
      get memoryMb() {
        return residentMb(child.pid ?? 0);
      },
      end: () => ended(child),
    };
  }
  throw new Error(`${args.join(' ')} ended before it was ready`);
}

/** Resident memory of a process, in MB. */
export function residentMb(pid: number): number {
  return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) / 1_000;
}

/** Kills a program, and waits for its end. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
