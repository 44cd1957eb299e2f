/** `/mcp`: credential first, then the body, then the MCP endpoint; answers may be streams. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { Log } from '../../base/log.ts';
import type { McpEndpoint } from '../../mcp/endpoint.ts';
import { SCOPE } from '../../oauth/policy/limits.ts';
import type { Credentials } from '../access/credentials.ts';
import { MCP_BODY_BYTES, readJson } from '../http/body.ts';
import { type Exchange, safeHeaders, sendJson } from '../http/request.ts';
import type { Route } from '../http/router.ts';

/** @param log does not let refusals flood it */
export function mcpRoutes(endpoint: McpEndpoint, credentials: Credentials, log: Log): Route[] {
  async function handle(exchange: Exchange): Promise<void> {
    const verdict = credentials.check(exchange.request.headers.authorization, `${exchange.baseUrl}/mcp`);
    if (!verdict.ok) {
      const { requestId, path } = exchange;
      if (verdict.reason === 'invalid') log.warn({ requestId, path }, 'credential refused');
      return challenge(exchange, verdict.reason);
    }
    const gone = new AbortController();
    exchange.response.once('close', () => gone.abort());
    const body = exchange.method === 'POST' ? await readJson(exchange.request, MCP_BODY_BYTES) : undefined;
    const request = new Request(`${exchange.baseUrl}/mcp`, {
      method: exchange.method,
      headers: headersOf(exchange),
      signal: gone.signal,
    });
    await forward(exchange, await endpoint.fetch(request, body, verdict.principal));
  }

  return (['DELETE', 'GET', 'POST'] as const).map((method) => ({ method, path: '/mcp', handle }));
}

/** RFC 6750 3 and RFC 9728 5.1; no `error` where no token was sent (RFC 6750 3.1). */
function challenge(exchange: Exchange, reason: 'missing' | 'invalid'): void {
  const metadata = `${exchange.baseUrl}/.well-known/oauth-protected-resource/mcp`;
  const parts = [
    ...(reason === 'invalid' ? ['error="invalid_token"'] : []),
    `resource_metadata="${metadata}"`,
    `scope="${SCOPE}"`,
  ];
  const message =
    reason === 'missing'
      ? "A credential is needed: an OAuth token of this server, or 'Authorization: Bearer <key>' with the key that 'relay key' prints."
      : "The credential is wrong or has ended: authorize again, or see 'relay key' for the present key.";
  const body = { jsonrpc: '2.0', error: { code: -32001, message }, id: null };
  exchange.request.resume();
  sendJson(exchange, 401, body, { 'www-authenticate': `Bearer ${parts.join(', ')}` });
}

/** The credential stays here: nothing behind this needs it. */
function headersOf(exchange: Exchange): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(exchange.request.headers)) {
    if (value === undefined || name === 'authorization' || name === 'cookie') continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return headers;
}

async function forward(exchange: Exchange, answer: Response): Promise<void> {
  const { response } = exchange;
  const headers = safeHeaders(Object.fromEntries(answer.headers));
  // What the listener has set stands, but for the headers that an event stream needs of its own.
  response.writeHead(answer.status, headers);
  if (!answer.body) {
    response.end();
    return;
  }
  const stream = Readable.fromWeb(answer.body as NodeReadableStream);
  // A client that leaves ends the pipeline with an error; the request's signal has told the call already.
  await pipeline(stream, response).catch(() => {});
}
