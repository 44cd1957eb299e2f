/** Exit codes: what each means, and the one table from errors to them. */
import { type ErrorCode, RelayError } from '../domain/errors.ts';

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  loginNeeded: 3,
  noServer: 4,
  newerProgramNeeded: 5,
  interrupted: 130,
} as const;

/** For the manual: no full stop. */
export const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  done: 'Done',
  failed: 'Failed; standard error says what, why and what to do',
  usage: 'Wrong usage or settings',
  loginNeeded: 'A login is needed',
  noServer: 'No server is running, or it cannot be reached',
  newerProgramNeeded: 'The state file needs a newer relay',
  interrupted: 'Interrupted',
};

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Takes the exit code of a command that ended without an error. */
export type Finish = (code: ExitCode) => void;

/** The exit code for each error. */
export const EXIT_CODES: Record<ErrorCode, ExitCode> = {
  USAGE: EXIT.usage,
  SETTINGS_INVALID: EXIT.usage,
  LOGIN_REQUIRED: EXIT.loginNeeded,
  KEY_MISMATCH: EXIT.loginNeeded,
  NO_SERVER: EXIT.noServer,
  STATE_TOO_NEW: EXIT.newerProgramNeeded,
  INTERRUPTED: EXIT.interrupted,

  PORT_TAKEN: EXIT.failed,
  ALREADY_RUNNING: EXIT.failed,
  STATE_DAMAGED: EXIT.failed,
  KEY_UNAVAILABLE: EXIT.loginNeeded,
  HOME_UNUSABLE: EXIT.failed,
  LOGIN_FAILED: EXIT.failed,
  SERVICE_FAILED: EXIT.failed,

  INVALID_ARGUMENT: EXIT.failed,
  NOT_FOUND: EXIT.failed,
  SCOPE_MISSING: EXIT.failed,
  FORBIDDEN: EXIT.failed,
  PREMIUM_REQUIRED: EXIT.failed,
  APP_OWNER_PREMIUM_REQUIRED: EXIT.failed,
  USER_NOT_REGISTERED: EXIT.failed,
  NO_ACTIVE_DEVICE: EXIT.failed,
  DEVICE_NOT_FOUND: EXIT.failed,
  DEVICE_RESTRICTED: EXIT.failed,
  VOLUME_NOT_SUPPORTED: EXIT.failed,
  RESTRICTION_VIOLATED: EXIT.failed,
  RATE_LIMITED: EXIT.failed,
  QUOTA_EXCEEDED: EXIT.failed,
  PROVIDER_UNAVAILABLE: EXIT.failed,
  PROVIDER_TIMEOUT: EXIT.failed,
  PROVIDER_INVALID_RESPONSE: EXIT.failed,
  UNSUPPORTED_ITEMS: EXIT.failed,
  RESOLUTION_FAILED: EXIT.failed,
  PARTIAL_WRITE: EXIT.failed,
  CONFLICT: EXIT.failed,
  ALIAS_MISMATCH: EXIT.failed,
  JOB_NOT_FOUND: EXIT.failed,
  JOB_STATE: EXIT.failed,
  STORE_ERROR: EXIT.failed,
  DEADLINE_EXCEEDED: EXIT.failed,
  CANCELLED: EXIT.failed,
  SHUTTING_DOWN: EXIT.failed,
  INTERNAL: EXIT.failed,
};

/** The exit code for whatever a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof RelayError ? EXIT_CODES[error.code] : EXIT.failed;
}
