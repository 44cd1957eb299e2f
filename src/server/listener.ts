/**
 * The HTTP listener: guards before routing, security headers on every answer, time-outs against slow clients, and an
 * orderly end. It knows no route by name.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock, Random } from '../domain/clock.ts';
import { RelayError, systemCodeOf } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  type Connections,
  createConnections,
} from './connections.ts';
import { type Exchange, end, securityHeaders, sendJson, setSecurityHeaders } from './exchange.ts';
import { baseUrlFor, type Identity, isOwnOrigin } from './guards.ts';
import { createRouter, type Route } from './router.ts';
import { HttpError, toHttp } from './toHttp.ts';

export interface ListenerOptions {
  host: string;
  port: number;
  publicBaseUrl: string | null;
  /** Made once the port is known. */
  routes(port: number): readonly Route[];
  /** Other than the usual ones, for tests that cannot wait. */
  limits?: Partial<ConnectionLimits>;
  random: Random;
  clock: Clock;
  log: Log;
}

export interface Listener {
  port: number;
  /** Refuses new connections, gives open ones `graceMs` to end, then cuts them. */
  close(graceMs: number): Promise<void>;
}

export async function listen(options: ListenerOptions): Promise<Listener> {
  let dispatch: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const connections = createConnections(limits);
  const make = (): Server => {
    const server = createServer({ connectionsCheckingInterval: limits.checkMs }, (request, response) =>
      dispatch(request, response),
    );
    answerForNode(server, connections, options.random);
    connections.watch(server);
    return server;
  };
  const servers = [make()];
  const port = await bind(servers[0] as Server, options.port, options.host);
  const other = TWINS[options.host];
  if (other !== undefined) {
    const twin = make();
    if (await bindTwin(twin, port, other, options.log)) servers.push(twin);
  }
  dispatch = createDispatch(options, { port, publicBaseUrl: options.publicBaseUrl });
  return { port, close: (graceMs) => closeAll(servers, connections, graceMs, options.clock) };
}

function createDispatch(options: ListenerOptions, identity: Identity) {
  const router = createRouter(options.routes(identity.port));
  const { log } = options;

  return (request: IncomingMessage, response: ServerResponse): void => {
    const exchange = exchangeOf(request, response, options.random.uuid());
    setSecurityHeaders(response, exchange.requestId);
    run(exchange).catch((error: unknown) => refuse(exchange, error));
  };

  async function run(exchange: Exchange): Promise<void> {
    const { headers } = exchange.request;
    // Two of them, and another reader of this request may believe the other one (RFC 9112 3.2).
    if (exchange.request.rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length > 1) {
      throw new HttpError('BAD_REQUEST');
    }
    const baseUrl = baseUrlFor(headers.host, identity);
    if (baseUrl === null) throw new HttpError('FORBIDDEN_HOST');
    if (!isOwnOrigin(headers.origin, identity) && !router.allowsAnyOrigin(exchange.path)) {
      throw new HttpError('FORBIDDEN_ORIGIN');
    }
    exchange.baseUrl = baseUrl;
    await router.find(exchange.method, exchange.path).handle(exchange);
  }

  function refuse(exchange: Exchange, error: unknown): void {
    const failure = toHttp(error, exchange.requestId);
    const fields = { requestId: exchange.requestId, method: exchange.method, path: exchange.path };
    if (failure.status === 500) log.error({ ...fields, err: error }, 'request failed');
    else log.debug({ ...fields, status: failure.status, code: failure.body.error.code }, 'request refused');
    if (exchange.response.headersSent) {
      exchange.response.destroy();
      return;
    }
    const body = exchange.path === '/mcp' ? jsonRpcError(failure.body.error) : failure.body;
    end(
      exchange,
      failure.status,
      { 'content-type': 'application/json; charset=utf-8', ...failure.headers },
      JSON.stringify(body),
    );
    // Whatever the client still sends is not read; without this it would hold the connection.
    if (!exchange.request.complete) exchange.request.resume();
  }
}

function jsonRpcError(error: { code: string; message: string; requestId: string }): object {
  const code = error.code === 'MALFORMED_JSON' ? -32700 : -32000;
  const { message, requestId } = error;
  return { jsonrpc: '2.0', error: { code, message, data: { code: error.code, requestId } }, id: null };
}

function exchangeOf(request: IncomingMessage, response: ServerResponse, requestId: string): Exchange {
  // Split by hand: the target may be anything, and `new URL` would normalise `//host` and `..` into other paths.
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1));
  const trusts = () => false;
  return { request, response, method: request.method ?? 'GET', path, query, baseUrl: '', requestId, trusts };
}

function bind(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(bindError(error, port, host)));
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/**
 * `localhost` may mean either loopback address, and the redirect URI is on 127.0.0.1 by default: whoever listens on one
 * has to listen on the other too.
 */
const TWINS: Readonly<Record<string, string>> = { '127.0.0.1': '::1', '::1': '127.0.0.1' };

/** Fails where `listen` would. Throws `PORT_TAKEN`, `SETTINGS_INVALID`. */
export async function requirePort(port: number, host: string): Promise<void> {
  const probe = createServer();
  await bind(probe, port, host);
  await new Promise((resolve) => probe.close(resolve));
}

async function bindTwin(server: Server, port: number, host: string, log: Log): Promise<boolean> {
  try {
    await bind(server, port, host);
    return true;
  } catch (error) {
    if (error instanceof RelayError && error.code === 'PORT_TAKEN') {
      log.warn(
        { host, port },
        'another program listens on this loopback address at this port: do not use it in URLs',
      );
    }
    return false;
  }
}

function bindError(error: Error, port: number, host: string): RelayError {
  const code = systemCodeOf(error);
  const at = `${host}:${port}`;
  if (code === 'EADDRINUSE') {
    return new RelayError('PORT_TAKEN', `Another program listens on ${at}.`, {
      remedy: 'Choose another port with --port (0 picks a free one), or stop the other program.',
      cause: error,
    });
  }
  return new RelayError('SETTINGS_INVALID', `The server cannot listen on ${at} (${code ?? error.message}).`, {
    remedy:
      code === 'EACCES'
        ? 'Ports below 1024 need special rights: choose another with --port.'
        : 'Check --host (RELAY_HOST) and --port (RELAY_PORT).',
    cause: error,
  });
}

/** What Node refuses by itself, before any route: the same headers and the same form of error as everywhere. */
function answerForNode(server: Server, connections: Connections, random: Random): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    const [status, message] = NODE_REFUSALS[error.code ?? ''] ?? [
      '400 Bad Request',
      'This is not understood.',
    ];
    const requestId = random.uuid();
    const body = JSON.stringify({ error: { code: 'BAD_REQUEST', message, requestId } });
    const headers = { ...securityHeaders(requestId), 'content-type': 'application/json; charset=utf-8' };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = `content-length: ${Buffer.byteLength(body)}\r\n`;
    const head = `HTTP/1.1 ${status}\r\nconnection: close\r\n${length}${lines.join('')}`;
    connections.refuse(socket, `${head}\r\n${body}`);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const exchange = exchangeOf(request, response, random.uuid());
    setSecurityHeaders(response, exchange.requestId);
    const error = {
      code: 'BAD_REQUEST',
      message: 'No such expectation can be met.',
      requestId: exchange.requestId,
    };
    sendJson(exchange, 417, { error });
  });
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
  // Node's own `closeIdleConnections` passes over those that never said anything, and those that become idle later.
  connections.stop();
  const timer = new AbortController();
  const grace = clock.sleep(graceMs, timer.signal).then(
    () => {
      for (const server of servers) server.closeAllConnections();
    },
    () => {},
  );
  await Promise.all(closed);
  timer.abort();
  await grace;
}
