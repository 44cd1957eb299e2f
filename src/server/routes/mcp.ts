/** `/mcp`: checks the credential, reads the body and calls the MCP endpoint. Answers may be streams. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { Log } from '../../base/log.ts';
import type { Level } from '../../domain/access.ts';
import { programFor } from '../../domain/remedy.ts';
import type { Client, McpEndpoint } from '../../mcp/endpoint.ts';
import type { PlainAnswer } from '../../mcp/plain.ts';
import { SCOPE } from '../../oauth/policy/limits.ts';
import type { Credentials } from '../access/credentials.ts';
import { MCP_BODY, readMessage } from '../http/body.ts';
import { type HttpContext, safeHeaders, sendJson, writeHead } from '../http/context.ts';
import type { Route } from '../http/router.ts';

/**
 * @param endpoint loads the endpoint with the first request: a server that starts with the desktop may wait hours for it
 * @param used is told of each request that has a valid credential
 * @param log a log that refusals cannot flood
 */
export function mcpRoutes(
  endpoint: () => Promise<McpEndpoint>,
  credentials: Credentials,
  used: () => void,
  log: Log,
): Route[] {
  async function handle(context: HttpContext): Promise<void> {
    const { headers } = context.request;
    const check = credentials.check(headers.authorization, `${context.baseUrl}/mcp`);
    if (!check.ok) {
      const { requestId, path } = context;
      if (headers.authorization) log.warn({ requestId, path }, 'credential refused');
      return challenge(context, check.reason, credentials);
    }
    used();
    const client = clientOf(context, check.principal, check.access);
    const forms = formsFor(headers.accept);
    if (context.method !== 'POST') return askSdk(context, undefined, client, forms);
    if (!forms.json && !forms.events) return notAcceptable(context);
    const body = await readMessage(context, MCP_BODY);
    const mcp = await endpoint();
    const events = eventsOf(context, forms);
    const answer = mcp.answer(body, client, events);
    await (answer ? sendPlain(answer, events) : askSdk(context, body, client, forms));
  }

  async function askSdk(context: HttpContext, body: unknown, client: Client, forms: Forms): Promise<void> {
    const gone = new AbortController();
    // An abort is expensive, and pointless once the answer is sent.
    context.response.once('close', () => context.response.writableFinished || gone.abort());
    const request = new Request(`${context.baseUrl}/mcp`, {
      method: context.method,
      headers: headersOf(context),
      signal: gone.signal,
    });
    const answer = await (await endpoint()).fetch(request, body, client);
    await forward(context, await inForm(answer, forms));
  }

  return (['DELETE', 'GET', 'POST'] as const).flatMap((method) =>
    ['/mcp', '/mcp/'].map((path) => ({ method, path, handle })),
  );
}

/** Two clients with one credential are told apart by their programs. */
function clientOf({ request: { headers }, baseUrl }: HttpContext, credential: string, access: Level): Client {
  const { 'user-agent': program = '' } = headers;
  return { principal: `${credential} ${program}`, by: credential, access, baseUrl, headers };
}

interface Forms {
  json: boolean;
  events: boolean;
}

function formsFor(accept: string | undefined): Forms {
  return { json: accepts(accept, 'application/json'), events: accepts(accept, 'text/event-stream') };
}

function notAcceptable(context: HttpContext): void {
  const message = 'Not Acceptable: answers are application/json or text/event-stream';
  context.request.resume();
  sendJson(context, 406, { jsonrpc: '2.0', error: { code: -32000, message }, id: null });
}

/** The SDK's answer in a form that the client takes. As JSON it has no notifications, but the answer to each request. */
async function inForm(answer: Response, { json, events }: Forms): Promise<Response> {
  const isEvents = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!answer.ok || !answer.body || (isEvents ? events : json)) return answer;
  const text = await answer.text();
  if (!isEvents) return new Response(`${EVENT}${text}\n\n`, { headers: EVENTS });
  const told = text
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
  const answers = told.filter((message: object) => !('method' in message));
  return Response.json(answers.length === 1 ? answers[0] : answers);
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
  // The SDK takes only this. `inForm` gives the client what it takes.
  headers.set('accept', 'application/json, text/event-stream');
  return headers;
}

/** Headers of an event stream, as the SDK sends them, except that nothing may be stored and the connection may end. */
const EVENTS = {
  'cache-control': 'no-store, no-transform',
  'content-type': 'text/event-stream',
  'x-accel-buffering': 'no',
};
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENT = 'event: message\ndata: ';
const KEEP_ALIVE_MS = 15_000;

type Events = ReturnType<typeof eventsOf>;

/**
 * The answer as an event stream, which the first event begins. Events are few and small, so they are buffered. The server closes
 * the connection of a client that reads too slowly.
 */
function eventsOf(context: HttpContext, forms: Forms) {
  const { response } = context;
  const write = (text: string) => {
    if (!response.headersSent) writeHead(context, 200, EVENTS);
    response.write(text);
  };
  return {
    context,
    forms,
    write,
    notify(notification: object) {
      if (forms.events) write(`${EVENT}${JSON.stringify({ ...notification, jsonrpc: '2.0' })}\n\n`);
    },
    onGone: (listener: () => void) => response.once('close', () => response.writableFinished || listener()),
  };
}

/**
 * Sends the answer as the SDK would: in the 2026 revision as JSON, in earlier ones as an event. If notifications have begun a
 * stream, the answer is its last event. A stream is kept alive; in earlier revisions it begins with that.
 */
async function sendPlain({ era, text }: PlainAnswer, { context, forms, write }: Events): Promise<void> {
  const { response } = context;
  const isStream = () => forms.events && (!forms.json || era === 'legacy' || response.headersSent);
  const alive = setInterval(() => {
    if (isStream()) write(': keepalive\n\n');
  }, KEEP_ALIVE_MS).unref();
  try {
    const message = await text;
    const isEvent = isStream();
    const parts = isEvent ? [EVENT, message, '\n\n'] : [message];
    const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    if (!response.headersSent) writeHead(context, 200, isEvent ? EVENTS : JSON_TYPE, length);
    for (const part of parts) response.write(part);
    response.end();
  } finally {
    clearInterval(alive);
  }
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

/**
 * True if an `Accept` header takes a content type: the most specific range that names it decides (RFC 9110 12.5.1). Without the
 * header everything is taken. Parameters other than `q` are not looked at. @internal
 */
export function accepts(header: string | undefined, type: string): boolean {
  if (!header?.trim()) return true;
  const ranges = header
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.replace(/\s/g, '')));
  const names = [type, type.replace(/\/.*/, '/*'), '*/*'];
  const named = names
    .map((name) => ranges.filter(([range]) => range === name))
    .find(({ length }) => length > 0);
  return named?.some((parts) => !parts.some((part) => /^q=0(?:\.0*)?$/.test(part))) ?? false;
}
