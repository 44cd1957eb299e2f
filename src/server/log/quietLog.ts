/**
 * A log that a stranger cannot flood with warnings: each message is written at most a few times a minute. Messages are constants
 * of the program; variable parts are fields.
 */
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { createWindow } from '../../base/rateWindow.ts';

/** Maximum number of lines with one message per minute: enough to see what happens, and no flood. */
const LINES_PER_MINUTE = 3;

/** The next line with the same message says in `more` how many were left out. */
export function createQuietLog(log: Log, clock: Clock): Log {
  const window = createWindow(LINES_PER_MINUTE, clock);
  const leftOut = new Map<string, number>();
  return {
    ...log,
    warn(fields, message) {
      const more = leftOut.get(message) ?? 0;
      if (window.waitSeconds(message) > 0) return void leftOut.set(message, more + 1);
      window.count(message);
      leftOut.delete(message);
      log.warn(more > 0 ? { ...fields, more } : fields, message);
    },
  };
}

/** A header's value as the log shows it: short, in visible ASCII. */
export function shownHeader(value: string | undefined): string | null {
  return value === undefined ? null : value.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
}
