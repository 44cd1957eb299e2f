/** One HTTP exchange as the routes see it: a request that passed the guards, and ways to answer it. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  method: string;
  path: string;
  query: URLSearchParams;
  /** Scheme and host of this server as the client dialled it, or `PUBLIC_BASE_URL`. */
  baseUrl: string;
  requestId: string;
}

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // Not `no-referrer`: with that, browsers send `Origin: null` with the forms of our own pages.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

export function setSecurityHeaders(response: ServerResponse, requestId: string): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  response.setHeader('x-request-id', requestId);
}

export function sendJson(
  exchange: Exchange,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  end(exchange, status, { 'content-type': 'application/json; charset=utf-8', ...headers }, text);
}

export function redirect(exchange: Exchange, location: string, headers: Record<string, string> = {}): void {
  end(exchange, 302, { location, ...headers }, '');
}

export function end(exchange: Exchange, status: number, headers: Record<string, string>, text: string): void {
  const { response } = exchange;
  if (response.headersSent) return;
  const body = Buffer.from(text, 'utf8');
  response.writeHead(status, { ...headers, 'content-length': body.byteLength });
  response.end(exchange.method === 'HEAD' ? undefined : body);
}

/** The value of a cookie, null when the browser sent none of that name. */
export function cookieOf(exchange: Exchange, name: string): string | null {
  const pairs = (exchange.request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${name}=`));
  return found ? found.slice(name.length + 1) : null;
}
