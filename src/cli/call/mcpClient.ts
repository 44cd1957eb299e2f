/**
 * The tools of the running server, for commands that call them. Uses two methods of the 2026-07-28 revision, in which
 * requests need no session.
 */

import { withDeadline } from '../../base/abort.ts';
import type { Lines } from '../../base/textLines.ts';
import { RelayError, toldError } from '../../domain/errors.ts';
import { FIX_META } from '../../domain/remedy.ts';
import type { Context } from '../context.ts';
import type { Connection } from '../findServer.ts';
import type { ProgressReport } from '../terminal/output.ts';
import type { ValueSchema } from './toolArguments.ts';

/** Time limit of a call, longer than any tool call may take (45 s), so that the server's own answer always comes first. */
const CALL_TIMEOUT_MS = 60_000;

const REVISION = '2026-07-28';

export interface ToolSummary {
  name: string;
  description?: string;
  inputSchema: ValueSchema;
  annotations?: { destructiveHint?: boolean | undefined } | undefined;
}

type OnProgress = (progress: ProgressReport) => void;

/**
 * Finds the running server and returns calls to its tools.
 * @param withCodes whether the message of a failed tool begins with its code
 * @throws RelayError `NO_SERVER` if no server runs. The calls throw it if the network or the protocol fails
 */
export async function connectTools(context: Context, withCodes = false) {
  const server = await context.server();
  return {
    // The server sends all tools on one page.
    listTools: async () => (await ask<{ tools: ToolSummary[] }>(context, server, 'tools/list', {})).tools,
    /** Returns the tool's structured answer or, if there is none, its text. Throws the error of a failed tool. */
    callTool: async (name: string, args: object, onProgress?: OnProgress): Promise<unknown> =>
      outcomeOf(
        await ask<CallAnswer>(context, server, 'tools/call', { name, arguments: args }, onProgress),
        withCodes,
      ),
  };
}

/** Sends one request and returns its result. The server is relay too, so the shape of its answers is not checked. */
async function ask<T>(
  { clock, signal, version }: Context,
  { mcp, baseUrl }: Connection,
  method: string,
  params: object,
  onProgress?: OnProgress,
): Promise<T> {
  const id = 1;
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'relay-cli', version },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...(onProgress ? { progressToken: id } : {}),
  };
  const { stream, lines } = await mcp();
  let answer: Answer | null;
  try {
    stream.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } })}\n`);
    answer = await withDeadline({ clock, ms: CALL_TIMEOUT_MS, signal, late: 'late' }, (over) => {
      // The server stops a call whose stream has ended.
      over.addEventListener('abort', () => stream.destroy());
      return answerOn(lines, id, onProgress);
    });
  } finally {
    stream.destroy();
  }
  signal.throwIfAborted();
  if (answer?.result !== undefined) return answer.result as T;
  if (answer)
    throw new RelayError('INTERNAL', `The server at ${baseUrl}: ${answer.error?.message ?? 'no result'}`);
  throw new RelayError('NO_SERVER', `The server at ${baseUrl} stopped before it answered.`, {
    remedy: {
      text: 'What was asked for may have been done all the same. {command} shows whether the server runs.',
      command: ['status'],
    },
  });
}

/** Reads until the answer to the request comes; null if the stream ends before. */
async function answerOn(lines: Lines, id: number, onProgress?: OnProgress): Promise<Answer | null> {
  try {
    for await (const line of lines) {
      const message = JSON.parse(line ?? '') as Answer;
      if (message.method === 'notifications/progress') onProgress?.(message.params as ProgressReport);
      else if (message.id === id || message.id === null) return message;
    }
  } catch {
    // Cut off.
  }
  return null;
}

interface Answer {
  id?: unknown;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message?: string };
}

interface CallAnswer {
  isError?: boolean | undefined;
  structuredContent?: unknown;
  _meta?: Record<string, unknown> | undefined;
  content: Array<{ type: string; text?: unknown }>;
}

function outcomeOf({ isError, structuredContent, content, _meta }: CallAnswer, withCodes: boolean): unknown {
  const text = content.flatMap((block) => (typeof block.text === 'string' ? [block.text] : [])).join('\n');
  if (isError !== true) return structuredContent ?? text;
  const { error } = (structuredContent ?? {}) as { error?: object };
  const told = toldError({ message: text, ...error, fix: _meta?.[FIX_META] });
  throw withCodes ? told.with({ message: `${told.code}: ${told.message}` }) : told;
}
