/** Times and numbers in words. Pure, except for the browser's clock and time zone. */

const MINUTE_MS = 60_000;

const UNITS: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, ms: number]> = [
  ['day', 1440 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const numbers = new Intl.NumberFormat('en');

/** A time in words: `3 minutes ago`, `in 2 hours`, or `just now` within the last minute. */
export function fromNow(iso: string): string {
  const ms = Date.parse(iso) - Date.now();
  const [unit, length] = UNITS.find(([, long]) => Math.abs(ms) >= long) ?? [];
  if (unit === undefined || length === undefined) return ms > 0 ? 'in less than a minute' : 'just now';
  // What is to come is rounded, as on the terminal, so that it is not promised too early.
  const amount = ms / length;
  return relative.format(ms > 0 ? Math.round(amount) : Math.trunc(amount), unit);
}

export function dateOf(iso: string): string {
  return dates.format(new Date(iso));
}

export function timeOf(iso: string): string {
  return times.format(new Date(iso));
}

/** Rewrites the UTC times in a text for the person's time zone. Such texts are also meant for terminals. */
export function withLocalTimes(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, timeOf);
}

export function count(value: number, one: string, many = `${one}s`): string {
  return `${numbers.format(value)} ${value === 1 ? one : many}`;
}

export function number(value: number): string {
  return numbers.format(value);
}

/** A duration as minutes and seconds: `3:07`. */
export function minutes(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Cuts long names. */
export function short(text: string, max = 120): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

const REASONS: Readonly<Record<string, string>> = {
  RATE_LIMITED: 'Spotify asks relay to wait',
  QUOTA_EXCEEDED: 'the day’s quota is used up',
  LOGIN_REQUIRED: 'its account is not connected',
  PROVIDER_UNAVAILABLE: 'Spotify does not answer',
  PROVIDER_TIMEOUT: 'Spotify does not answer',
  STORE_ERROR: 'the state cannot be saved',
  SCOPE_MISSING: 'a permission is missing',
  FORBIDDEN: 'Spotify refuses it',
  NOT_FOUND: 'Spotify cannot find it',
  PREMIUM_REQUIRED: 'the account needs Premium',
  APP_OWNER_PREMIUM_REQUIRED: 'the owner of the Spotify app needs Premium',
  USER_NOT_REGISTERED: 'the account is not on the user list of the Spotify app',
  PROVIDER_INVALID_RESPONSE: 'Spotify’s answer cannot be read',
};

/** Why something waits, from the code of an error. */
export function wordsOfReason(code: string): string {
  return REASONS[code] ?? code;
}
