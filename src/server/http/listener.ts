/**
 * The HTTP listener: guards before routing, security headers on every answer, time-outs against slow clients, and an orderly
 * shutdown. The caller makes the routes.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { later } from '../../base/abort.ts';
import type { Clock, Random } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { createQuietLog, shownHeader } from '../log/quietLog.ts';
import { createGuards, type Identity } from './address.ts';
import { asksForPage, asksForServiceWorker, endServiceWorker } from './browser.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  type Connections,
  createConnections,
} from './connections.ts';
import { type HttpContext, securityHeaders, sendJson } from './context.ts';
import { bindAll } from './ports.ts';
import { createRouter, type Route } from './router.ts';
import { HttpError, toHttp } from './toHttp.ts';

export interface ListenerOptions {
  host: string;
  port: number;
  publicBaseUrl: string | null;
  demo: boolean;
  /** Answers a person whose browser went to a path that does not exist. */
  showMissing(context: HttpContext): void;
  routes(port: number): readonly Route[];
  /** Limits that differ from the usual ones, for tests that cannot wait. */
  limits?: Partial<ConnectionLimits>;
  random: Random;
  clock: Clock;
  log: Log;
}

export interface Listener {
  port: number;
  /** Refuses new connections and closes idle ones. Requests under way get `graceMs` to end; then their connections are cut. */
  close(graceMs: number): Promise<void>;
}

export async function listen(options: ListenerOptions): Promise<Listener> {
  let dispatch: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const { random } = options;
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const connections = createConnections(limits);
  const make = (): Server => {
    // A missing `Host` is refused below, in the usual form.
    const options = { connectionsCheckingInterval: limits.checkMs, requireHostHeader: false };
    const server = createServer(options, (request, response) => dispatch(request, response));
    // By default, Node keeps a certain number of headers and drops the others silently. The guards would not see those.
    server.maxHeadersCount = 0;
    server.on('clientError', (error, socket: Socket) => refuseBytes(error, socket, random.uuid()));
    connections.watch(server);
    return server;
  };
  const { servers, port, names } = await bindAll(make, options.port, options.host);
  dispatch = createDispatch(options, { port, names, publicBaseUrl: options.publicBaseUrl });
  if (options.publicBaseUrl !== null) {
    options.log.warn(
      { publicBaseUrl: options.publicBaseUrl, host: options.host },
      'this server is public: https and strong secrets are required, and limits count per address',
    );
  }
  return { port, close: (graceMs) => closeAll(servers, connections, graceMs, options.clock) };
}

function createDispatch(options: ListenerOptions, identity: Identity) {
  const router = createRouter(options.routes(identity.port));
  const { log } = options;
  const quietLog = createQuietLog(log, options.clock);
  const site = { startId: options.random.bytes(9).toString('base64url'), demo: options.demo };
  const { baseUrlFor, isOwnOrigin } = createGuards(identity);

  return (request: IncomingMessage, response: ServerResponse): void => {
    const context = contextOf(request, response, { requestId: options.random.uuid(), site });
    try {
      run(context)?.catch((error: unknown) => refuse(context, error));
    } catch (error) {
      refuse(context, error);
    }
  };

  function run(context: HttpContext): void | Promise<void> {
    const { headers, headersDistinct, httpVersion } = context.request;
    // Two readers could take two hosts for different ones (RFC 9112 3.2).
    const hosts = headersDistinct.host?.length ?? 0;
    if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) throw new HttpError('BAD_REQUEST');
    const baseUrl = baseUrlFor(headers.host);
    if (baseUrl === null) throw new HttpError('FORBIDDEN_HOST');
    if (!isOwnOrigin(headers.origin) && !router.allowsAnyOrigin(context.path)) {
      throw new HttpError('FORBIDDEN_ORIGIN');
    }
    context.baseUrl = baseUrl;
    if (context.method === 'GET' && asksForServiceWorker(headers)) return endServiceWorker(context);
    return router.find(context.method, context.path).handle(context);
  }

  function refuse(context: HttpContext, error: unknown): void {
    const { status, headers, error: told } = toHttp(error, context.requestId);
    const fields = { requestId: context.requestId, method: context.method, path: context.path };
    const { code } = told;
    const { host, origin } = context.request.headers;
    if (status === 500) log.error({ ...fields, err: error }, 'request failed');
    else if (code === 'FORBIDDEN_HOST' || code === 'FORBIDDEN_ORIGIN') {
      const from = { requestId: context.requestId, address: context.request.socket.remoteAddress };
      const sent = { host: shownHeader(host), origin: shownHeader(origin) };
      quietLog.warn(
        { ...from, ...sent },
        `request refused: foreign ${code === 'FORBIDDEN_HOST' ? 'Host' : 'Origin'}`,
      );
    } else log.debug({ ...fields, status, code }, 'request refused');
    if (context.response.headersSent) {
      context.response.destroy();
      return;
    }
    if (code === 'ROUTE_NOT_FOUND' && asksForPage(context)) {
      options.showMissing(context);
      return;
    }
    sendJson(context, status, errorBody(context.path, status, told), headers);
    // Discards what the client still sends. If it stayed unread, the connection could not be used again.
    if (!context.request.complete) context.request.resume();
  }
}

function errorBody(path: string, status: number, told: ReturnType<typeof toHttp>['error']): object {
  const { code, message, requestId } = told;
  if (/^\/mcp\/?$/.test(path)) {
    const rpcCode = code === 'MALFORMED_JSON' ? -32700 : -32000;
    return { jsonrpc: '2.0', error: { code: rpcCode, message, data: { code, requestId } }, id: null };
  }
  if (!path.startsWith('/oauth/')) return { error: told };
  // RFC 6749 5.2
  return { error: status < 500 ? 'invalid_request' : 'server_error', error_description: message };
}

/**
 * The target is split by hand: it may be anything, and `new URL` would normalise `//host` and `..` into other paths. A server must
 * also accept a whole URL, the form that is meant for proxies (RFC 9112 3.2.2); the guards look at `Host` alone.
 */
function contextOf(
  request: IncomingMessage,
  response: ServerResponse,
  own: Pick<HttpContext, 'requestId' | 'site'>,
): HttpContext {
  const { url = '/', method = 'GET' } = request;
  const [path = '', ...query] = url.replace(/^https?:\/\/[^/?#]*/i, '').split('?');
  return {
    ...{ request, response, method, path: path || '/', baseUrl: '' },
    query: new URLSearchParams(query.join('?')),
    ...own,
  };
}

/** Answers bytes that Node cannot read as a request in the form of every answer. */
function refuseBytes({ code = '' }: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  // Once an answer has begun, another one would be read as part of it.
  if (code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const status = NODE_REFUSALS[code] ?? '400 Bad Request';
  const error = { code: 'BAD_REQUEST', message: `${status.slice(4)}.`, requestId };
  const headers = { connection: 'close', 'content-type': 'application/json', ...securityHeaders(requestId) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${JSON.stringify({ error })}`);
  // Closing a socket with unread bytes would take the answer away from the client.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** How long a socket stays open after a refusal, so that the client can read the refusal. */
const LINGER_MS = 1_000;

const NODE_REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

async function closeAll(
  servers: Server[],
  connections: Connections,
  graceMs: number,
  clock: Clock,
): Promise<void> {
  const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
  // Node's `closeIdleConnections` skips connections that never sent anything, and connections that become idle later.
  connections.stop();
  const timer = new AbortController();
  const grace = later(clock, graceMs, timer.signal, () => {
    for (const server of servers) server.closeAllConnections();
  });
  await Promise.all(closed);
  timer.abort();
  await grace;
}
