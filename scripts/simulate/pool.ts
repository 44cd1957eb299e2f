/** A few processes that run histories, each taking the next task when it is done with one. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { SeedReport, Shortest, Task, Told } from '../../test/simulate/children/worker.ts';
import type { Subject } from '../../test/simulate/subjects.ts';
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
/** Longer than any history takes on a slow machine, in milliseconds of real time. */
const STALL_MS = 60_000;
/** Start of the rule of findings in histories that do not end. To make such a history shorter would take too long. */
export const ENDLESS = 'the history does not end';

export interface Pool {
  /**
   * Runs seeds in any order and reports each when it ends.
   * @param isEnough called before each task; returns true to start no more tasks
   */
  run(
    seeds: readonly number[],
    only: Subject | undefined,
    hear: (report: SeedReport) => void,
    isEnough?: () => boolean,
  ): Promise<void>;
  tell(seed: number, only: Subject | undefined): Promise<{ lines: string[]; hasFindings: boolean }>;
  shorten(seed: number, only: Subject | undefined, rule: string): Promise<Shortest>;
  /** Processor time of finished tasks, in milliseconds. */
  cpuMs(): number;
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
  const spent = new Map<ChildProcess, number>();
  const idle: ChildProcess[] = [];

  function started(): ChildProcess {
    const worker = fork(file, { execArgv: flags });
    workers.add(worker);
    worker.on('exit', () => workers.delete(worker));
    return worker;
  }

  /** Resolves when the task is over, with false if its process hung and was ended. */
  function perform(task: Task, hear: (told: Told) => void): Promise<boolean> {
    const worker = idle.pop() ?? started();
    return new Promise((resolve, reject) => {
      let watch: NodeJS.Timeout;
      const end = (outcome: () => void) => {
        clearTimeout(watch);
        worker.removeAllListeners('message');
        worker.off('exit', died);
        outcome();
      };
      const died = (code: number | null) =>
        end(() => reject(new Error(`The process ended with ${code} during ${JSON.stringify(task)}.`)));
      const expect = () => {
        clearTimeout(watch);
        if (task.do !== 'run') return;
        watch = setTimeout(() => {
          end(() => resolve(false));
          worker.kill('SIGKILL');
        }, STALL_MS);
      };
      worker.on('exit', died);
      worker.on('message', (told: Told) => {
        expect();
        if (told.is !== 'idle') return hear(told);
        spent.set(worker, told.cpuMs);
        end(() => resolve(true));
        idle.push(worker);
      });
      expect();
      worker.send(task);
    });
  }

  async function one<Is extends Told['is']>(task: Task, is: Is): Promise<Extract<Told, { is: Is }>> {
    let heard: Told | null = null;
    await perform(task, (told) => {
      heard = told;
    });
    if ((heard as Told | null)?.is !== is) throw new Error(`There was no answer to ${JSON.stringify(task)}.`);
    return heard as unknown as Extract<Told, { is: Is }>;
  }

  return {
    async run(seeds, only, hear, isEnough = () => false) {
      let next = 0;
      const lane = async () => {
        while (next < seeds.length && !isEnough()) {
          let left = seeds.slice(next, next + CHUNK);
          let tried: number | null = null;
          next += CHUNK;
          while (left.length > 0) {
            const told = new Set<number>();
            const isOver = await perform({ do: 'run', seeds: left, only }, (report) => {
              if (report.is !== 'seed') return;
              told.add(report.seed);
              hear(report);
            });
            left = left.filter((seed) => !told.has(seed));
            const [stuck] = left;
            if (isOver || stuck === undefined) break;
            // Perhaps the whole machine stood still, so the history gets a second try.
            if (stuck !== tried) {
              tried = stuck;
              continue;
            }
            hear({
              seed: stuck,
              hash: '',
              findings: [{ rule: `${ENDLESS}: it stands still`, text: `after ${STALL_MS} ms` }],
            });
            left = left.slice(1);
          }
        }
      };
      await Promise.all(Array.from({ length: width }, lane));
    },
    tell: (seed, only) => one({ do: 'tell', seed, only }, 'lines'),
    shorten: (seed, only, rule) => one({ do: 'shorten', seed, only, rule }, 'shortest'),
    cpuMs: () => [...spent.values()].reduce((sum, ms) => sum + ms, 0),
    close() {
      for (const worker of workers) worker.kill();
      rmSync(file, { force: true });
    },
  };
}
