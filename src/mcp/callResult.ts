/** What a call answers: how an error is told, the link that begins a login, and text that a person would not see. Pure. */
import { mayHideText, modelText, modelValue } from '../base/visibleText.ts';
import {
  asRelayError,
  isToolErrorCode,
  type ProgramErrorCode,
  type ToolErrorCode,
} from '../domain/errors.ts';
import { type CommandStyle, FIX_META, readRemedy, remedyText } from '../domain/remedy.ts';

/** The result of `tools/call`. */
export interface CallResult {
  [key: string]: unknown;
  content: Array<{ type: 'text'; text: string }>;
  structuredContent: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** An error, as a failed `tools/call` answers it. */
export interface ToolError {
  code: ToolErrorCode;
  message: string;
  remedy?: string;
  retryAfterSeconds?: number;
  details?: Record<string, unknown>;
}

/** The codes that clients get for program errors inside a call; `INTERNAL` for those that are not listed. */
const asToolCode: Partial<Record<ProgramErrorCode, ToolErrorCode>> = {
  SETTINGS_INVALID: 'LOGIN_REQUIRED',
  STATE_DAMAGED: 'STORE_ERROR',
  STATE_TOO_NEW: 'STORE_ERROR',
  KEY_UNAVAILABLE: 'LOGIN_REQUIRED',
  KEY_MISMATCH: 'LOGIN_REQUIRED',
  HOME_UNUSABLE: 'STORE_ERROR',
  LOGIN_FAILED: 'LOGIN_REQUIRED',
  INTERRUPTED: 'CANCELLED',
};

/** @param style how commands in the remedy are written */
export function toToolError(thrown: unknown, style: CommandStyle): ToolError {
  const { code, message, remedyValue, retryAfterSeconds, details } = asRelayError(thrown);
  const remedy = remedyValue && remedyText(remedyValue, style);
  return {
    code: isToolErrorCode(code) ? code : (asToolCode[code] ?? 'INTERNAL'),
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

/** The result without hidden text, in `content` and `structuredContent` alike. */
export function forModel(result: CallResult): CallResult {
  const { content, structuredContent, isError } = result;
  // The text of a result is its data as JSON, so looking at the text is enough. The text of an error is not its data.
  if (!isError && !content.some(({ text }) => mayHideText(text))) return result;
  const data = modelValue(structuredContent);
  if (!isError)
    return { ...result, content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data };
  const texts = content.map(({ type, text }) => ({ type, text: modelText(text) }));
  return { ...result, content: texts, structuredContent: data };
}

/**
 * Adds a link that begins the login to the result of a call that failed because no account is connected. `_meta` keeps the command for the command
 * line.
 * @param urlOf returns the address of the login, for a browser on the server's machine. A model reads this address, so the
 * address must not hold a secret
 */
export function withLoginLink(result: CallResult, urlOf: () => string, commands: CommandStyle): CallResult {
  const failed = result.isError === true ? (result.structuredContent.error as ToolError) : null;
  if (failed?.code !== 'LOGIN_REQUIRED') return result;
  const fix = readRemedy(result._meta?.[FIX_META]);
  if (fix?.command?.join(' ') !== 'login') return result;
  const url = urlOf();
  const error: ToolError = {
    ...failed,
    remedy: `Give the user this link, to be opened in a browser on the computer that relay runs on: ${url} Or the user runs ${commands(['login'])} in a terminal.`,
    details: { ...failed.details, login_url: url },
  };
  return { ...result, content: [{ type: 'text', text: toolErrorText(error) }], structuredContent: { error } };
}
