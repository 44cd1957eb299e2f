/** The one mapping from an error to what a failed `tools/call` answers. */
import {
  asRelayError,
  isToolErrorCode,
  type ProgramErrorCode,
  type ToolErrorCode,
} from '../domain/errors.ts';
import { type CommandStyle, remedyText } from '../domain/remedy.ts';

/** An error, as a failed `tools/call` answers it. */
export interface ToolError {
  code: ToolErrorCode;
  message: string;
  remedy?: string;
  retryAfterSeconds?: number;
  details?: Record<string, unknown>;
}

/** The codes that clients get for program errors inside a call. */
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

/** @param style how commands in the remedy are written */
export function toToolError(thrown: unknown, style: CommandStyle): ToolError {
  const { code, message, remedyValue, retryAfterSeconds, details } = asRelayError(thrown);
  const remedy = remedyValue && remedyText(remedyValue, style);
  return {
    code: isToolErrorCode(code) ? code : asToolCode[code],
    message,
    ...(remedy === undefined ? {} : { remedy }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(details === undefined ? {} : { details }),
  };
}

/** `CODE: message. remedy`, as a model reads it. */
export function toolErrorText(error: ToolError): string {
  const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  return [`${error.code}: ${message}`, error.remedy].filter(Boolean).join(' ');
}
