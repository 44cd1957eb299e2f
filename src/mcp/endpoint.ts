/**
 * The MCP endpoint: the official SDK's handler for all protocol revisions, stateless, with a low-level `Server` per request.
 * The most common requests get the same answers without the SDK. Sockets and credentials are the job of `server/`.
 */
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { isObject } from '../base/parsing.ts';
import { modelText } from '../base/visibleText.ts';
import type { ToolChoice } from '../domain/toolsets.ts';
import type { Tool } from '../tools/tool.ts';
import { type CommonForm, createCommonForms, headerOf } from './commonForm.ts';
import { createCallAnswer, createListAnswers, type DirectRequest } from './directAnswer.ts';
import { createOffers, type Offer, unknownTool } from './offers.ts';
import { promptText } from './prompts.ts';
import { type Caller, createToolCalls, type ToolCallOptions } from './toolCalls.ts';

export interface McpEndpointOptions extends ToolCallOptions {
  /** The tools that the settings offer. */
  choice: ToolChoice;
  version: string;
}

export interface McpEndpoint {
  /**
   * Answers a POST of the common form as `fetch` would, at a fraction of the cost, and returns true. Returns false, and sends
   * nothing, if the request needs `fetch`. Returns a promise only for a call, or while the endpoint is being loaded.
   */
  direct(request: DirectRequest): boolean | Promise<boolean>;
  /**
   * Answers one HTTP request whose credential has been checked.
   * @param body the parsed JSON of a POST
   * @param principal who sent the request; keeps one client's cancellations away from another's calls
   */
  fetch(request: Request, body: unknown, principal: string): Promise<Response>;
  /** Ends calls in progress with `SHUTTING_DOWN`. */
  stopCalls(): void;
  close(): Promise<void>;
}

/** How long a client may cache a list. Lists never change while the server runs. */
const LIST_TTL_MS = 3_600_000;

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const serverInfo = { name: 'relay', title: 'relay for Spotify (unofficial)', version: options.version };
  const offerFor = createOffers(options.choice);
  const formOf = createCommonForms();
  const calls = createToolCalls(options);
  const listAnswer = createListAnswers(serverInfo, LIST_TTL_MS);

  const handler = createMcpHandler(
    ({ requestInfo, authInfo }) => {
      const { body, offer } = extraOf(authInfo);
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
      server.setRequestHandler('tools/call', async (request, context) => {
        const { name } = request.params;
        const tool = offer.tools.get(name);
        if (!tool) throw invalid(unknownTool(name, offer));
        const { id, signal, _meta, notify } = context.mcpReq;
        return calls.run({
          tool,
          args: sentArguments(body, id) ?? request.params.arguments,
          from: { principal: authInfo?.clientId ?? '', userAgent: userAgentOf(requestInfo), id },
          onGone(listener) {
            for (const gone of [signal, requestInfo?.signal]) gone?.addEventListener('abort', listener);
          },
          baseUrl: requestInfo ? new URL(requestInfo.url).origin : '',
          progressToken: _meta?.progressToken,
          // The signal reports that a client disconnected, so a lost notification does not matter.
          notify: (notification) => void notify({ ...notification }).catch(() => {}),
        });
      });
      return server;
    },
    {
      legacy: 'stateless',
      onerror: (error) => options.log.debug({ err: error }, 'MCP request refused'),
    },
  );

  /** @param form a call of a tool that is offered */
  async function call(form: CommonForm, tool: Tool, request: DirectRequest): Promise<true> {
    const answer = createCallAnswer(form, request, serverInfo);
    const { principal, baseUrl, onGone, headers } = request;
    const from = { principal, userAgent: headers['user-agent'] ?? '', id: form.id };
    const { notify } = answer;
    const { arguments: args, progressToken } = form;
    try {
      answer.end(await calls.run({ tool, args, from, onGone, baseUrl, notify, progressToken }));
      return true;
    } finally {
      answer.close();
    }
  }

  return {
    direct(request) {
      const { headers } = request;
      const form = formOf(headers, request.body);
      if (!form) return false;
      const found = offerFor({ get: (name) => headerOf(headers, name.toLowerCase()) ?? null });
      if ('problem' in found) return false;
      if (form.method === 'tools/call') {
        const tool = found.offer.tools.get(form.name);
        return tool ? call(form, tool, request) : false;
      }
      request.send(listAnswer(form, found.offer));
      return true;
    },
    async fetch(request, sent, principal) {
      const body = Array.isArray(sent) ? sent.map(withoutNulls) : withoutNulls(sent);
      const found = offerFor(request.headers);
      if ('problem' in found) return refusal(body, ProtocolErrorCode.InvalidParams, found.problem);
      if (repeatsAnId(body)) {
        return refusal(null, ProtocolErrorCode.InvalidRequest, 'Two requests in the batch have the same ID.');
      }
      const userAgent = userAgentOf(request);
      for (const id of cancelledBy(body)) calls.cancel({ principal, userAgent, id });
      const extra = { body, offer: found.offer } satisfies Extra;
      return handler.fetch(request, {
        parsedBody: body,
        authInfo: { token: '', clientId: principal, scopes: ['relay'], extra },
      });
    },
    stopCalls: () => calls.stop(),
    close: () => handler.close(),
  };
}

function invalid(problem: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, modelText(problem));
}

/** The IDs of the requests that notifications of the 2025 revisions cancel, alone or in a batch. */
function cancelledBy(body: unknown): Array<Caller['id']> {
  type Message = { method?: unknown; params?: { requestId?: unknown } } | null | undefined;
  const messages = (Array.isArray(body) ? body : [body]) as Message[];
  return messages.flatMap((message) => {
    if (message?.method !== 'notifications/cancelled') return [];
    const id = message.params?.requestId;
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });
}

function userAgentOf(request: Request | undefined): string {
  return request?.headers.get('user-agent') ?? '';
}

/**
 * A message without the nulls that mean "left out", which the SDK would refuse with the text of its parser. They may be anywhere
 * in `params`, as in the `_meta` of a call and the `clientInfo` of a handshake. Only the arguments of a tool stay as they were
 * sent, since `parseArguments.ts` removes such nulls from them.
 */
function withoutNulls(message: unknown): unknown {
  if (!isObject(message) || !('params' in message)) return message;
  const { params, ...rest } = message;
  if (params === null) return rest;
  if (!isObject(params) || message.method !== 'tools/call') return { ...rest, params: filled(params) };
  const { arguments: args = null, ...others } = params;
  const given = args === null ? {} : { arguments: args };
  return { ...rest, params: { ...(filled(others) as object), ...given } };
}

/**
 * Depth below which nulls stay. Messages of the protocol nest less deeply, and a client could nest so deeply that the recursion
 * overflows the stack.
 */
const MAX_FILLED_DEPTH = 8;

function filled(value: unknown, depth = 1): unknown {
  if (depth > MAX_FILLED_DEPTH) return value;
  if (Array.isArray(value)) return value.map((entry) => filled(entry, depth + 1));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, filled(member, depth + 1)]));
}

/** What the SDK passes from a request to its `Server`. */
interface Extra extends Record<string, unknown> {
  body: unknown;
  offer: Offer;
}

function extraOf(info: { extra?: Record<string, unknown> } | undefined): Extra {
  if (!info?.extra) throw new Error('every request comes through fetch');
  return info.extra as Extra;
}

/** True for a batch (revision 2025-03-26) in which two requests have the same ID: their calls could not be told apart. */
function repeatsAnId(body: unknown): boolean {
  if (!Array.isArray(body)) return false;
  const requests = body.filter((message) => isObject(message) && 'method' in message && 'id' in message);
  const ids = requests.map(({ id }) => id);
  return new Set(ids).size < ids.length;
}

/**
 * Refuses a request before the SDK sees it. A request with invalid headers would otherwise get tools that the client meant to
 * leave out.
 */
function refusal(body: unknown, code: ProtocolErrorCode, message: string): Response {
  const id = (body as { id?: unknown } | null | undefined)?.id;
  const error = { code, message };
  const known = typeof id === 'string' || typeof id === 'number';
  return Response.json({ jsonrpc: '2.0', error, id: known ? id : null }, { status: 400 });
}

/** The arguments as sent. The SDK's own parsing drops a key called `__proto__`, which has to be refused. */
function sentArguments(body: unknown, id: string | number): unknown {
  type Message = { id?: unknown; params?: { arguments?: unknown } } | null | undefined;
  const messages = (Array.isArray(body) ? body : [body]) as Message[];
  return messages.find((message) => message?.id === id)?.params?.arguments;
}
