/** The program of a process that runs histories. Its parent gives it one task after the other. */
import { storyOf } from '../story.ts';
import { type AnyPlan, planFor, runPlan, type Subject, shortened } from '../subjects.ts';

export type Task =
  /** Runs seeds and reports each when its history ends. */
  | { do: 'run'; seeds: readonly number[]; only: Subject | undefined }
  /** Returns the lines of one history. */
  | { do: 'tell'; seed: number; only: Subject | undefined }
  /** Finds the shortest history that shows the same finding. */
  | { do: 'shorten'; seed: number; only: Subject | undefined; rule: string };

/** What one seed led to. */
export interface SeedReport {
  seed: number;
  findings: ReadonlyArray<{ rule: string; text: string }>;
  /** Hash of all lines of its history. */
  hash: string;
}

export interface Shortest {
  plan: AnyPlan;
  story: string[];
}

export type Told =
  | ({ is: 'seed' } & SeedReport)
  | { is: 'lines'; lines: string[]; hasFindings: boolean }
  | ({ is: 'shortest' } & Shortest)
  /** The task is over; `cpuMs` is the processor time since the process began. */
  | { is: 'idle'; cpuMs: number };

const tell = (told: Told) => process.send?.(told);

async function perform(task: Task): Promise<void> {
  switch (task.do) {
    case 'run':
      for (const seed of task.seeds) {
        const { findings, hash } = await runPlan(planFor(seed, task.only));
        tell({ is: 'seed', seed, hash, findings: findings.map(({ rule, text }) => ({ rule, text })) });
      }
      break;
    case 'tell': {
      const { lines, findings } = await runPlan(planFor(task.seed, task.only), true);
      tell({ is: 'lines', lines, hasFindings: findings.length > 0 });
      break;
    }
    case 'shorten': {
      const plan = await shortened(planFor(task.seed, task.only), task.rule);
      const { lines } = await runPlan(plan, true);
      tell({ is: 'shortest', plan, story: storyOf(lines) });
    }
  }
  const { user, system } = process.cpuUsage();
  tell({ is: 'idle', cpuMs: (user + system) / 1_000 });
}

process.on('message', (task: Task) => void perform(task));
