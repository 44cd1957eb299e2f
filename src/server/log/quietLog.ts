/**
 * A log that a stranger cannot flood with warnings: each message is written at most a few times a minute. Messages are constants
 * of the program; variable parts are fields.
 */
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';

const MINUTE_MS = 60_000;

/** Maximum number of lines with one message per minute: enough to see what happens, and no flood. */
const LINES_PER_MINUTE = 3;

interface Written {
  /** Start of the minute, in Unix milliseconds. */
  since: number;
  /** Number of lines that were written in that minute. */
  lines: number;
  /** Number of lines that were left out since the last written line. */
  more: number;
}

/**
 * Makes a log that passes everything on except warnings above the limit. The next line with the same message says in `more` how
 * many were left out.
 */
export function createQuietLog(log: Log, clock: Clock): Log {
  const written = new Map<string, Written>();
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    error: (fields, message) => log.error(fields, message),
    warn(fields, message) {
      const last = written.get(message) ?? { since: clock.now(), lines: 0, more: 0 };
      const age = clock.now() - last.since;
      // A clock that was set back begins a new minute too.
      const current = age >= 0 && age < MINUTE_MS ? last : { since: clock.now(), lines: 0, more: last.more };
      written.set(message, current);
      if (current.lines >= LINES_PER_MINUTE) {
        current.more++;
        return;
      }
      log.warn(current.more > 0 ? { ...fields, more: current.more } : fields, message);
      current.lines++;
      current.more = 0;
    },
  };
}

/** A header's value as the log shows it: short, in visible ASCII. */
export function shownHeader(value: string | undefined): string | null {
  return value === undefined ? null : value.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
}
