/**
 * Every error that a person, a model or another program can see, as values. Nothing here knows how an error is shown. The
 * mappings to MCP, HTTP, exit codes and jobs are exhaustive tables at those boundaries. So a code added here does not compile
 * until each table has it.
 */
import { isObject } from '../base/parsing.ts';
import { type Remedy, readRemedy, remedyText } from './remedy.ts';

export { isDiskFull, messageOf, nullIfMissing, systemCodeOf } from '../base/thrown.ts';

/** Codes that a tool call can answer, with what each one says. Clients branch on them: never rename one. @internal */
export const TOOL_ERROR_CODES = {
  INVALID_ARGUMENT: 'An argument is missing, unknown or not usable.',
  NOT_FOUND: 'Spotify cannot find this item.',
  LOGIN_REQUIRED: 'No Spotify account is connected, or its login has ended.',
  SCOPE_MISSING: 'The login was made without a permission that this needs.',
  FORBIDDEN: 'Spotify refuses this for this account.',
  PREMIUM_REQUIRED: 'The connected account needs Premium for this.',
  APP_OWNER_PREMIUM_REQUIRED: 'The owner of the Spotify app needs Premium.',
  USER_NOT_REGISTERED: 'The account is not on the user list of the Spotify app.',
  NO_ACTIVE_DEVICE: 'No Spotify device is active.',
  DEVICE_NOT_FOUND: 'Spotify cannot find the device.',
  DEVICE_RESTRICTED: 'The device does not accept commands.',
  VOLUME_NOT_SUPPORTED: 'The volume of this device cannot be set remotely.',
  RESTRICTION_VIOLATED: 'The player refuses the command in its current state.',
  RATE_LIMITED: 'Spotify asks relay to wait before the next request of this kind.',
  QUOTA_EXCEEDED: "The Spotify app's quota for this kind of request is used up.",
  PROVIDER_UNAVAILABLE: 'Spotify cannot be reached or answers with a server error.',
  PROVIDER_TIMEOUT: 'Spotify did not answer in time.',
  PROVIDER_INVALID_RESPONSE: "Spotify's answer is not valid.",
  UNSUPPORTED_ITEMS: 'The playlist has rows or details that could not be restored.',
  RESOLUTION_FAILED: 'Some entries could not be found.',
  PARTIAL_WRITE: 'A write stopped part-way.',
  CONFLICT: 'Something else changed meanwhile.',
  ALIAS_MISMATCH: 'The track is not the one described.',
  JOB_NOT_FOUND: 'There is no such job.',
  JOB_STATE: 'The job is in a state that does not allow this.',
  STORE_ERROR: 'The state cannot be saved.',
  DEADLINE_EXCEEDED: 'The call took longer than a tool call may.',
  CANCELLED: 'The call was cancelled.',
  SHUTTING_DOWN: 'The server is stopping.',
  INTERNAL: 'A bug in relay.',
} as const;

/** Codes of the program itself (start, settings, state, command line); no tool answers them. @internal */
export const PROGRAM_ERROR_CODES = {
  USAGE: 'The command line is wrong.',
  SETTINGS_INVALID: 'A setting is unusable.',
  PORT_TAKEN: 'Another program is using the port.',
  ALREADY_RUNNING: 'A server is running for this home.',
  NO_SERVER: 'No server is running, or it cannot be reached.',
  STATE_DAMAGED: 'The state file is damaged or belongs to another program.',
  STATE_TOO_NEW: 'The state file needs a newer program.',
  KEY_UNAVAILABLE: 'The master key cannot be read.',
  KEY_MISMATCH: 'The master key is not the one that encrypted the state.',
  HOME_UNUSABLE: 'The home directory cannot be used.',
  LOGIN_FAILED: 'Connecting the account failed.',
  SERVICE_FAILED: 'The system does not start the server at login.',
  INTERRUPTED: 'The person stopped the command.',
} as const;

export type ToolErrorCode = keyof typeof TOOL_ERROR_CODES;
export type ProgramErrorCode = keyof typeof PROGRAM_ERROR_CODES;
export type ErrorCode = ToolErrorCode | ProgramErrorCode;

export interface RelayErrorOptions {
  /** What the reader does next, as a sentence without "please". A remedy that names a relay command is a `Remedy`. */
  remedy?: string | Remedy;
  /** Seconds until trying again makes sense, if the provider or a limit says so. */
  retryAfterSeconds?: number;
  /** Facts that a program can use, JSON values only, never a secret. */
  details?: Record<string, unknown>;
  cause?: unknown;
}

/**
 * An error with a code, words for a person and a remedy. Everything thrown on purpose is a `RelayError`. Anything else that
 * arrives at a boundary is a bug and becomes `INTERNAL` there, with its cause in the log only.
 */
export class RelayError extends Error {
  readonly code: ErrorCode;
  /** The remedy as plain text. */
  readonly remedy: string | undefined;
  /** The remedy for a surface that writes commands in its own way. */
  readonly remedyValue: Remedy | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, options: RelayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RelayError';
    this.code = code;
    this.remedyValue = typeof options.remedy === 'string' ? { text: options.remedy } : options.remedy;
    this.remedy = this.remedyValue && remedyText(this.remedyValue);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details;
  }

  /** Returns a copy of this error with some changes. The copy has this error as its cause. */
  with(changes: RelayErrorOptions & { code?: ErrorCode; message?: string }): RelayError {
    const { code = this.code, message = this.message, ...options } = changes;
    return new RelayError(code, message, {
      ...(this.remedyValue && { remedy: this.remedyValue }),
      ...(this.retryAfterSeconds !== undefined && { retryAfterSeconds: this.retryAfterSeconds }),
      ...(this.details && { details: this.details }),
      cause: this,
      ...options,
    });
  }
}

/** True for a code that `tools/call` may answer. */
export function isToolErrorCode(code: ErrorCode): code is ToolErrorCode {
  return code in TOOL_ERROR_CODES;
}

/** True for a code of this program; a server of another version may send others. */
export function isErrorCode(code: unknown): code is ErrorCode {
  if (typeof code !== 'string') return false;
  return Object.hasOwn(TOOL_ERROR_CODES, code) || Object.hasOwn(PROGRAM_ERROR_CODES, code);
}

/** Returns a `RelayError` as it is. Any other thrown value is a bug: it becomes `INTERNAL`, with the value as its cause. */
export function asRelayError(error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  return new RelayError('INTERNAL', 'relay hit an internal error.', {
    remedy: "Try again. If it happens again, look in the server's log for this time and report it.",
    cause: error,
  });
}

/** Makes the error that another process of relay has told as JSON. @param told the members of its `error` */
export function toldError(told: object): RelayError {
  const { code, message, fix, remedy, details } = told as Record<string, unknown>;
  const how = readRemedy(fix) ?? readRemedy(remedy);
  return new RelayError(isErrorCode(code) ? code : 'INTERNAL', String(message), {
    ...(how ? { remedy: how } : {}),
    ...(isObject(details) ? { details } : {}),
  });
}

/** Makes the error for work that exceeded its time limit. @param what the subject of the sentence: `Undoing` */
export function tookTooLong(what: string, ms: number, remedy: string | Remedy): RelayError {
  return new RelayError('DEADLINE_EXCEEDED', `${what} took longer than ${ms / 1_000} seconds.`, { remedy });
}

/** Makes the error for a call that needs an account while none is connected. */
export function notConnected(): RelayError {
  return new RelayError('LOGIN_REQUIRED', 'No Spotify account is connected.', {
    remedy: { text: 'Run {command} in a terminal.', command: ['login'] },
  });
}

/** Makes the error for a call that needs an account while none is connected, or after its login has ended. */
export function loginRequired(): RelayError {
  return new RelayError('LOGIN_REQUIRED', 'No Spotify account is connected, or its login has ended.', {
    remedy: { text: 'Connect it with {command}.', command: ['login'] },
  });
}

/**
 * Makes the error for work that was started for an account other than the connected one.
 * @param subject of the sentence: `This job`
 * @param next completes the remedy, after the command that connects that account
 * @param waits true if the work continues by itself once that account is connected
 */
export function otherAccount(
  subject: string,
  { next = ', then try again.', waits = false }: { next?: string; waits?: boolean } = {},
): RelayError {
  return new RelayError(
    waits ? 'LOGIN_REQUIRED' : 'FORBIDDEN',
    `${subject} belongs to a different Spotify account from the connected one.`,
    {
      remedy: {
        text: `Connect that account with {command}${next}`,
        command: ['login', '--switch-account'],
      },
      details: { reason: 'other_account' },
    },
  );
}

/** A message that names a playlist by its ID, with the name instead. @param name undefined if it is not known */
export function withPlaylistName(message: string, id: string | null, name: string | undefined): string {
  return name === undefined ? message : message.replace(`the playlist ${id}`, () => `"${name}"`);
}
