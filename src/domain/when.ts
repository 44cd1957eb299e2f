/** Reads a moment in the past as a person writes it: as a version's number, a date, a time, or words. Pure. */

/** A moment that a person named. */
export type When =
  /** The version's number, from 1. */
  | { kind: 'version'; version: number }
  /** Unix milliseconds. */
  | { kind: 'time'; at: number };

const UNITS_MS: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};

/**
 * Reads what a person wrote. A date means the end of that day. A time without a date means when the clock
 * last showed it. A text that names no time zone is in this computer's zone.
 * @param now Unix milliseconds
 * @returns null if the text cannot be read
 */
export function parseWhen(text: string, now: number): When | null {
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const version = /^(?:v|version )?(\d{1,9})$/.exec(words)?.[1];
  if (version !== undefined)
    return Number(version) > 0 ? { kind: 'version', version: Number(version) } : null;
  const at = momentOf(words, now);
  return at === null || Number.isNaN(at) ? null : { kind: 'time', at };
}

function momentOf(words: string, now: number): number | null {
  if (words === 'now') return now;
  if (words === 'today') return endOfDay(new Date(now), 0);
  if (words === 'yesterday') return endOfDay(new Date(now), -1);
  const date = /^(\d{4})-(\d{2})-(\d{2})$/.exec(words);
  if (date) return endOfDate(Number(date[1]), Number(date[2]), Number(date[3]));
  if (
    /^\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?(?:z|utc|gmt)| ?[+-]\d{2}(?::?\d{2})?)?$/.test(
      words,
    )
  ) {
    return timeOf(words, now);
  }
  if (/^\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?$/.test(words)) return lastTime(words, now);
  return agoOf(words, now);
}

/** Returns the end of a day in Unix milliseconds; NaN for a day that does not exist. */
function endOfDate(year: number, month: number, day: number): number {
  const date = new Date(year, month - 1, day);
  const isReal = date.getMonth() === month - 1 && date.getDate() === day;
  return isReal ? endOfDay(date, 0) : Number.NaN;
}

/** Returns the end of the day that is `days` after `date`, in Unix milliseconds. */
function endOfDay(date: Date, days: number): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days + 1).getTime() - 1;
}

/** Reads a date with a time, in Unix milliseconds; NaN for one that does not exist. */
function timeOf(words: string, now: number): number {
  const [year, month, day] = words.slice(0, 10).split('-').map(Number) as [number, number, number];
  if (Number.isNaN(endOfDate(year, month, day))) return Number.NaN;
  const rest = words
    .slice(11)
    .replace(' ', '')
    .replace(/utc|gmt/, 'z')
    .toUpperCase();
  // A time without seconds means the whole minute.
  const isMinute = /^\d{2}:\d{2}(?!:)/.test(rest);
  const zoned = rest.replace(/([+-]\d{2}):?(\d{2})?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
  const parsed = Date.parse(`${words.slice(0, 10)}T${zoned}`);
  const time = /Z|[+-]/.test(rest) ? parsed : lastOfTwo(parsed, now);
  return isMinute ? time + 59_999 : time;
}

/** When summer time ends, the clock shows an hour twice. Returns the second of the two times, unless it is still to come. */
function lastOfTwo(time: number, now: number): number {
  const first = new Date(time);
  const setBack = new Date(time + 6 * 3_600_000).getTimezoneOffset() - first.getTimezoneOffset();
  const second = new Date(time + setBack * 60_000);
  const minuteOf = (date: Date) => date.getHours() * 60 + date.getMinutes();
  const isTwice = setBack > 0 && minuteOf(second) === minuteOf(first);
  return isTwice && second.getTime() <= now ? second.getTime() : time;
}

/** Returns when the clock last showed the time in `words`, in Unix milliseconds. */
function lastTime(words: string, now: number): number {
  /** The start of a text for `timeOf`: the day that is `days` after today. */
  const day = (days: number) => {
    const date = new Date(now);
    date.setDate(date.getDate() + days);
    const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
    return `${parts.map((part) => String(part).padStart(2, '0')).join('-')}t`;
  };
  const hasBegun = Date.parse(`${day(0)}${words}`.toUpperCase()) <= now;
  return timeOf(`${day(hasBegun ? 0 : -1)}${words}`, now);
}

/** Reads words such as `3 days ago`, `an hour ago` and `last week`. */
function agoOf(words: string, now: number): number | null {
  const found =
    /^(?:(\d{1,5}|an?|one|two|three) )(second|minute|hour|day|week|month|year)s? ago$/.exec(words) ??
    /^(last) (day|week|month|year)$/.exec(words);
  if (!found) return null;
  const [, amount = '', unit = ''] = found;
  const few: Readonly<Record<string, number>> = { a: 1, an: 1, one: 1, two: 2, three: 3, last: 1 };
  const count = few[amount] ?? Number(amount);
  const length = UNITS_MS[unit];
  if (length !== undefined) return now - count * length;
  const date = new Date(now);
  const first = new Date(now);
  first.setMonth(date.getMonth() - count * (unit === 'year' ? 12 : 1), 1);
  const lastDay = new Date(first.getFullYear(), first.getMonth() + 1, 0).getDate();
  first.setDate(Math.min(date.getDate(), lastDay));
  return first.getTime();
}
