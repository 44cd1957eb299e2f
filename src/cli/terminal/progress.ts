/** One line on stderr that shows a tool's progress; nothing if stderr is not a terminal. */
import type { Io } from './output.ts';

export interface ProgressReport {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export function createProgress(io: Io): { draw(report: ProgressReport): void; clear(): void } {
  let drawn = false;
  return {
    draw: (report) => {
      if (!io.terminal.stderr) return;
      drawn = true;
      io.redraw(progressText(report));
    },
    clear: () => {
      if (drawn) io.redraw('');
    },
  };
}

/** Returns a text such as `12 of 50: Searching`, without the parts that are not known. @internal */
export function progressText({ progress, total, message }: ProgressReport): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined || message === '' ? count : `${count}: ${message}`;
}
