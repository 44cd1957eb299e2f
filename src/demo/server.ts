/** The listener: reads requests, passes them on, and writes the answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Delivery } from './hook.ts';
import { type Answer, apiError, type Incoming } from './http.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** Longer than any client keeps an idle connection, so that only a hook cuts connections. */
const KEEP_ALIVE_MS = 65_000;

type Responder = (incoming: Incoming) => Promise<Delivery>;

/**
 * The server, not yet listening. An error in the provider itself is answered with 500.
 * @param now returns the time for the `Date` header, Unix milliseconds
 */
export function makeServer(respond: Responder, now: () => number): Server {
  const server = createServer((request, response) => {
    response.setHeader('date', new Date(now()).toUTCString());
    serve(request, response, respond).catch(() => {
      if (response.headersSent) response.destroy();
      else writeWhole(response, apiError(500, 'Server error.'));
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

async function serve(request: IncomingMessage, response: ServerResponse, respond: Responder): Promise<void> {
  if (lacksLength(request)) return writeWhole(response, LENGTH_REQUIRED);
  const text = await readBody(request);
  if (text === null) writeWhole(response, apiError(413, 'Request entity too large'));
  else write(response, await respond(incomingOf(request, text)));
}

/** Spotify's front end refuses a PUT or POST without a length. */
function lacksLength({ method, headers }: IncomingMessage): boolean {
  const needsLength = method === 'PUT' || method === 'POST';
  return needsLength && headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

const LENGTH_REQUIRED: Answer = {
  status: 411,
  text: 'Length Required',
  headers: { 'content-type': 'text/html; charset=utf-8' },
};

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function incomingOf(request: IncomingMessage, text: string): Incoming {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const isApi = url.pathname.startsWith('/v1/');
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
  return {
    method: request.method ?? 'GET',
    path: isApi ? url.pathname.slice('/v1'.length) : url.pathname,
    isApi,
    query: url.searchParams,
    headers,
    text,
  };
}

/** A hanging request gets no answer; closing the server ends the request. */
function write(response: ServerResponse, { answer, manner }: Delivery): void {
  if (manner === 'whole') writeWhole(response, answer);
  else if (manner === 'half') writeHalf(response, answer);
  else if (manner === 'drop') response.destroy();
}

function writeWhole(response: ServerResponse, answer: Answer): void {
  const { headers, body } = wireForm(answer);
  response.writeHead(answer.status, headers);
  response.end(body);
}

function writeHalf(response: ServerResponse, answer: Answer): void {
  const { headers, body } = wireForm(answer);
  response.writeHead(answer.status, headers);
  response.write(body.subarray(0, Math.floor(body.length / 2)));
}

function wireForm(answer: Answer): { headers: Record<string, string>; body: Buffer } {
  const isJson = answer.json !== undefined;
  const body = Buffer.from(isJson ? JSON.stringify(answer.json) : (answer.text ?? ''));
  const headers: Record<string, string> = {};
  if (isJson) headers['content-type'] = 'application/json; charset=utf-8';
  if (answer.status !== 204) headers['content-length'] = String(body.length);
  return { headers: { ...headers, ...answer.headers }, body };
}
