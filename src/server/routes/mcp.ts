/** `/mcp`: checks the credential, reads the body and calls the MCP endpoint. Answers may be streams. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { Log } from '../../base/log.ts';
import { programFor } from '../../domain/remedy.ts';
import { READ_ONLY_HEADER } from '../../domain/toolsets.ts';
import type { DirectRequest, EventStream, WholeAnswer } from '../../mcp/directAnswer.ts';
import type { McpEndpoint } from '../../mcp/endpoint.ts';
import { SCOPE } from '../../oauth/policy/limits.ts';
import { COMMAND_LINE, type Credentials } from '../access/credentials.ts';
import { CARRIED_BODY, CLIENT_BODY, withMessage } from '../http/body.ts';
import { type HttpContext, safeHeaders, sendJson, writeHead } from '../http/context.ts';
import type { Route } from '../http/router.ts';

/** @param log a log that refusals cannot flood */
export function mcpRoutes(endpoint: McpEndpoint, credentials: Credentials, log: Log): Route[] {
  function handle(context: HttpContext): void | Promise<void> {
    const { headers, socket } = context.request;
    const check = credentials.check(headers.authorization, `${context.baseUrl}/mcp`, socket);
    if (!check.ok) {
      const { requestId, path } = context;
      if (headers.authorization) log.warn({ requestId, path }, 'credential refused');
      return challenge(context, check.reason, credentials);
    }
    const { principal } = check;
    // A read-only approval sets this header, whatever the client sends.
    if (check.readOnly) headers[READ_ONLY_HEADER.toLowerCase()] = 'true';
    if (context.method !== 'POST') return askSdk(context, undefined, principal);
    return withMessage(context, principal === COMMAND_LINE ? CARRIED_BODY : CLIENT_BODY, (body) => {
      const isSent = endpoint.direct(directRequestOf(context, body, principal));
      if (isSent !== true) return elseAskSdk(isSent, context, body, principal);
    });
  }

  async function elseAskSdk(
    isSent: boolean | Promise<boolean>,
    context: HttpContext,
    body: unknown,
    principal: string,
  ): Promise<void> {
    if (!(await isSent)) await askSdk(context, body, principal);
  }

  async function askSdk(context: HttpContext, body: unknown, principal: string): Promise<void> {
    const gone = new AbortController();
    // An abort is expensive, and pointless once the answer is sent.
    context.response.once('close', () => context.response.writableFinished || gone.abort());
    const request = new Request(`${context.baseUrl}/mcp`, {
      method: context.method,
      headers: headersOf(context),
      signal: gone.signal,
    });
    await forward(context, await endpoint.fetch(request, body, principal));
  }

  return (['DELETE', 'GET', 'POST'] as const).map((method) => ({ method, path: '/mcp', handle }));
}

/** The 401 answer (RFC 6750 3, RFC 9728 5.1). It has no `error` if no token was sent (RFC 6750 3.1). */
function challenge(
  context: HttpContext,
  reason: 'missing' | 'invalid',
  { acceptsKey }: Pick<Credentials, 'acceptsKey'>,
): void {
  const metadata = `${context.baseUrl}/.well-known/oauth-protected-resource/mcp`;
  const parts = [
    ...(reason === 'invalid' ? ['error="invalid_token"'] : []),
    `resource_metadata="${metadata}"`,
    `scope="${SCOPE}"`,
  ];
  const [what, orKey] = CHALLENGES[reason];
  const message = `${what}${acceptsKey ? orKey(programFor(context.site)) : ''}.`;
  const body = { jsonrpc: '2.0', error: { code: -32001, message }, id: null };
  context.request.resume();
  sendJson(context, 401, body, { 'www-authenticate': `Bearer ${parts.join(', ')}` });
}

/** What each refusal says, and what it adds where the API key is a credential too. */
const CHALLENGES = {
  missing: [
    'A credential is required: an OAuth token from this server',
    (relay: string) => `, or 'Authorization: Bearer <key>' with the key that '${relay} key' prints`,
  ],
  invalid: [
    'The credential is wrong or has expired: authorize again',
    (relay: string) => `, or run '${relay} key' to see the current key`,
  ],
} as const;

/** Returns the headers without credential and cookies, which the MCP endpoint does not need. */
function headersOf(context: HttpContext): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(context.request.headers)) {
    if (value === undefined || name === 'authorization' || name === 'cookie') continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return headers;
}

function directRequestOf(context: HttpContext, body: unknown, principal: string): DirectRequest {
  const { request, response, baseUrl } = context;
  return {
    headers: request.headers,
    body,
    principal,
    baseUrl,
    onGone: (listener) => response.once('close', () => response.writableFinished || listener()),
    send: (answer) => sendWhole(context, answer),
    begin: (headers) => begin(context, headers),
  };
}

/** Sends an answer without joining its parts, since they may be long. */
function sendWhole(context: HttpContext, { headers, parts }: WholeAnswer): void {
  const { response } = context;
  let length = 0;
  for (const part of parts) length += Buffer.byteLength(part);
  writeHead(context, 200, headers, length);
  for (const part of parts.slice(0, -1)) response.write(part);
  response.end(parts.at(-1));
}

/**
 * Begins an event stream. Events are few and small, so they are buffered. The server closes the connection of a client that
 * reads too slowly.
 */
function begin(context: HttpContext, headers: Record<string, string>): EventStream {
  const { response } = context;
  writeHead(context, 200, headers);
  return { write: (text) => void response.write(text), end: (text) => void response.end(text) };
}

async function forward(context: HttpContext, answer: Response): Promise<void> {
  const { response } = context;
  // The SDK's `connection: keep-alive` would keep a connection open that the client wants closed.
  const { connection: _, ...headers } = safeHeaders(Object.fromEntries(answer.headers));
  // The SDK's `no-cache` would let a cache store the owner's data.
  const caching = headers['cache-control']?.replace('no-cache', 'no-store');
  writeHead(
    context,
    answer.status,
    caching === undefined ? headers : { ...headers, 'cache-control': caching },
  );
  if (!answer.body) {
    response.end();
    return;
  }
  const stream = Readable.fromWeb(answer.body as NodeReadableStream);
  // If a client leaves, the pipeline fails; the request's signal has already ended the call.
  await pipeline(stream, response).catch(() => {});
}
