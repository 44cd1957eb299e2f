/** The exit codes, and the table that gives each error its exit code. */
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

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The errors with an exit code of their own. All others exit with `failed`. */
const EXIT_CODES: Partial<Record<ErrorCode, ExitCode>> = {
  USAGE: EXIT.usage,
  SETTINGS_INVALID: EXIT.usage,
  LOGIN_REQUIRED: EXIT.loginNeeded,
  KEY_MISMATCH: EXIT.loginNeeded,
  KEY_UNAVAILABLE: EXIT.loginNeeded,
  NO_SERVER: EXIT.noServer,
  STATE_TOO_NEW: EXIT.newerProgramNeeded,
  INTERRUPTED: EXIT.interrupted,
};

export function exitCodeOfProblem(code: ErrorCode): ExitCode {
  return EXIT_CODES[code] ?? EXIT.failed;
}

/** Returns the exit code for whatever a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof RelayError ? exitCodeOfProblem(error.code) : EXIT.failed;
}
