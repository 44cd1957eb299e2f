/** Times in words, in the language of the page and the time zone of the browser. */

const MINUTE_MS = 60_000;
const UNITS: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, ms: number]> = [
  ['day', 1440 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
/** After so many days, a date says more than a number of days. */
const DAYS = 30;

/** A time in words: `3 minutes ago`, `in 2 hours`, or `just now` within the last minute. */
function fromNow(at: Date): string {
  const ms = at.getTime() - Date.now();
  const [unit, length] = UNITS.find(([, long]) => Math.abs(ms) >= long) ?? [];
  if (unit === undefined || length === undefined) return ms > 0 ? 'in less than a minute' : 'just now';
  // What is to come is rounded, as on the terminal, so that it is not promised too early.
  const amount = ms > 0 ? Math.round(ms / length) : Math.trunc(ms / length);
  return unit === 'day' && Math.abs(amount) > DAYS ? `on ${dates.format(at)}` : relative.format(amount, unit);
}

/** Writes all times in an element. */
export function fillTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    const { as } = time.dataset;
    const text = as === 'date' ? dates.format(at) : as === 'time' ? times.format(at) : fromNow(at);
    if (time.textContent !== text) time.textContent = text;
    time.title = times.format(at);
  }
}

/** Rewrites the UTC times in a text. Such texts are also meant for terminals. */
export function withLocalTimes(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (found) => times.format(new Date(found)));
}
