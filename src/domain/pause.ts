/** How long work that failed waits before its next try. Pure. */
import type { ErrorCode, RelayError } from './errors.ts';
import { failureClassOf } from './failureClass.ts';

/** How long to wait, and why. */
export interface Pause {
  /** End of the pause, in Unix milliseconds; null if it lasts until the owner logs in. */
  until: number | null;
  reason: ErrorCode;
}

/** What a pause depends on besides the error. */
export interface PauseFacts {
  /** Number of consecutive failures that the caller counts together, including this one. */
  failures: number;
  /** Present time, in Unix milliseconds. */
  now: number;
  /** A random number in [0, 1), so that work that failed at one moment is not tried again at one moment. */
  fraction: number;
}

/** Nothing tells relay when the refusal of an account or an app ends, so it looks once an hour. */
const ACCOUNT_WAIT_MS = 60 * 60_000;
const STORE_WAIT_MS = 10_000;
/** Shortest wait for a rate limit or a quota without `retryAfterSeconds`. */
const UNNAMED_LIMIT_MS = 60_000;
/** The longest wait, whatever the provider says: a week. */
export const MAX_WAIT_MS = 7 * 24 * 60 * 60_000;

/** Returns the pause after a failure. For a rate limit or a quota it lasts exactly `retryAfterSeconds`, if set; at most a week. */
export function pauseAfter(error: RelayError, facts: PauseFacts): Pause {
  const ms = waitOf(error, facts);
  return {
    until: ms === null ? null : facts.now + Math.min(ms, MAX_WAIT_MS),
    reason: error.code,
  };
}

function waitOf(error: RelayError, { failures, fraction }: PauseFacts): number | null {
  const named = error.retryAfterSeconds === undefined ? null : error.retryAfterSeconds * 1000;
  switch (failureClassOf(error)) {
    case 'login':
      return named;
    case 'account':
      return ACCOUNT_WAIT_MS;
    case 'store':
      return STORE_WAIT_MS;
    case 'limit':
      return named ?? Math.max(UNNAMED_LIMIT_MS, growingDelay(failures, fraction));
    case 'connectivity':
    case 'request':
    case 'item':
      return Math.max(named ?? 0, growingDelay(failures, fraction));
  }
}

/** Returns the longest `growingDelay` after this many failures, in milliseconds; 0 after none. */
export function maxDelay(failures: number): number {
  return failures === 0 ? 0 : growingDelay(failures, 1);
}

const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 15 * 60_000;

/**
 * Returns how many milliseconds to wait before the next try: 2, 6, 18, 54, 162 seconds and so on up to 15 minutes, each up to a
 * quarter shorter or longer.
 * @param failures failures so far, from 1
 * @param fraction random, in [0, 1]
 */
export function growingDelay(failures: number, fraction: number): number {
  const base = Math.min(FIRST_DELAY_MS * 3 ** (failures - 1), MAX_DELAY_MS);
  return Math.round(base * (0.75 + fraction / 2));
}
