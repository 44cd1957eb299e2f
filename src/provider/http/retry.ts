/** When to retry. Pure: no clock, no network, no randomness of its own. */

/** Maximum number of further attempts at a request, and of blocks in a row that a request waits out. */
export const MAX_RETRIES = 2;
/** Longest `Retry-After` that a read waits out, and longest block before any request. Longer ones are reported to the caller. */
export const PATIENCE_SECONDS = 5;
/** Longest block. The limit guards against a nonsense `Retry-After`, such as a year. */
export const MAX_BLOCK_SECONDS = 7 * 24 * 3600;
/**
 * Longest wait after a 429 that names no time, unless a quota is used up. Spotify's rolling window of 30 seconds has passed
 * by then, and relay soon notices the end of a longer limit.
 */
const MAX_GUESS_SECONDS = 300;

export type Outcome =
  | { kind: 'status'; status: number }
  | { kind: 'rate_limited'; waitSeconds: number; quota: boolean }
  | { kind: 'network'; certainlyUnsent: boolean }
  | { kind: 'timeout' }
  /** The answer is too large to be read. */
  | { kind: 'unreadable' };

/**
 * Milliseconds to wait before the next attempt, or null to stop.
 * @param attempt attempts made so far, from 1
 * @param fraction random number in [0, 1) for the jitter; the wait after a 429 gets no jitter
 */
export function retryDelay(
  method: string,
  attempt: number,
  outcome: Outcome,
  fraction: number,
): number | null {
  if (attempt > MAX_RETRIES) return null;
  const isRead = method === 'GET';
  switch (outcome.kind) {
    case 'rate_limited':
      return isRead && !outcome.quota && outcome.waitSeconds <= PATIENCE_SECONDS
        ? outcome.waitSeconds * 1000
        : null;
    case 'status':
      return isRead && [502, 503, 504].includes(outcome.status) ? backoff(attempt, fraction) : null;
    case 'network':
      return isRead || outcome.certainlyUnsent ? backoff(attempt, fraction) : null;
    case 'timeout':
      return isRead ? backoff(attempt, fraction) : null;
    case 'unreadable':
      return null;
  }
}

function backoff(attempt: number, fraction: number): number {
  const base = 250 * 2 ** (attempt - 1);
  return Math.round(base / 2 + base * fraction);
}

/**
 * The seconds that `Retry-After` names, a week at most; null if it names no whole number above 0 and no later date. A date counts
 * from the answer's own `Date`, since the computer's clock may be wrong.
 */
export function secondsOf(headers: Headers): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  const untilDate = () => Math.ceil((Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1000);
  const seconds = /^\d+$/.test(text) ? Number(text) : text.endsWith('GMT') ? untilDate() : 0;
  return seconds > 0 ? Math.min(seconds, MAX_BLOCK_SECONDS) : null;
}

/** Number of refusals in a row after which the time that Spotify names is no longer believed to be long enough. */
const BELIEVED = 3;

/**
 * Seconds to wait after a 429: those that it names. Without them, an hour for a quota; otherwise a second, which each further 429
 * doubles, up to five minutes. From the fourth refusal in a row on, a named time is only the least: the wait grows in the same way.
 * @param told seconds that the answer names; null if it names none
 * @param failures 429s in a row in this scope, from 1
 * @param quota true if the answer says that a quota is used up
 */
export function rateLimitSeconds(told: number | null, failures: number, quota: boolean): number {
  const growing = (steps: number) => Math.min(2 ** steps, MAX_GUESS_SECONDS);
  if (told !== null) return failures > BELIEVED ? Math.max(told, growing(failures - BELIEVED)) : told;
  // A quota without a time: an hour is long enough to spare the provider, and short enough to notice the reset the same day.
  if (quota) return 3600;
  return growing(failures - 1);
}
