/**
 * One MCP client at the door: JSON-RPC messages, one a line, over a stream (MCP, transports, stdio). The SDK's own stdio server
 * decides the revision; this file gives it the messages and writes its answers.
 */
import type { Writable } from 'node:stream';
import {
  CLIENT_INFO_META_KEY,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCRequest,
  type McpServerFactory,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { tooDeepAt } from '../base/boundedJson.ts';
import { isObject, readJson } from '../base/parsing.ts';
import type { Lines } from '../base/textLines.ts';
import type { DoorSession } from '../domain/localApi.ts';
import { isNotification, type PlainAnswer } from './plain.ts';
import type { Channel } from './runTool.ts';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const NEWLINE = Buffer.from('\n');

type RequestId = string | number;

export interface LineOptions {
  factory: McpServerFactory;
  /** Answers a message without the SDK; null if it is not of the plain form. */
  plain(message: unknown, channel: Channel): PlainAnswer | null;
  /** Makes of a message what the SDK accepts. */
  meant(message: unknown): unknown;
}

export function serveLines(
  stream: Writable,
  lines: Lines,
  { factory, plain, meant }: LineOptions,
): DoorSession {
  /** The requests that are not yet answered, each with what ends its call if this file answers it. */
  const open = new Map<RequestId, () => void>();
  let client: string | null = null;
  stream.once('close', () => {
    for (const end of open.values()) end();
  });

  const write = (text: string | Buffer): void => {
    if (stream.writable) stream.write(Buffer.concat([Buffer.from(text), NEWLINE]));
  };
  const send = (message: object): void => {
    if ('id' in message && !('method' in message)) open.delete(message.id as RequestId);
    write(JSON.stringify(message));
  };
  const refuse = (code: number, message: string) =>
    send({ jsonrpc: '2.0', id: null, error: { code, message } });

  function take(line: string): void {
    const sent = tooDeepAt(line) === null ? readJson(line) : undefined;
    if (sent === undefined) refuse(PARSE_ERROR, 'This line is not JSON, or it is nested too deeply.');
    else hear(meant(sent));
  }

  function hear(message: unknown): void {
    client = clientOf(message) ?? client;
    if (isJSONRPCRequest(message)) answer(message);
    else if (isJSONRPCResponse(message)) transport.onmessage?.(message);
    else if (isJSONRPCNotification(message)) {
      if (message.method === 'notifications/cancelled') cancel(message.params?.requestId);
      transport.onmessage?.(message);
    } else if (!isNotification(message)) {
      refuse(INVALID_REQUEST, 'This line is not one JSON-RPC message.');
    }
  }

  function answer(request: JSONRPCRequest): void {
    const { id } = request;
    open.set(id, () => {});
    const onGone: Channel['onGone'] = (end) => void open.set(id, end);
    const notify: Channel['notify'] = (notification) => send({ jsonrpc: '2.0', ...notification });
    const told = plain(request, { onGone, notify });
    if (told === null) transport.onmessage?.(request);
    else void Promise.resolve(told.text).then((text) => open.delete(id) && write(text));
  }

  /** A request that is cancelled gets no answer. */
  function cancel(id: unknown): void {
    open.get(id as RequestId)?.();
    open.delete(id as RequestId);
  }

  async function read(): Promise<void> {
    try {
      for await (const line of lines) if (line?.trim() !== '') take(line ?? '');
    } catch {
      // The client is gone.
    }
    stream.end();
    transport.onclose?.();
  }

  const transport: Transport = {
    start: async () => void read(),
    send: async (message) => send(message),
    close: async () => void stream.end(),
  };
  serveStdio(factory, { transport });
  return {
    get client() {
      return client;
    },
    get isBusy() {
      return open.size > 0;
    },
  };
}

/** The name in an `initialize` (2025 revisions) or in the `_meta` of any request (2026-07-28). */
function clientOf(message: unknown): string | null {
  const params = isObject(message) && isObject(message.params) ? message.params : {};
  const meta = isObject(params._meta) ? params._meta[CLIENT_INFO_META_KEY] : undefined;
  const info = params.clientInfo ?? meta;
  return isObject(info) && typeof info.name === 'string' ? info.name : null;
}
