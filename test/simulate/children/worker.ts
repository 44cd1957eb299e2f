/** Runs histories in a process of its own, as its parent asks for them, one task after the other. */
import { runHistory } from '../history.ts';
import { type Kind, type Plan, planOf } from '../plan.ts';
import { shrink } from '../shrink.ts';
import { storyOf } from '../story.ts';

export type Task =
  /** Each seed is told as it ends. */
  | { do: 'run'; seeds: readonly number[]; only: Kind | undefined }
  /** One history, line by line. */
  | { do: 'tell'; seed: number; only: Kind | undefined }
  /** The shortest history that shows the same. */
  | { do: 'shorten'; seed: number; only: Kind | undefined; rule: string };

/** What one seed led to. */
export interface SeedReport {
  seed: number;
  findings: ReadonlyArray<{ rule: string; text: string }>;
  /** Of everything that was said in its history. */
  hash: string;
}

export interface Shortest {
  plan: Plan;
  story: string[];
}

export type Told =
  | ({ is: 'seed' } & SeedReport)
  | { is: 'lines'; lines: string[]; hasFindings: boolean }
  | ({ is: 'shortest' } & Shortest)
  /** The task is over. It took so much of the processor since the process began. */
  | { is: 'idle'; cpuMs: number };

const tell = (told: Told) => process.send?.(told);

async function perform(task: Task): Promise<void> {
  switch (task.do) {
    case 'run':
      for (const seed of task.seeds) {
        const { findings, hash } = await runHistory(planOf(seed, task.only));
        tell({ is: 'seed', seed, hash, findings: findings.map(({ rule, text }) => ({ rule, text })) });
      }
      break;
    case 'tell': {
      const { lines, findings } = await runHistory(planOf(task.seed, task.only), true);
      tell({ is: 'lines', lines, hasFindings: findings.length > 0 });
      break;
    }
    case 'shorten': {
      const plan = await shrink(planOf(task.seed, task.only), task.rule);
      const { lines } = await runHistory(plan, true);
      tell({ is: 'shortest', plan, story: storyOf(lines) });
    }
  }
  const { user, system } = process.cpuUsage();
  tell({ is: 'idle', cpuMs: (user + system) / 1_000 });
}

process.on('message', (task: Task) => void perform(task));
