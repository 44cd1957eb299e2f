/** Tool calls in progress. Each can be ended by its client, by the end of its connection, and when the server stops. */
import { modelText } from '../base/visibleText.ts';
import { RelayError } from '../domain/errors.ts';
import { plainCommand } from '../domain/remedy.ts';
import type { Tool } from '../tools/tool.ts';
import { type CallResult, forModel, withLoginLink } from './callResult.ts';
import { type CallBasics, runTool } from './runTool.ts';

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

export interface ToolCalls {
  run(call: ToolCall): Promise<CallResult>;
  /**
   * Cancels the one call of this caller. A client of the 2025 revisions sends `notifications/cancelled` as another request, and
   * relay keeps no sessions. So another client with the same credential and program may have used the same ID, at the same time
   * or for a call whose end crossed its cancellation. If there was such a call within `LATE_MS`, none is stopped: stopping the
   * wrong call is worse.
   */
  cancel(caller: Caller): void;
  /** Ends all calls with `SHUTTING_DOWN`. */
  stop(): void;
}

/** How long after a call's end its cancellation may still arrive. */
const LATE_MS = 60_000;

export function createToolCalls({ loginUrl, ...basics }: ToolCallOptions): ToolCalls {
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
    async run({ tool, args, by, onGone, baseUrl, notify, progressToken, ...caller }) {
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
    cancel(caller) {
      const key = keyOf(caller);
      const [call, ...others] = [...calls].filter((one) => one.key === key);
      const hasEnded = now() - (ended.get(key) ?? Number.NEGATIVE_INFINITY) <= LATE_MS;
      if (others.length > 0 || hasEnded) return;
      call?.controller.abort(new RelayError('CANCELLED', 'The client cancelled the call.'));
    },
    stop() {
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
