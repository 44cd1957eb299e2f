/** The one mapping from an error to what a failed `tools/call` answers. */
import {
  type ErrorCode,
  isToolErrorCode,
  type ProgramErrorCode,
  RelayError,
  type ToolErrorCode,
} from '../domain/errors.ts';

export interface ToolError {
  code: ToolErrorCode;
  message: string;
  remedy?: string;
  retryAfterSeconds?: number;
  details?: Record<string, unknown>;
}

/** Codes of the program that can surface inside a call, as the codes that clients know. */
const asToolCode: Record<ProgramErrorCode, ToolErrorCode> = {
  USAGE: 'INTERNAL',
  SETTINGS_INVALID: 'LOGIN_REQUIRED',
  PORT_TAKEN: 'INTERNAL',
  ALREADY_RUNNING: 'INTERNAL',
  NO_SERVER: 'INTERNAL',
  STATE_DAMAGED: 'STORE_ERROR',
  STATE_TOO_NEW: 'STORE_ERROR',
  KEY_UNAVAILABLE: 'LOGIN_REQUIRED',
  KEY_MISMATCH: 'LOGIN_REQUIRED',
  HOME_UNUSABLE: 'STORE_ERROR',
  LOGIN_FAILED: 'LOGIN_REQUIRED',
  SERVICE_FAILED: 'INTERNAL',
  INTERRUPTED: 'CANCELLED',
};

/** Anything that is not a `RelayError` is a bug: the caller learns that, and the log the cause. */
export function toToolError(error: unknown): ToolError {
  if (!(error instanceof RelayError)) {
    return {
      code: 'INTERNAL',
      message: 'The program hit a fault of its own.',
      remedy: "Try again. If it stays, look at the server's log for this time and report it.",
    };
  }
  return {
    code: toolCode(error.code),
    message: error.message,
    ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
    ...(error.details === undefined ? {} : { details: error.details }),
  };
}

function toolCode(code: ErrorCode): ToolErrorCode {
  return isToolErrorCode(code) ? code : asToolCode[code];
}

/** `CODE: message. remedy`, the form that a model reads. */
export function toolErrorText(error: ToolError): string {
  const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  return [`${error.code}: ${message}`, error.remedy].filter(Boolean).join(' ');
}
