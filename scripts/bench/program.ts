/** Starts the program as a process with a home, and a bare Node server to compare it with. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { API_KEY, ENCRYPTION_KEY, mcpClient } from '../../test/support/world.ts';

const RELAY = fileURLToPath(new URL('../../bin/relay.mjs', import.meta.url));
const TURN = fileURLToPath(new URL('../../test/support/longestTurn.cjs', import.meta.url));

const BARE = `require('node:http').createServer((request, response) => response.end('{}')).listen(0, '127.0.0.1', function () {
  console.log(JSON.stringify({ event: 'ready', baseUrl: 'http://127.0.0.1:' + this.address().port }));
})`;

export interface Program {
  baseUrl: string;
  /** Milliseconds from start until ready. */
  readyMs: number;
  /** Resident memory in MB. */
  memory(): number;
  /** Restarts the measurement of the longest turn of the event loop. */
  watch(): void;
  /** The longest turn in milliseconds: of processor time (`cpu`), and of real time (`wall`). */
  longestTurn(): { cpu: number; wall: number };
  end(): Promise<void>;
}

/** @param watched the file that gets the longest turn; without it, the turn is not measured */
export function startRelay(
  home: string,
  env: Record<string, string> = {},
  watched?: string,
): Promise<Program> {
  return start([RELAY, 'serve', '--json', '--port', '0'], {
    RELAY_HOME: home,
    RELAY_KEYCHAIN: 'file',
    RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    RELAY_TOOLSETS: 'all',
    MCP_API_KEY: API_KEY,
    LOG_LEVEL: 'error',
    ...env,
    ...watch(watched),
  });
}

/** Starts a server that does nothing. */
export function startBare(watched?: string): Promise<Program> {
  return start(['-e', BARE], watch(watched));
}

function watch(file: string | undefined): Record<string, string> {
  return file === undefined ? {} : { NODE_OPTIONS: `--require ${TURN}`, TURN_FILE: file };
}

async function start(args: string[], env: Record<string, string>): Promise<Program> {
  const begin = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', HOME: tmpdir(), LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{"event":"ready"')) continue;
    const readyMs = performance.now() - begin;
    const { baseUrl } = JSON.parse(line) as { baseUrl: string };
    const pid = child.pid ?? 0;
    return {
      baseUrl,
      readyMs,
      memory: () => residentMb(pid),
      watch: () => void process.kill(pid, 'SIGUSR2'),
      longestTurn: () => JSON.parse(readFileSync(env.TURN_FILE ?? '', 'utf8')),
      end: () => end(child),
    };
  }
  throw new Error(`${args.join(' ')} ended before it was ready`);
}

function residentMb(pid: number): number {
  return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) / 1_000;
}

/** Ends a process, if it has not ended already. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Connects an MCP client to a relay while `work` runs. */
export async function withClient<T>(baseUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await mcpClient(`${baseUrl}/mcp`);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** Returns the median of several measurements. */
export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
