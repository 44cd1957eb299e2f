/** One request as the routes see it, and the ways to answer it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { headerValue } from '../../base/visibleText.ts';

export interface HttpContext {
  request: IncomingMessage;
  response: ServerResponse;
  method: string;
  path: string;
  query: URLSearchParams;
  /** `PUBLIC_BASE_URL`, or else scheme and host of this server as the client addressed it; '' until the guards have passed. */
  baseUrl: string;
  requestId: string;
  site: Site;
}

interface Site {
  /** A random ID, new at each start of the server. Addresses that hold it cannot be guessed. */
  startId: string;
  demo: boolean;
}

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // With `no-referrer`, browsers would send `Origin: null` with the forms of our own pages.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

export function securityHeaders(requestId: string): Record<string, string> {
  return { ...SECURITY_HEADERS, 'x-request-id': requestId };
}

/**
 * Begins an answer. `headers`, named in lower case, replace the usual headers of the same name.
 * @param length length of the body in bytes; null if it is not known yet
 */
export function writeHead(
  { response, requestId }: HttpContext,
  status: number,
  headers: Readonly<Record<string, string>>,
  length: number | null = null,
): void {
  const all = { ...securityHeaders(requestId), ...headers };
  response.writeHead(status, length === null ? all : { ...all, 'content-length': length });
}

export function sendJson(
  context: HttpContext,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  end(context, status, { 'content-type': 'application/json; charset=utf-8', ...headers }, text);
}

export function redirect(context: HttpContext, location: string): void {
  // 303 after a form: the browser must not send the form's content to the next address (RFC 9700 4.12).
  end(context, context.method === 'POST' ? 303 : 302, { location }, '');
}

/**
 * Sends a whole answer; does nothing if an answer has begun. Header values may hold a client's text, so line breaks in them
 * are encoded.
 */
export function end(
  context: HttpContext,
  status: number,
  headers: Record<string, string>,
  text: string,
): void {
  const { response } = context;
  if (response.headersSent) return;
  const body = Buffer.from(text, 'utf8');
  writeHead(context, status, safeHeaders(headers), body.byteLength);
  response.end(context.method === 'HEAD' ? undefined : body);
}

/** Encodes everything in the headers' values that is not visible ASCII or a space. */
export function safeHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerValue(value)]));
}
