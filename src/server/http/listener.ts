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
import { trustIn } from './address.ts';
import { asksForPage, asksForServiceWorker, endServiceWorker } from './browser.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  type Connections,
  createConnections,
} from './connections.ts';
import { type HttpContext, securityHeaders, sendJson } from './context.ts';
import { createGuards, type Identity } from './guards.ts';
import { bindAll } from './ports.ts';
import { createRouter, type Route } from './router.ts';
import { HttpError, toHttp } from './toHttp.ts';

export interface ListenerOptions {
  host: string;
  port: number;
  publicBaseUrl: string | null;
  /** Addresses and networks of the proxies whose forwarding headers count. */
  trustedProxies: readonly string[];
  demo: boolean;
  /** Answers a person whose browser went to a path that does not exist. */
  showMissing(context: HttpContext): void;
  /** Makes the routes; called once the port is known. */
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
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const connections = createConnections(limits);
  const make = (): Server => {
    const server = createServer(
      // A missing `Host` is refused below, in the usual form.
      { connectionsCheckingInterval: limits.checkMs, requireHostHeader: false },
      (request, response) => dispatch(request, response),
    );
    // By default, Node keeps a certain number of headers and drops the others silently. The guards would not see those.
    server.maxHeadersCount = 0;
    answerForNode(server, connections, options.random);
    connections.watch(server);
    return server;
  };
  const { servers, port, names } = await bindAll(make, options.port, options.host);
  dispatch = createDispatch(options, { port, names, publicBaseUrl: options.publicBaseUrl });
  warnIfPublic(options);
  return { port, close: (graceMs) => closeAll(servers, connections, graceMs, options.clock) };
}

/** Logs a warning that this server is not for this machine alone. */
function warnIfPublic({ publicBaseUrl, host, trustedProxies, log }: ListenerOptions): void {
  if (publicBaseUrl === null) return;
  log.warn(
    { publicBaseUrl, host, trustedProxies },
    'this server is public: https and strong secrets are required, and limits count per address',
  );
}

function createDispatch(options: ListenerOptions, identity: Identity) {
  const router = createRouter(options.routes(identity.port));
  const { log } = options;
  const quietLog = createQuietLog(log, options.clock);
  const trusts = trustIn(options.trustedProxies);
  const site = { startId: options.random.bytes(9).toString('base64url'), demo: options.demo };
  const { baseUrlFor, isOwnOrigin } = createGuards(identity);

  return (request: IncomingMessage, response: ServerResponse): void => {
    const context = contextOf(request, response, {
      requestId: options.random.uuid(),
      site,
      trusts,
    });
    try {
      run(context)?.catch((error: unknown) => refuse(context, error));
    } catch (error) {
      refuse(context, error);
    }
  };

  function run(context: HttpContext): void | Promise<void> {
    const { headers } = context.request;
    requireOneMeaning(context.request);
    const baseUrl = baseUrlFor(headers.host);
    if (baseUrl === null) throw new HttpError('FORBIDDEN_HOST');
    if (!isOwnOrigin(headers.origin) && !router.allowsAnyOrigin(context.path)) {
      throw new HttpError('FORBIDDEN_ORIGIN');
    }
    context.baseUrl = baseUrl;
    if (context.method === 'GET' && asksForServiceWorker(headers)) return endServiceWorker(context);
    return router.find(context.method, context.path).handle(context);
  }

  function warnOfForeign({ request, requestId }: HttpContext, code: string): void {
    const { headers, socket } = request;
    const fields = { requestId, address: socket.remoteAddress, host: shownHeader(headers.host) };
    if (code === 'FORBIDDEN_HOST') quietLog.warn(fields, 'request refused: foreign Host');
    else quietLog.warn({ ...fields, origin: shownHeader(headers.origin) }, 'request refused: foreign Origin');
  }

  function refuse(context: HttpContext, error: unknown): void {
    const { status, headers, error: told } = toHttp(error, context.requestId);
    const fields = { requestId: context.requestId, method: context.method, path: context.path };
    const { code } = told;
    if (status === 500) log.error({ ...fields, err: error }, 'request failed');
    else if (code === 'FORBIDDEN_HOST' || code === 'FORBIDDEN_ORIGIN') warnOfForeign(context, code);
    else log.debug({ ...fields, status, code }, 'request refused');
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

/**
 * Refuses a request that two readers could read differently (RFC 9112 3.2, 11.2). Also refuses one with too many headers, since
 * Node's own limit is switched off.
 * @throws HttpError `BAD_REQUEST`, `TOO_MANY_HEADERS`
 */
function requireOneMeaning(request: IncomingMessage): void {
  const { rawHeaders, headers, httpVersion } = request;
  if (rawHeaders.length / 2 > MAX_HEADERS) throw new HttpError('TOO_MANY_HEADERS');
  const hosts = countHosts(rawHeaders);
  const authority = isPath(request.url) ? undefined : ABSOLUTE_TARGET.exec(request.url ?? '')?.[1];
  const isOtherHost = authority !== undefined && authority.toLowerCase() !== headers.host?.toLowerCase();
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1') || isOtherHost) throw new HttpError('BAD_REQUEST');
}

/** @param rawHeaders alternating names and values */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

interface Told {
  code: string;
  message: string;
  requestId: string;
}

/** The body of a refusal, in the form that the clients of the path read. */
function errorBody(path: string, status: number, told: Told): object {
  if (/^\/mcp\/?$/.test(path)) return jsonRpcError(told);
  if (!path.startsWith('/oauth/')) return { error: told };
  // RFC 6749 5.2
  return { error: status < 500 ? 'invalid_request' : 'server_error', error_description: told.message };
}

function jsonRpcError(error: Told): object {
  const code = error.code === 'MALFORMED_JSON' ? -32700 : -32000;
  const { message, requestId } = error;
  return { jsonrpc: '2.0', error: { code, message, data: { code: error.code, requestId } }, id: null };
}

const ABSOLUTE_TARGET = /^https?:\/\/([^/?#]*)(.*)$/i;
const MAX_HEADERS = 200;
/** The query that all requests without a query share; nothing writes to it. */
const NO_QUERY = new URLSearchParams();

function isPath(target: string | undefined): boolean {
  return target?.startsWith('/') === true;
}

function contextOf(
  request: IncomingMessage,
  response: ServerResponse,
  own: Pick<HttpContext, 'requestId' | 'site' | 'trusts'>,
): HttpContext {
  // The target is split by hand: it may be anything, and `new URL` would normalise `//host` and `..` into other paths. A server
  // must also accept a whole URL, the form that is meant for proxies (RFC 9112 3.2.2).
  const { url = '/', method = 'GET' } = request;
  const target = isPath(url) ? url : url.replace(ABSOLUTE_TARGET, (_all, _authority, rest) => rest || '/');
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? NO_QUERY : new URLSearchParams(target.slice(mark + 1));
  const { requestId, site, trusts } = own;
  return { request, response, method, path, query, baseUrl: '', requestId, site, trusts };
}

/** Answers the requests for which Node does not call the request listener, with the body and headers that errors usually have. */
function answerForNode(server: Server, connections: Connections, random: Random): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    const [status, message] = NODE_REFUSALS[error.code ?? ''] ?? ['400 Bad Request', 'Bad request.'];
    connections.refuse(socket, rawRefusal(status, message, random.uuid()));
  });
  // Without this listener, Node drops the connection silently.
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    connections.refuse(socket, rawRefusal('400 Bad Request', 'This server is not a proxy.', random.uuid()));
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const trusts = () => false;
    const own = { requestId: random.uuid(), site: { startId: '', demo: false }, trusts };
    const context = contextOf(request, response, own);
    const error = {
      code: 'BAD_REQUEST',
      message: 'This expectation cannot be met.',
      requestId: context.requestId,
    };
    sendJson(context, 417, { error });
  });
}

function rawRefusal(status: string, message: string, requestId: string): string {
  const body = JSON.stringify({ error: { code: 'BAD_REQUEST', message, requestId } });
  const headers = {
    connection: 'close',
    'content-length': Buffer.byteLength(body),
    ...securityHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`;
}

const NODE_REFUSALS: Readonly<Record<string, [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
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
