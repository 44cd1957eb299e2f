import { type ErrorCode, PROGRAM_ERROR_CODES, TOOL_ERROR_CODES } from '../domain/errors.ts';

/** True for a code of this program; a server of another version may send others. */
export function isErrorCode(code: unknown): code is ErrorCode {
  if (typeof code !== 'string') return false;
  return Object.hasOwn(TOOL_ERROR_CODES, code) || Object.hasOwn(PROGRAM_ERROR_CODES, code);
}
