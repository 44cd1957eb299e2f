/**
 * `figures.ts EXECUTABLE BASE`: prints figures of an executable as JSON, as ratios to its bare base program. The two programs
 * run alternately, since on a noisy machine only runs within the same second can be compared.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROUNDS = 15;

export interface Figures {
  /** Median time until `--version` has ended, divided by the time of an empty script. */
  version: number;
  /** Median time until the ready line of `serve` with an existing home, divided by the time of an empty script. */
  ready: number;
  /** Resident memory at the ready line, divided by the memory of a script that waits. Null if the system does not report it. */
  memory: number | null;
  /** The same as absolute values on this machine: milliseconds and MiB. */
  absolute: {
    base: number;
    version: number;
    ready: number;
    baseMemory: number | null;
    memory: number | null;
  };
}

/** @param base the bare program, as it went into the executable */
async function measure(executable: string, base: string): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'relay-figures-'));
  try {
    const empty = join(folder, 'empty.cjs');
    const waiting = join(folder, 'waiting.cjs');
    // A copy, since the way a file was written decides how much of it counts as resident.
    const bare = join(folder, 'base');
    await copyFile(base, bare);
    await writeFile(empty, '');
    await writeFile(waiting, "process.stdout.write('ready\\n'); setInterval(() => {}, 1000);");
    const env = { ...process.env, RELAY_HOME: join(folder, 'home'), RELAY_KEYCHAIN: 'file' };
    const serve = () => untilReady(executable, ['serve', '--json', '--port', '0'], env);
    await serve();
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({
        base: untilEnd(bare, [empty], env),
        version: untilEnd(executable, ['--version'], env),
        waiting: await untilReady(bare, [waiting], env),
        ready: await serve(),
      });
    }
    const time = {
      base: median(rounds.map(({ base }) => base)),
      version: median(rounds.map(({ version }) => version)),
      ready: median(rounds.map(({ ready }) => ready.ms)),
    };
    const baseMemory = medianOrNull(rounds.map(({ waiting }) => waiting.mib));
    const memory = medianOrNull(rounds.map(({ ready }) => ready.mib));
    return {
      version: time.version / time.base,
      ready: time.ready / time.base,
      memory: memory === null || baseMemory === null ? null : memory / baseMemory,
      absolute: { ...time, baseMemory, memory },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function untilEnd(command: string, args: string[], env: NodeJS.ProcessEnv): number {
  const start = performance.now();
  const { status, error } = spawnSync(command, args, { env, stdio: 'ignore' });
  if (error || status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
  return performance.now() - start;
}

async function untilReady(command: string, args: string[], env: NodeJS.ProcessEnv) {
  const start = performance.now();
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const started = await Promise.race([once(child.stdout, 'data'), ended.then(() => null)]);
  if (started === null) throw new Error(`${command} ${args.join(' ')} ended before it was ready`);
  const ms = performance.now() - start;
  const mib = await residentMemory(child);
  child.kill('SIGTERM');
  await ended;
  return { ms, mib };
}

async function residentMemory({ pid }: ChildProcess): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return kib === undefined ? null : Number(kib) / 1024;
}

function medianOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const [executable = '', base = ''] = process.argv.slice(2);
console.log(JSON.stringify(await measure(executable, base)));
