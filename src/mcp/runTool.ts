/**
 * Runs one tool call. Checks the arguments and the result, and maps and logs errors. The handler gets a signal with a deadline,
 * and a way to report progress. Whatever all tools need is done here.
 */
import { withDeadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { RelayError, tookTooLong } from '../domain/errors.ts';
import { type CommandStyle, FIX_META, hasOwnWords, plainCommand } from '../domain/remedy.ts';
import type { Page } from '../domain/shapes.ts';
import { type Fitted, FULL_LIMIT, fit, LEAN_LIMIT, LEAN_PAGE_LIMIT } from '../tools/answer/fit.ts';
import type { Services, Tool } from '../tools/tool.ts';

import { parseArguments } from './arguments.ts';
import { type CallResult, toolErrorText, toToolError } from './callResult.ts';

/** Maximum time of a call: below the 60 s after which common clients give up and lose the answer. */
const CALL_DEADLINE_MS = 45_000;

/** What all calls of a server share. */
export interface CallBasics {
  services: Services;
  clock: Clock;
  log: Log;
  /** How commands are written in remedies; by default without `--home`. */
  commands?: CommandStyle;
}

/** What one call needs. */
export interface CallContext extends CallBasics {
  /** Aborts when the client disconnects or cancels, or the server stops. Its reason is the error that the client gets. */
  signal: AbortSignal;
  /** Who asks: the caller's principal, or `stdio` for a client of `relay stdio`. Kept with a match that the call remembers. */
  by: string;
  progress(done: number, total: number, message?: string): void;
}

/** Runs one call. A failure becomes a result with `isError`. */
export async function runTool(tool: Tool, args: unknown, context: CallContext): Promise<CallResult> {
  const startedAt = context.clock.monotonic();
  const { services, clock, progress, by } = context;
  const deadline = { clock, ms: CALL_DEADLINE_MS, signal: context.signal, late: deadlineError };
  try {
    const { answer, text } = await withDeadline(deadline, async (signal) => {
      const parsed = parseArguments(tool, args);
      signal.throwIfAborted();
      // The handler always gives the full result, so it does not see `detail`.
      const { detail, ...own } = parsed;
      const data = await tool.handle(services, own, { signal, progress, by });
      return answerOf(tool, parsed, tool.output.parse(data), (data as Partial<Page<unknown>>).places);
    });
    context.log.info(
      { tool: tool.name, ms: Math.round(context.clock.monotonic() - startedAt) },
      'tool call done',
    );
    return { content: [{ type: 'text', text }], structuredContent: answer };
  } catch (thrown) {
    return failure(tool, thrown, context, startedAt);
  }
}

/** The result in the requested form, cut to the length limit of that form. */
function answerOf(
  { lean, rows }: Tool,
  args: Record<string, unknown>,
  full: Record<string, unknown>,
  places: number[] | undefined,
): Fitted {
  const isFull = args.detail === 'full';
  const list = rows && { ...rows, places, offset: typeof args.offset === 'number' ? args.offset : null };
  if (isFull) return fit(full, FULL_LIMIT, list);
  const isPage = list !== null && list.offset !== null;
  return fit(lean ? lean.of(full) : full, isPage ? LEAN_PAGE_LIMIT : LEAN_LIMIT, list);
}

function failure(tool: Tool, thrown: unknown, context: CallContext, startedAt: number): CallResult {
  const error = toToolError(thrown, context.commands ?? plainCommand);
  const fields = { tool: tool.name, code: error.code, ms: Math.round(context.clock.monotonic() - startedAt) };
  if (error.code === 'INTERNAL') context.log.error({ ...fields, err: thrown }, 'tool call failed');
  else context.log.info(fields, 'tool call failed');
  return {
    content: [{ type: 'text', text: toolErrorText(error) }],
    structuredContent: fit({ error }, LEAN_LIMIT, null).answer,
    isError: true,
    ...fixOf(thrown),
  };
}

/** The remedy as a value, for the command line, which adds the `--home` that it was given. */
function fixOf(thrown: unknown): Pick<CallResult, '_meta'> {
  const fix = thrown instanceof RelayError ? thrown.remedyValue : undefined;
  return fix && hasOwnWords(fix) ? { _meta: { [FIX_META]: fix } } : {};
}

function deadlineError(): RelayError {
  const remedy = 'Ask for less at a time, or try again when Spotify responds faster.';
  return tookTooLong('The call', CALL_DEADLINE_MS, remedy);
}
