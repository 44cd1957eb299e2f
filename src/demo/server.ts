/** The listener: reads requests, passes them on, and writes the answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Answer, apiError, type Incoming } from './http.ts';

/** Longer than any client keeps an idle connection, so that only a test cuts connections. */
const KEEP_ALIVE_MS = 65_000;

export type Responder = (incoming: Incoming, response: ServerResponse) => Promise<void>;

/**
 * The server, not yet listening. An error in the provider itself is answered with 500.
 * @param now returns the time for the `Date` header, Unix milliseconds
 */
export function makeServer(respond: Responder, now: () => number): Server {
  const server = createServer((request, response) => {
    response.setHeader('date', new Date(now()).toUTCString());
    text(request)
      .then((body) => respond(incomingOf(request, body), response))
      .catch(() => {
        if (response.headersSent) response.destroy();
        else writeAnswer(response, apiError(500, 'Server error.'));
      });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

function incomingOf({ method = 'GET', url = '/', headers }: IncomingMessage, body: string): Incoming {
  const { pathname, searchParams: query } = new URL(url, 'http://127.0.0.1');
  const isApi = pathname.startsWith('/v1/');
  const path = isApi ? pathname.slice('/v1'.length) : pathname;
  // Node joins the values of a header that was sent twice, except for one that only answers have.
  return { method, path, isApi, query, headers: headers as Incoming['headers'], text: body };
}

/** Sends an answer. @param part the share of the body that is sent; with less than 1, the answer does not end */
export function writeAnswer(response: ServerResponse, answer: Answer, part = 1): void {
  const isJson = answer.json !== undefined;
  const body = Buffer.from(isJson ? JSON.stringify(answer.json) : (answer.text ?? ''));
  const headers: Record<string, string> = {};
  if (isJson) headers['content-type'] = 'application/json; charset=utf-8';
  if (answer.status !== 204) headers['content-length'] = String(body.length);
  response.writeHead(answer.status, { ...headers, ...answer.headers });
  if (part < 1) response.write(body.subarray(0, Math.floor(body.length * part)));
  else response.end(body);
}
