/**
 * `stdioFigures.ts [EXECUTABLE BASE]`: the cost of `relay stdio` with a running server, as ratios to the bare program, as JSON.
 * Without arguments it measures the bundle and this Node. The two programs are started alternately, and measured at their first
 * output: for `relay stdio` the answer to `initialize`, for the bare program a line that it writes at once.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../bundle.ts';

const ROUNDS = 25;
const CLIENT = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'figures', version: '1' },
};
const INITIALIZE = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: CLIENT })}\n`;

/** Medians of one program at its first output. */
interface Costs {
  /** Milliseconds since the start. */
  wall: number;
  /** Milliseconds of processor time of all threads, more reliable on a busy machine. */
  processor: number;
  /** Resident memory in MiB. */
  memory: number;
}

export interface StdioFigures {
  stdio: Costs;
  bare: Costs;
  ratio: Costs;
}

const [executable, base = process.execPath] = process.argv.slice(2);
const relay = executable ? [executable] : [process.execPath, join(root, 'bin', 'relay.mjs')];
const folder = await mkdtemp(join(tmpdir(), 'relay-figures-'));
try {
  console.log(JSON.stringify(await measure()));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measure(): Promise<StdioFigures> {
  const env = { ...process.env, RELAY_HOME: join(folder, 'home'), RELAY_KEYCHAIN: 'file', RELAY_PORT: '0' };
  const waiting = join(folder, 'waiting.cjs');
  await writeFile(waiting, "process.stdout.write('ready\\n'); setInterval(() => {}, 1000);");
  // A copy, since the way a file was written decides how much of it counts as resident.
  const bareProgram = join(folder, 'base');
  await copyFile(base, bareProgram);
  const [program = '', ...first] = relay;
  const server = spawn(program, [...first, 'serve', '--json'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    await once(server.stdout, 'data');
    await untilOutput([...relay, 'stdio'], env);
    const rounds: Array<{ bare: Costs; stdio: Costs }> = [];
    for (let round = 0; round < ROUNDS; round++) {
      const bare = await untilOutput([bareProgram, waiting], env);
      rounds.push({ bare, stdio: await untilOutput([...relay, 'stdio'], env) });
    }
    const stdio = medians(rounds.map((round) => round.stdio));
    const bare = medians(rounds.map((round) => round.bare));
    return { stdio, bare, ratio: each((name) => stdio[name] / bare[name]) };
  } finally {
    server.kill('SIGTERM');
    await once(server, 'close');
  }
}

async function untilOutput([command = '', ...args]: string[], env: NodeJS.ProcessEnv): Promise<Costs> {
  const start = performance.now();
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => {});
  child.stdin.write(INITIALIZE);
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  const wall = performance.now() - start;
  const costs = { wall, processor: await processorTime(child), memory: await residentMemory(child) };
  child.kill('SIGKILL');
  await once(child, 'close');
  if (output.includes('"error"')) throw new Error(`${command} answered ${output.toString()}`);
  return costs;
}

/** Nanoseconds that each thread has run: https://docs.kernel.org/scheduler/sched-stats.html */
async function processorTime({ pid }: ChildProcess): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const stats = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')),
  );
  return stats.reduce((sum, stat) => sum + Number(stat.split(' ')[0]) / 1e6, 0);
}

async function residentMemory({ pid }: ChildProcess): Promise<number> {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

function medians(rounds: readonly Costs[]): Costs {
  return each((name) => median(rounds.map((round) => round[name])));
}

function each(value: (name: keyof Costs) => number): Costs {
  return { wall: value('wall'), processor: value('processor'), memory: value('memory') };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
