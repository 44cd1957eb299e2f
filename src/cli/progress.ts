/** One line on stderr that follows a tool's progress; nothing where stderr is no terminal. */
import type { Io } from './output.ts';

export interface ProgressReport {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** Back to the start of the line, and clear it. */
const START_OF_LINE = '\r\u001b[K';

export function createProgress(io: Io): { draw(report: ProgressReport): void; clear(): void } {
  let drawn = false;
  return {
    draw: (report) => {
      if (!io.terminal.stderr) return;
      drawn = true;
      io.err(`${START_OF_LINE}${progressText(report).slice(0, io.columns - 1)}`);
    },
    clear: () => {
      if (drawn) io.err(START_OF_LINE);
    },
  };
}

/** `12 of 50: Searching`, as far as it is known. */
export function progressText({ progress, total, message }: ProgressReport): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined || message === '' ? count : `${count}: ${message}`;
}
