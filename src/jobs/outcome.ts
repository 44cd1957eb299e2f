/** What a failure means for a job, and how long to wait before the next attempt. Pure. */
import type { ErrorCode, RelayError } from '../domain/errors.ts';

export type Outcome =
  /** The provider names a time: wait until then; does not count as an attempt. */
  | 'limit'
  /** The owner has to log in: wait for that; does not count as an attempt. */
  | 'login'
  /** The account or the app is refused for now: check again in an hour; does not count as an attempt. */
  | 'account'
  /** The state cannot be saved: the job stops until it can. */
  | 'store'
  /** May work next time: counts as an attempt. */
  | 'retry'
  /** Will not work next time either. */
  | 'give_up';

const OUTCOMES: Readonly<Record<ErrorCode, Outcome>> = {
  RATE_LIMITED: 'limit',
  QUOTA_EXCEEDED: 'limit',

  LOGIN_REQUIRED: 'login',
  SCOPE_MISSING: 'login',
  SETTINGS_INVALID: 'login',
  KEY_UNAVAILABLE: 'login',
  KEY_MISMATCH: 'login',
  LOGIN_FAILED: 'login',

  APP_OWNER_PREMIUM_REQUIRED: 'account',
  USER_NOT_REGISTERED: 'account',

  STORE_ERROR: 'store',
  STATE_DAMAGED: 'store',
  STATE_TOO_NEW: 'store',
  HOME_UNUSABLE: 'store',

  PROVIDER_UNAVAILABLE: 'retry',
  PROVIDER_TIMEOUT: 'retry',
  PROVIDER_INVALID_RESPONSE: 'retry',
  PARTIAL_WRITE: 'retry',
  DEADLINE_EXCEEDED: 'retry',
  CANCELLED: 'retry',
  SHUTTING_DOWN: 'retry',
  INTERRUPTED: 'retry',
  INTERNAL: 'retry',

  INVALID_ARGUMENT: 'give_up',
  NOT_FOUND: 'give_up',
  FORBIDDEN: 'give_up',
  PREMIUM_REQUIRED: 'give_up',
  NO_ACTIVE_DEVICE: 'give_up',
  DEVICE_NOT_FOUND: 'give_up',
  DEVICE_RESTRICTED: 'give_up',
  VOLUME_NOT_SUPPORTED: 'give_up',
  RESTRICTION_VIOLATED: 'give_up',
  UNSUPPORTED_ITEMS: 'give_up',
  RESOLUTION_FAILED: 'give_up',
  CONFLICT: 'give_up',
  ALIAS_MISMATCH: 'give_up',
  SERVICE_FAILED: 'give_up',
  JOB_NOT_FOUND: 'give_up',
  JOB_STATE: 'give_up',
  USAGE: 'give_up',
  PORT_TAKEN: 'give_up',
  ALREADY_RUNNING: 'give_up',
  NO_SERVER: 'give_up',
};

export function outcomeOf(error: RelayError): Outcome {
  return OUTCOMES[error.code];
}

/** The codes that a login ends, or may end. */
export const ENDED_BY_LOGIN: readonly ErrorCode[] = (Object.keys(OUTCOMES) as ErrorCode[]).filter(
  (code) => OUTCOMES[code] === 'login' || OUTCOMES[code] === 'account',
);

const ACCOUNT_WAIT_MS = 60 * 60_000;
/** If the provider asks to wait without saying how long. */
const DEFAULT_WAIT_SECONDS = 60;

/**
 * Until when a job waits after a limit, a missing login or a refused account: Unix milliseconds, or null for "until the
 * owner logs in".
 */
export function waitUntil(
  outcome: 'limit' | 'login' | 'account',
  error: RelayError,
  now: number,
): number | null {
  if (outcome === 'login') return null;
  if (outcome === 'account') return now + ACCOUNT_WAIT_MS;
  return now + (error.retryAfterSeconds ?? DEFAULT_WAIT_SECONDS) * 1000;
}

const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 15 * 60_000;

/**
 * Milliseconds before the next attempt: 2, 6, 18, 54, 162 seconds and so on up to 15 minutes, each up to a quarter shorter
 * or longer, so that jobs that failed together do not retry together.
 * @param attempts failed attempts so far, from 1
 * @param fraction random, in [0, 1)
 */
export function retryDelay(attempts: number, fraction: number): number {
  const base = Math.min(FIRST_DELAY_MS * 3 ** (attempts - 1), MAX_DELAY_MS);
  return Math.round(base * (0.75 + fraction / 2));
}
