/** Warnings that strangers can cause: enough of them to be noticed, too few to fill a disk or to hide the rest. */
import type { Clock } from '../domain/clock.ts';
import type { Log, LogFields } from '../domain/log.ts';

const WINDOW_MS = 60_000;
const LINES_PER_WINDOW = 5;

/** @returns warns at most five times a minute with the same message; the next one says how many were left out */
export function createQuietLog(log: Log, clock: Clock): (fields: LogFields, message: string) => void {
  const counts = new Map<string, { since: number; told: number; leftOut: number }>();
  return (fields, message) => {
    const now = clock.now();
    const last = counts.get(message);
    const isNew = !last || now - last.since >= WINDOW_MS;
    const count = isNew ? { since: now, told: 0, leftOut: last?.leftOut ?? 0 } : last;
    counts.set(message, count);
    if (count.told >= LINES_PER_WINDOW) {
      count.leftOut += 1;
      return;
    }
    count.told += 1;
    log.warn(count.leftOut > 0 ? { ...fields, leftOut: count.leftOut } : fields, message);
    count.leftOut = 0;
  };
}

/** A header's value for the log: visible ASCII, and not much of it. */
export function shownHeader(value: string | undefined): string | null {
  return value === undefined ? null : value.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
}
