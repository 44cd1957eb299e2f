/**
 * The MCP endpoint: the official SDK's handler for both eras, stateless, with a low-level `Server` per request over one
 * table of tools. It knows nothing about sockets or credentials; those belong to the server.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { RelayError } from '../domain/errors.ts';
import type { ToolChoice } from '../domain/toolsets.ts';
import type { Services } from '../tools/tool.ts';
import { withLoginLink } from './loginLink.ts';
import { createOffers, type Offer, unknownTool } from './offers.ts';
import { createPreparedLists, type PreparedAnswer } from './preparedList.ts';
import { promptText } from './prompts.ts';
import { runTool } from './runTool.ts';

export interface McpEndpointOptions {
  /** What the settings offer. */
  choice: ToolChoice;
  services: Services;
  clock: Clock;
  log: Log;
  version: string;
  /** Where a person connects the account, for a server that was dialled under this base URL. */
  loginUrl(baseUrl: string): string;
}

export interface McpEndpoint {
  /**
   * The answer to a POST that needs no work, as `fetch` would give it, or null: then `fetch` must.
   * @param body the parsed JSON
   */
  prepared(headers: IncomingHttpHeaders, body: unknown, principal: string): Promise<PreparedAnswer | null>;
  /**
   * Answers one HTTP request whose credential has been checked.
   * @param body the parsed JSON of a POST
   * @param principal who sent it; keeps one client's cancellations away from another's calls
   */
  fetch(request: Request, body: unknown, principal: string): Promise<Response>;
  /** Ends calls in progress with `SHUTTING_DOWN`. */
  stopCalls(): void;
  close(): Promise<void>;
}

/** How long a client may keep a list: it never changes while the server runs. */
const LIST_TTL_MS = 3_600_000;

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const offers = createOffers(options.choice);
  const inFlight = createInFlight();

  const handler = createMcpHandler(
    ({ requestInfo, authInfo }) => {
      const { body, offer } = extraOf(authInfo);
      const server = new Server(
        { name: 'relay', title: 'relay for Spotify (unofficial)', version: options.version },
        {
          capabilities: { tools: { listChanged: false }, prompts: { listChanged: false } },
          instructions: offer.instructions,
          cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS }, 'prompts/list': { ttlMs: LIST_TTL_MS } },
        },
      );
      server.setRequestHandler('tools/list', () => ({ tools: offer.entries }));
      server.setRequestHandler('prompts/list', () => ({ prompts: offer.prompts }));
      server.setRequestHandler('prompts/get', ({ params }) => {
        const found = promptText(params.name, params.arguments ?? {}, new Set(offer.tools.keys()));
        if ('problem' in found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, found.problem);
        const content = { type: 'text' as const, text: found.text };
        return { description: found.description, messages: [{ role: 'user' as const, content }] };
      });
      server.setRequestHandler('tools/call', async (request, context) => {
        const { name } = request.params;
        const tool = offer.tools.get(name);
        if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(name, offer));
        const cancelled = new AbortController();
        const done = inFlight.add(callKey(authInfo?.clientId, requestInfo, context.mcpReq.id), cancelled);
        const gone = [context.mcpReq.signal, requestInfo?.signal].filter((signal) => signal !== undefined);
        const stop = () => cancelled.abort(new RelayError('CANCELLED', 'The client disconnected.'));
        for (const signal of gone) signal.addEventListener('abort', stop, { once: true });
        try {
          const sent = sentArguments(body, context.mcpReq.id);
          const result = await runTool(tool, sent ?? request.params.arguments, {
            services: options.services,
            clock: options.clock,
            log: options.log,
            signal: cancelled.signal,
            progress: progressOf(context),
          });
          return requestInfo
            ? withLoginLink(result, options.loginUrl(new URL(requestInfo.url).origin))
            : result;
        } finally {
          done();
          for (const signal of gone) signal.removeEventListener('abort', stop);
        }
      });
      return server;
    },
    {
      legacy: 'stateless',
      onerror: (error) => options.log.debug({ err: error }, 'MCP request refused'),
    },
  );

  function handle(request: Request, body: unknown, offer: Offer, principal: string): Promise<Response> {
    const extra = { body, offer } satisfies Extra;
    return handler.fetch(request, {
      parsedBody: body,
      authInfo: { token: '', clientId: principal, scopes: ['relay'], extra },
    });
  }

  const lists = createPreparedLists((request, body, offer) => handle(request, body, offer, 'relay'));

  return {
    async prepared(headers, body) {
      const found = offers.forRequest({ get: (name) => oneValue(headers[name.toLowerCase()]) });
      return 'problem' in found ? null : lists.answer(headers, body, found.offer);
    },
    async fetch(request, body, principal) {
      const found = offers.forRequest(request.headers);
      if ('problem' in found) return refusal(body, found.problem);
      cancelNamed(body, principal, request);
      return handle(request, body, found.offer, principal);
    },
    stopCalls() {
      inFlight.cancelAll(
        new RelayError('SHUTTING_DOWN', 'The server is stopping.', {
          remedy: 'Try again when it is running again.',
        }),
      );
    },
    close: () => handler.close(),
  };

  function cancelNamed(body: unknown, principal: string, request: Request): void {
    const message = body as { method?: unknown; params?: { requestId?: unknown } } | null | undefined;
    if (message?.method !== 'notifications/cancelled') return;
    const id = message.params?.requestId;
    if (typeof id === 'string' || typeof id === 'number') inFlight.cancel(callKey(principal, request, id));
  }
}

/** What the SDK hands through from one request to its `Server`. */
interface Extra extends Record<string, unknown> {
  body: unknown;
  offer: Offer;
}

function extraOf(info: { extra?: Record<string, unknown> } | undefined): Extra {
  if (!info?.extra) throw new Error('every request comes through fetch');
  return info.extra as Extra;
}

function oneValue(header: string | string[] | undefined): string | null {
  return Array.isArray(header) ? header.join(', ') : (header ?? null);
}

/** A request whose headers cannot be understood: it would otherwise get other tools than it meant. */
function refusal(body: unknown, message: string): Response {
  const id = (body as { id?: unknown } | null | undefined)?.id;
  const error = { code: ProtocolErrorCode.InvalidParams, message };
  const known = typeof id === 'string' || typeof id === 'number';
  return Response.json({ jsonrpc: '2.0', error, id: known ? id : null }, { status: 400 });
}

/** The arguments as sent: the SDK's own parsing drops a key called `__proto__`. */
function sentArguments(body: unknown, id: string | number): unknown {
  type Message = { id?: unknown; params?: { arguments?: unknown } } | null | undefined;
  const messages = (Array.isArray(body) ? body : [body]) as Message[];
  return messages.find((message) => message?.id === id)?.params?.arguments;
}

function callKey(principal: string | undefined, request: Request | undefined, id: string | number): string {
  return JSON.stringify([principal, request?.headers.get('user-agent') ?? '', id]);
}

interface ProgressContext {
  mcpReq: {
    _meta?: { progressToken?: string | number };
    notify(notification: { method: string; params: Record<string, unknown> }): Promise<void>;
  };
}

/** Sends progress only to a client that asked for it, and never backwards (the protocol forbids it). */
function progressOf(context: ProgressContext): (done: number, total: number, message?: string) => void {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let last = 0;
  return (progress, total, message) => {
    if (progress <= last) return;
    last = progress;
    const params = { progressToken, progress, total, ...(message === undefined ? {} : { message }) };
    // The signal tells that a client disconnected, a lost notification does not matter.
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/**
 * Calls in progress, so that `notifications/cancelled` of the 2025 revisions finds the call it means: with stateless
 * serving, the notification arrives as a request of its own.
 */
interface InFlight {
  /** Registers a call; the returned function removes it. */
  add(key: string, controller: AbortController): () => void;
  /**
   * Cancels the call with this key if there is exactly one: two clients that share a credential and a name may use the
   * same request ID at the same time, and stopping the wrong call is worse than stopping none.
   */
  cancel(key: string): boolean;
  cancelAll(reason: RelayError): void;
}

function createInFlight(): InFlight {
  const calls = new Set<{ key: string; controller: AbortController }>();
  return {
    add(key, controller) {
      const entry = { key, controller };
      calls.add(entry);
      return () => calls.delete(entry);
    },
    cancel(key) {
      const matches = [...calls].filter((call) => call.key === key);
      if (matches.length !== 1) return false;
      matches[0]?.controller.abort(new RelayError('CANCELLED', 'The client cancelled the call.'));
      return true;
    },
    cancelAll(reason) {
      for (const call of calls) call.controller.abort(reason);
    },
  };
}
