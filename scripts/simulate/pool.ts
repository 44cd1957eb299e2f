/** A few processes that play histories, each taking the next task when it is done with one. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { SeedReport, Task, Told } from '../../test/simulate/children/worker.ts';
import type { SubjectOfRun } from '../../test/simulate/runs.ts';
import { bundleSimulator, type Engine } from './bundle.ts';

const FLAGS = [
  // Small enough for the processor's cache. With 64 MB, which a whole history fills, histories take a quarter longer.
  '--max-semi-space-size=8',
  // There is a process for each core already.
  '--single-threaded-gc',
  // Histories create many errors, and nobody reads their stacks.
  '--stack-trace-limit=0',
  // Optimize only code that runs four times as often as V8 asks for. Otherwise its compiler takes a quarter of the processor
  // time of the first 150 histories. Node 24 does not have this flag, and does not need it.
  '--interrupt-budget=500000',
];
/** Number of seeds in one task. */
const CHUNK = 20;
/** Longer than any task takes on a slow machine, in milliseconds of real time. */
const STALL_MS = 120_000;

export interface Pool {
  /** Plays seeds in any order and reports each when it ends. @param isEnough called before each task */
  run(
    seeds: readonly number[],
    only: SubjectOfRun | undefined,
    hear: (report: SeedReport) => void,
    isEnough?: () => boolean,
  ): Promise<void>;
  /** The lines of one history. @param isShort true to make it as short as it gets */
  tell(seed: number, only: SubjectOfRun | undefined, isShort: boolean): Promise<string[]>;
  close(): void;
}

/** Leaves out flags that this version of Node does not have, since it would not start with them. */
function knownFlags(): string[] {
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  return FLAGS.filter((flag) => options.includes(`  ${flag.split('=')[0]} (`));
}

export async function createPool(engine: Engine, width: number): Promise<Pool> {
  const file = await bundleSimulator(engine);
  const flags = knownFlags();
  const workers = new Set<ChildProcess>();
  const idle: ChildProcess[] = [];

  function started(): ChildProcess {
    const worker = fork(file, { execArgv: flags });
    workers.add(worker);
    worker.on('exit', () => workers.delete(worker));
    return worker;
  }

  function perform(task: Task, hear: (told: Told) => void): Promise<void> {
    const worker = idle.pop() ?? started();
    return new Promise((resolve, reject) => {
      const fails = () => reject(new Error(`The process ended or stands still: ${JSON.stringify(task)}.`));
      const watch = setTimeout(() => worker.kill('SIGKILL'), STALL_MS);
      worker.once('exit', fails);
      worker.on('message', (told: Told) => {
        watch.refresh();
        if (told.is !== 'idle') return hear(told);
        clearTimeout(watch);
        worker.removeAllListeners('message');
        worker.off('exit', fails);
        idle.push(worker);
        resolve();
      });
      worker.send(task);
    });
  }

  return {
    async run(seeds, only, hear, isEnough = () => false) {
      let next = 0;
      const lane = async () => {
        while (next < seeds.length && !isEnough()) {
          const part = seeds.slice(next, next + CHUNK);
          next += CHUNK;
          await perform({ do: 'run', seeds: part, only }, (told) => {
            if (told.is === 'seed') hear(told);
          });
        }
      };
      await Promise.all(Array.from({ length: width }, lane));
    },
    async tell(seed, only, isShort) {
      const lines: string[] = [];
      await perform({ do: 'tell', seed, only, isShort }, (told) => {
        if (told.is === 'story') lines.push(...told.lines);
      });
      return lines;
    },
    close() {
      for (const worker of workers) worker.kill();
      rmSync(file, { force: true });
    },
  };
}
