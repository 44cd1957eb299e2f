/**
 * `stdioFigures.ts [EXECUTABLE BASE]`: what `relay stdio` costs beside a running server, as ratios to the bare program:
 * `--version` for the time, and a script that waits in the base program for the memory. Without arguments it measures
 * the bundle and this Node. All run in turns, since only what happens within a second can be compared.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../bundle.ts';

const ROUNDS = 15;

const [executable, base = process.execPath] = process.argv.slice(2);
const relay = executable ? [executable] : [process.execPath, join(root, 'bin', 'relay.mjs')];
const folder = await mkdtemp(join(tmpdir(), 'relay-figures-'));
const env = { ...process.env, RELAY_HOME: join(folder, 'home'), RELAY_KEYCHAIN: 'file', RELAY_PORT: '0' };
const waiting = join(folder, 'waiting.cjs');
await writeFile(waiting, "process.stdout.write('ready\\n'); setInterval(() => {}, 1000);");
const empty = join(folder, 'empty.cjs');
await writeFile(empty, '');
const server = spawn(relay[0] ?? '', [...relay.slice(1), 'serve', '--json'], {
  env,
  stdio: ['ignore', 'pipe', 'ignore'],
});
try {
  await once(server.stdout, 'data');
  await untilAnswer(relay, ['stdio']);
  const rounds: Array<{ base: number; version: number; bare: Answered; stdio: Answered }> = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      base: untilEnd([base], [empty]),
      version: untilEnd(relay, ['--version']),
      bare: await untilAnswer([base], [waiting]),
      stdio: await untilAnswer(relay, ['stdio']),
    });
  }
  const ms = (of: (round: (typeof rounds)[0]) => number) => Math.round(median(rounds.map(of)));
  const figures = {
    base: ms((round) => round.base),
    version: ms((round) => round.version),
    stdio: ms((round) => round.stdio.ms),
    bareMiB: median(rounds.map(({ bare }) => bare.mib)),
    stdioMiB: median(rounds.map(({ stdio }) => stdio.mib)),
  };
  console.log(
    JSON.stringify({
      ...figures,
      timeToVersion: figures.stdio / figures.version,
      timeToBase: figures.stdio / figures.base,
      memory: figures.stdioMiB / figures.bareMiB,
    }),
  );
} finally {
  server.kill('SIGTERM');
  await once(server, 'close');
  await rm(folder, { recursive: true, force: true });
}

function untilEnd([command = '', ...first]: string[], args: string[]): number {
  const start = performance.now();
  const { status } = spawnSync(command, [...first, ...args], { env, stdio: 'ignore' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
  return performance.now() - start;
}

interface Answered {
  ms: number;
  mib: number;
}

/** Until the first line of stdout; `relay stdio` is asked for one. */
async function untilAnswer([command = '', ...first]: string[], args: string[]): Promise<Answered> {
  const start = performance.now();
  const child = spawn(command, [...first, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await once(child.stdout, 'data');
  const ms = performance.now() - start;
  const mib = await residentMemory(child);
  child.stdin.on('error', () => {});
  child.kill('SIGKILL');
  await once(child, 'close');
  return { ms, mib };
}

async function residentMemory({ pid }: ChildProcess): Promise<number> {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
