/** Tool calls in progress. Each can be ended by its client, by the end of its connection, and when the server stops. */
import { modelText } from '../base/visibleText.ts';
import { RelayError } from '../domain/errors.ts';
import { plainCommand } from '../domain/remedy.ts';
import type { Tool } from '../tools/tool.ts';
import { forModel } from './forModel.ts';
import { withLoginLink } from './loginLink.ts';
import { type CallBasics, type CallResult, runTool } from './runTool.ts';

export interface ToolCallOptions extends CallBasics {
  /** Address for connecting the account, given the base URL under which the client reached the server. */
  loginUrl(baseUrl: string): string;
}

interface ToolCall {
  tool: Tool;
  /** The arguments as the client sent them. */
  args: unknown;
  /** Who sent the call, with which program and under which ID. A cancellation must match all three. */
  from: Caller;
  /**
   * Calls `listener` when the client leaves, but not if the client has already left. So `run` adds its listener before anything
   * else.
   */
  onGone(listener: () => void): void;
  baseUrl: string;
  /** Sends a notification to the client. */
  notify(notification: ProgressNotification): void;
  progressToken: string | number | undefined;
}

export interface Caller {
  principal: string;
  userAgent: string;
  id: string | number;
}

export interface ProgressNotification {
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; total: number; message?: string };
}

export interface ToolCalls {
  run(call: ToolCall): Promise<CallResult>;
  /**
   * Cancels the call of this caller if there is exactly one. Two clients with the same credential and user agent may use one
   * request ID at the same time. Stopping the wrong call is worse than stopping none. A client of the 2025 revisions sends
   * `notifications/cancelled` as another request. relay keeps no sessions, so only `from` tells which call is meant.
   */
  cancel(from: Caller): void;
  /** Ends all calls with `SHUTTING_DOWN`. */
  stop(): void;
}

export function createToolCalls({ loginUrl, ...basics }: ToolCallOptions): ToolCalls {
  const calls = new Set<{ from: Caller; controller: AbortController }>();
  return {
    async run({ tool, args, from, onGone, baseUrl, notify, progressToken }) {
      const controller = new AbortController();
      const entry = { from, controller };
      calls.add(entry);
      onGone(() => controller.abort(new RelayError('CANCELLED', 'The client disconnected.')));
      try {
        const progress = progressOf(progressToken, notify);
        const context = { ...basics, signal: controller.signal, by: askerOf(from), progress };
        const result = await runTool(tool, args, context);
        return withLoginLink(forModel(result), () => loginUrl(baseUrl), basics.commands ?? plainCommand);
      } finally {
        calls.delete(entry);
      }
    },
    cancel(from) {
      const matches = [...calls].filter(({ from: { id, principal, userAgent } }) => {
        return id === from.id && principal === from.principal && userAgent === from.userAgent;
      });
      if (matches.length !== 1) return;
      matches[0]?.controller.abort(new RelayError('CANCELLED', 'The client cancelled the call.'));
    },
    stop() {
      const reason = new RelayError('SHUTTING_DOWN', 'The server is stopping.', {
        remedy: 'Try again once the server has started again.',
      });
      for (const { controller } of calls) controller.abort(reason);
    },
  };
}

/**
 * Returns the caller as it is kept with the matches that a call remembers. A client behind `relay stdio` has the command line's
 * credential, so only the user agent shows that it is not the command line.
 */
function askerOf({ principal, userAgent }: Caller): string {
  return principal === 'command-line' && userAgent.startsWith('relay-stdio/') ? 'stdio' : principal;
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
