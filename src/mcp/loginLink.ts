/** Adds to an answer a link that begins the login, for people who have no terminal open. Pure. */
import { type CommandStyle, FIX_META, readRemedy } from '../domain/remedy.ts';
import type { CallResult } from './runTool.ts';
import { type ToolError, toolErrorText } from './toToolError.ts';

/**
 * Adds the link to the result of a call that failed because no account is connected. `_meta` keeps the command for the command
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
