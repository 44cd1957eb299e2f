/** Times and lengths of time, in the one form in which the command line shows them. With `--json` times are ISO 8601. Pure. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Up to this distance a time is told as how far away it is. */
const RECENT = 7 * DAY;

/** Returns a time to the minute, in this computer's time zone: `2026-11-01 14:05`. */
function localMinute(ms: number): string {
  const date = new Date(ms);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/**
 * Returns a time as a person tells it: `just now`, `5 min ago`, `in 2 h 10 min`, or `2026-11-01 14:05` if it is more than a week
 * away.
 * @param now Unix milliseconds
 */
export function timeText(iso: string, now: number): string {
  const ms = Date.parse(iso) - now;
  if (Number.isNaN(ms)) return iso;
  if (Math.abs(ms) > RECENT) return localMinute(now + ms);
  if (Math.abs(ms) < 10 * SECOND) return ms < 0 ? 'just now' : 'now';
  return ms < 0 ? `${durationText(-ms)} ago` : `in ${durationText(ms)}`;
}

export function dayText(iso: string): string {
  return localMinute(Date.parse(iso)).slice(0, 10);
}

/** Returns a length of time: `40 s`, `12 min`, `8 h 52 min`, `3 days`. @internal */
export function durationText(ms: number): string {
  if (ms < 90 * SECOND) return `${Math.ceil(ms / SECOND)} s`;
  const minutes = Math.round(ms / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  if (ms >= 2 * DAY) return `${Math.round(ms / DAY)} days`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`;
}

const ISO = /(?:\b(at|until|since) )?\b(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)/g;

/** The text with every ISO time in it as people say it. */
export function withTimes(text: string, now: number): string {
  return text.replace(ISO, (_whole, word: string | undefined, iso: string) => {
    const ms = Date.parse(iso);
    // "until in 5 min" would be no English.
    const isFar = Math.abs(ms - now) > DAY;
    if (word === undefined) return timeText(iso, now);
    return `${word} ${isFar ? localMinute(ms) : localMinute(ms).slice(11)}`;
  });
}
