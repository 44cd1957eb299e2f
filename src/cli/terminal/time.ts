/** Returns a time to the minute, in UTC: `2026-11-20 14:05Z`. */
export function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')}Z`;
}

/** Returns a time to the minute, in this computer's time zone: `2026-11-01 14:05`. */
export function localMinute(iso: string): string {
  const date = new Date(iso);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Returns a time relative to now: `5 min ago`, `in 2 h`, `just now`. A time more than four weeks away is written as `minute`
 * does.
 * @param now Unix milliseconds
 */
export function relative(iso: string, now: number): string {
  const ms = Date.parse(iso) - now;
  const size = Math.abs(ms);
  if (Number.isNaN(size) || size > 28 * DAY) return minute(iso);
  if (size < 10 * SECOND) return ms < 0 ? 'just now' : 'now';
  const text = lengthOf(size);
  return ms < 0 ? `${text} ago` : `in ${text}`;
}

function lengthOf(ms: number): string {
  if (ms < 90 * SECOND) return `${Math.round(ms / SECOND)} s`;
  if (ms < 90 * MINUTE) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 36 * HOUR) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY)} days`;
}
