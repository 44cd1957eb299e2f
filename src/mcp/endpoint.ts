/**
 * The MCP endpoint: the official SDK's handler for all protocol revisions, stateless, with a low-level `Server` per request.
 * Requests of the plain form get the same answers without the SDK (`plain.ts`). Sockets and credentials are the job of `server/`.
 */

import type { Writable } from 'node:stream';
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { isObject } from '../base/parsing.ts';
import type { Lines } from '../base/textLines.ts';
import { modelText } from '../base/visibleText.ts';
import { ACCESS_HEADER, isLevel, type Level } from '../domain/access.ts';
import { ASKER_HEADER, COMMAND_LINE, type DoorSession } from '../domain/localApi.ts';
import { serveLines } from './lineSession.ts';
import { type Offer, offerAt, offerFor, type SentHeaders, unknownTool } from './offers.ts';
import { createPlainAnswers, isNotification, type Plain, type PlainAnswer, plainOf } from './plain.ts';
import { promptText } from './prompts.ts';
import { type Channel, createToolCalls, type ToolCallOptions } from './runTool.ts';

export interface McpEndpointOptions extends ToolCallOptions {
  /** What the API key, and `relay stdio` without a level of its own, may do. */
  access: Level;
  version: string;
}

/** Who sent a request whose credential has been checked. */
export interface Client {
  /** Keeps one client's cancellations away from another's calls. */
  principal: string;
  /** How what a call remembers names the client. */
  by: string;
  /** What its credential may do. */
  access: Level;
  /** Base URL of this server, as the client dialled it. */
  baseUrl: string;
  /** The headers of the request. */
  headers: SentHeaders;
}

export type McpEndpoint = ReturnType<typeof createMcpEndpoint>;

/** How long a client may cache a list. Lists never change while the server runs. */
const LIST_TTL_MS = 3_600_000;

export function createMcpEndpoint(options: McpEndpointOptions) {
  const serverInfo = { name: 'relay', title: 'relay for Spotify (unofficial)', version: options.version };
  let streams = 0;
  const calls = createToolCalls(options);
  const answers = createPlainAnswers(serverInfo, LIST_TTL_MS);

  function answerPlain(plain: Plain, offer: Offer, client: Client, channel: Channel): PlainAnswer | null {
    const { era, id, method, name, arguments: args, progressToken } = plain;
    if (method === 'tools/list') return { era, text: answers.list(plain, offer) };
    const tool = offer.tools.get(name);
    if (!tool) return null;
    const result = calls.run({ ...channel, ...client, id, tool, args, progressToken });
    return { era, text: result.then((done) => answers.call(plain, done)) };
  }

  function serverFor(offer: Offer, client: Client, gone: AbortSignal | undefined): Server {
    const server = new Server(serverInfo, {
      capabilities: { tools: { listChanged: false }, prompts: { listChanged: false } },
      instructions: offer.instructions,
      cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS }, 'prompts/list': { ttlMs: LIST_TTL_MS } },
    });
    server.setRequestHandler('tools/list', () => ({ tools: offer.entries }));
    server.setRequestHandler('prompts/list', () => ({ prompts: offer.prompts }));
    server.setRequestHandler('prompts/get', ({ params }) => {
      const found = promptText(params.name, params.arguments ?? {}, new Set(offer.tools.keys()));
      if ('problem' in found) throw invalid(found.problem);
      const content = { type: 'text' as const, text: modelText(found.text) };
      return { description: found.description, messages: [{ role: 'user' as const, content }] };
    });
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { id, signal, _meta, notify } }) => {
      const tool = offer.tools.get(params.name);
      if (!tool) throw invalid(unknownTool(params.name, offer));
      return calls.run({
        ...client,
        id,
        tool,
        args: params.arguments,
        progressToken: _meta?.progressToken,
        onGone(listener) {
          for (const end of [signal, gone]) end?.addEventListener('abort', listener);
        },
        // The signal reports that a client disconnected, so a lost notification does not matter.
        notify: (notification) => void notify({ ...notification }).catch(() => {}),
      });
    });
    return server;
  }

  const handler = createMcpHandler(
    ({ requestInfo, authInfo }) => {
      const extra = authInfo?.extra as Extra;
      return serverFor(extra.offer, extra.client, requestInfo?.signal);
    },
    {
      legacy: 'stateless',
      onerror: (error) => options.log.debug({ err: error }, 'MCP request refused'),
    },
  );

  return {
    /** Answers a POST of the plain form as `fetch` would; returns null, and does nothing, if the message needs `fetch`. */
    answer(message: unknown, client: Client, channel: Channel): PlainAnswer | null {
      const plain = plainOf(message, client.headers);
      const found = plain && offerFor(client.access, client.headers);
      return found && 'offer' in found ? answerPlain(plain, found.offer, client, channel) : null;
    },
    /** Answers one HTTP request. @param sent the parsed JSON of a POST */
    async fetch(request: Request, sent: unknown, client: Client): Promise<Response> {
      const messages = [sent].flat();
      const found = offerFor(client.access, client.headers);
      if ('problem' in found) return refusal(sent, ProtocolErrorCode.InvalidParams, found.problem);
      if (repeatsAnId(messages))
        return refusal(null, ProtocolErrorCode.InvalidRequest, 'Two requests in the batch have the same ID.');
      for (const id of cancelledBy(messages)) calls.cancel({ principal: client.principal, id });
      const extra = { offer: found.offer, client } satisfies Extra;
      const answer = await handler.fetch(request, {
        parsedBody: Array.isArray(sent) ? sent.map(asMeant) : asMeant(sent),
        authInfo: { token: '', clientId: client.principal, scopes: ['relay'], extra },
      });
      return isNotification(sent) ? new Response(null, { status: 202 }) : answer;
    },
    /**
     * Speaks MCP on a stream of the door, with the client of one `relay stdio`, or with `relay call`, which may call every tool.
     * @param headers those that opened the stream, which say who opened it and which tools its client gets
     */
    serve(stream: Writable, lines: Lines, headers: SentHeaders, baseUrl: string): DoorSession {
      const by = headers[ASKER_HEADER] === COMMAND_LINE ? COMMAND_LINE : 'stdio';
      const asked = String(headers[ACCESS_HEADER.toLowerCase()] ?? '');
      const access = by === 'stdio' ? (isLevel(asked) ? asked : options.access) : 'everything';
      const offer = offerAt(access);
      streams += 1;
      const client = {
        principal: `${by} ${streams}`,
        /** A client of `relay stdio` goes by the name that it gives. */
        get by() {
          return by === 'stdio' && session.client !== null ? `stdio ${session.client}` : by;
        },
        access,
        baseUrl,
        headers,
      };
      const session: DoorSession = serveLines(stream, lines, {
        factory: () => serverFor(offer, client, undefined),
        plain(message, channel) {
          const plain = plainOf(message, null);
          return plain && answerPlain(plain, offer, client, channel);
        },
        meant: asMeant,
      });
      return session;
    },
    /** Ends calls in progress with `SHUTTING_DOWN`. */
    stopCalls: () => calls.stop(),
    close: () => handler.close(),
  };
}

/** What the SDK passes from a request to its `Server`. */
interface Extra extends Record<string, unknown> {
  offer: Offer;
  client: Client;
}

function invalid(problem: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, modelText(problem));
}

/** The IDs of the requests that notifications of the 2025 revisions cancel. */
function cancelledBy(messages: readonly unknown[]): Array<string | number> {
  return messages.flatMap((message) => {
    if (!isObject(message) || message.method !== 'notifications/cancelled') return [];
    const id = isObject(message.params) ? message.params.requestId : null;
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });
}

/** True for a batch (revision 2025-03-26) in which two requests have the same ID: their answers could not be told apart. */
function repeatsAnId(messages: readonly unknown[]): boolean {
  const ids = messages.flatMap((one) => (isObject(one) && 'method' in one && 'id' in one ? [one.id] : []));
  return new Set(ids).size < ids.length;
}

/**
 * A message as its client means it, where the SDK would refuse it with the text of its parser: without the nulls in `params` that
 * mean "left out", and with `{}` where `[]` stands for it, since some languages do not tell the two apart. The arguments of a tool
 * stay as they were sent, since `arguments.ts` reads them as they are meant.
 */
function asMeant(message: unknown): unknown {
  if (!isObject(message) || !('params' in message)) return message;
  const { params, ...rest } = message;
  if (params === null || isEmptyList(params)) return rest;
  if (!isObject(params)) return message;
  const { arguments: args, capabilities } = params;
  const isCall = message.method === 'tools/call' && isObject(args);
  return {
    ...rest,
    params: {
      ...(withoutNulls(params) as object),
      ...(isEmptyList(args) ? { arguments: {} } : isCall ? { arguments: args } : {}),
      // Capabilities are objects in objects.
      ...(capabilities === undefined ? {} : { capabilities: withoutNulls(capabilities, {}) }),
    },
  };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** @param emptyList what an empty list stands for */
function withoutNulls(value: unknown, emptyList: object = []): unknown {
  if (isEmptyList(value)) return emptyList;
  if (Array.isArray(value)) return value.map((entry) => withoutNulls(entry, emptyList));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member, emptyList)]));
}

/**
 * Refuses a request before the SDK sees it. A request with invalid headers would otherwise get tools that the client meant to
 * leave out.
 */
function refusal(body: unknown, code: ProtocolErrorCode, message: string): Response {
  const id = isObject(body) ? body.id : null;
  const known = typeof id === 'string' || typeof id === 'number';
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: known ? id : null }, { status: 400 });
}
