/**
 * Runs tool calls. Whatever all tools need is done here: arguments and results are checked, errors are mapped and logged, and the
 * handler gets a signal with a deadline, and a way to report progress. A call can be ended by its client, by the end of its
 * connection, and when the server stops.
 */
import { withDeadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { modelText } from '../base/visibleText.ts';
import { RelayError, tookTooLong } from '../domain/errors.ts';
import { type CommandStyle, FIX_META, hasOwnWords, plainCommand } from '../domain/remedy.ts';
import type { Page } from '../domain/shapes.ts';
import { type Fitted, FULL_LIMIT, fit, LEAN_LIMIT, LEAN_PAGE_LIMIT } from '../tools/answer/fit.ts';
import type { Services, Tool } from '../tools/tool.ts';
import { parseArguments } from './arguments.ts';
import { type CallResult, forModel, toolErrorText, toToolError, withLoginLink } from './callResult.ts';

export interface ToolCallOptions extends CallBasics {
  /** Address for connecting the account, given the base URL under which the client reached the server. */
  loginUrl(baseUrl: string): string;
}

/** The way back to the client while a call runs. */
export interface Channel {
  /**
   * Calls `listener` when the client leaves, but not if the client has already left. So `run` adds its listener before anything
   * else.
   */
  onGone(listener: () => void): void;
  notify(notification: ProgressNotification): void;
}

/** The credential and program of a client, and the ID that it gave its call. A cancellation must match both. */
interface Caller {
  principal: string;
  id: string | number;
}

interface ToolCall extends Caller, Channel {
  tool: Tool;
  /** The arguments as the client sent them. */
  args: unknown;
  /** How what the call remembers names the client. */
  by: string;
  baseUrl: string;
  progressToken: string | number | undefined;
}

interface ProgressNotification {
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; total: number; message?: string };
}

/** @internal */
export type ToolCalls = ReturnType<typeof createToolCalls>;

/** How long after a call's end its cancellation may still arrive. */
const LATE_MS = 60_000;

export function createToolCalls({ loginUrl, ...basics }: ToolCallOptions) {
  const calls = new Set<{ key: string; controller: AbortController }>();
  /** When the last call of each caller and ID ended, oldest first; those within `LATE_MS`. */
  const ended = new Map<string, number>();
  const now = () => basics.clock.monotonic();

  function end(key: string): void {
    ended.delete(key);
    ended.set(key, now());
    for (const [oldest, at] of ended) {
      if (now() - at <= LATE_MS) break;
      ended.delete(oldest);
    }
  }

  return {
    async run({ tool, args, by, onGone, baseUrl, notify, progressToken, ...caller }: ToolCall) {
      const controller = new AbortController();
      const call = { key: keyOf(caller), controller };
      calls.add(call);
      onGone(() => controller.abort(new RelayError('CANCELLED', 'The client disconnected.')));
      try {
        const progress = progressOf(progressToken, notify);
        const result = await runTool(tool, args, { ...basics, signal: controller.signal, by, progress });
        return withLoginLink(forModel(result), () => loginUrl(baseUrl), basics.commands ?? plainCommand);
      } finally {
        calls.delete(call);
        end(call.key);
      }
    },
    /**
     * Cancels the one call of this caller. A client of the 2025 revisions sends `notifications/cancelled` as another request, and
     * relay keeps no sessions. So another client with the same credential and program may have used the same ID, at the same time
     * or for a call whose end crossed its cancellation. If there was such a call within `LATE_MS`, none is stopped: stopping the
     * wrong call is worse.
     */
    cancel(caller: Caller): void {
      const key = keyOf(caller);
      const [call, ...others] = [...calls].filter((one) => one.key === key);
      const hasEnded = now() - (ended.get(key) ?? Number.NEGATIVE_INFINITY) <= LATE_MS;
      if (others.length > 0 || hasEnded) return;
      call?.controller.abort(new RelayError('CANCELLED', 'The client cancelled the call.'));
    },
    /** Ends all calls with `SHUTTING_DOWN`. */
    stop(): void {
      const reason = new RelayError('SHUTTING_DOWN', 'The server is stopping.', {
        remedy: 'Try again once the server has started again.',
      });
      for (const { controller } of calls) controller.abort(reason);
    },
  };
}

function keyOf({ principal, id }: Caller): string {
  return JSON.stringify([principal, id]);
}

/**
 * Sends progress only to a client that asked for it. A call may have several stages, each of which counts from 1: reading a
 * playlist, then writing it. The protocol requires that progress rises, so a stage is counted on from the end of the one before.
 */
function progressOf(
  progressToken: string | number | undefined,
  notify: (notification: ProgressNotification) => void,
): (done: number, total: number, message?: string) => void {
  if (progressToken === undefined) return () => {};
  /** How far the stages before this one got. */
  let before = 0;
  let last = 0;
  return (done, total, message) => {
    if (done === last) return;
    if (done < last) before += last;
    last = done;
    const params = {
      progressToken,
      progress: before + done,
      total: before + total,
      ...(message === undefined ? {} : { message: modelText(message) }),
    };
    notify({ method: 'notifications/progress', params });
  };
}

/** Maximum time of a call: below the 60 s after which common clients give up and lose the answer. */
const CALL_DEADLINE_MS = 45_000;

/** What all calls of a server share. */
interface CallBasics {
  services: Services;
  clock: Clock;
  log: Log;
  /** How commands are written in remedies; by default without `--home`. */
  commands?: CommandStyle;
}

/** What one call needs. */
interface CallContext extends CallBasics {
  /** Aborts when the client disconnects or cancels, or the server stops. Its reason is the error that the client gets. */
  signal: AbortSignal;
  /** Who asks: the caller's principal, or `stdio` for a client of `relay stdio`. Kept with a match that the call remembers. */
  by: string;
  progress(done: number, total: number, message?: string): void;
}

/** Runs one call. A failure becomes a result with `isError`. @internal */
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
  const fix = thrown instanceof RelayError ? thrown.remedyValue : undefined;
  return {
    content: [{ type: 'text', text: toolErrorText(error) }],
    structuredContent: fit({ error }, LEAN_LIMIT, null).answer,
    isError: true,
    // The remedy as a value, for the command line, which adds the `--home` that it was given.
    ...(fix && hasOwnWords(fix) ? { _meta: { [FIX_META]: fix } } : {}),
  };
}

function deadlineError(): RelayError {
  const remedy = 'Ask for less at a time, or try again when Spotify responds faster.';
  return tookTooLong('The call', CALL_DEADLINE_MS, remedy);
}
