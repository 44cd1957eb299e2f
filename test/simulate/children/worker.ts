/** The program of a process that plays histories. Its parent gives it one task after the other. */
import type { Finding } from '../oracle.ts';
import { runSeed, type SubjectOfRun, shortened } from '../runs.ts';

/** Plays seeds, and tells each when its history ends; or tells one history, perhaps made shorter. */
export type Task =
  | { do: 'run'; seeds: readonly number[]; only: SubjectOfRun | undefined }
  | { do: 'tell'; seed: number; only: SubjectOfRun | undefined; isShort: boolean };

export interface SeedReport {
  seed: number;
  findings: readonly Finding[];
}

export type Told =
  | ({ is: 'seed' } & SeedReport)
  | { is: 'story'; lines: string[] }
  /** The task is over. */
  | { is: 'idle' };

const tell = (told: Told) => process.send?.(told);

async function perform(task: Task): Promise<void> {
  if (task.do === 'run')
    for (const seed of task.seeds) {
      const { findings } = await runSeed(seed, task.only);
      tell({ is: 'seed', seed, findings });
    }
  else tell({ is: 'story', lines: await shortened(task.seed, task.only, task.isShort) });
  tell({ is: 'idle' });
}

process.on('message', (task: Task) => void perform(task));
