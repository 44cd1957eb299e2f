/**
 * A real HTTP server. The test answers the `/local` calls of `domain/localApi.ts`, and the SDK's own server answers `/mcp`. Its
 * home has a `server.json`, so that the command line finds it.
 */

import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { RelayError } from '../../src/domain/errors.ts';
import { LOCAL_CALLS, LOCAL_ROUTES, type LocalApi } from '../../src/domain/localApi.ts';
import { deriveLocalKey } from '../../src/secrets/seal.ts';
import { toHttp } from '../../src/server/http/toHttp.ts';
import { writeServerFile } from '../../src/store/home/serverFile.ts';
import { temporaryHome } from './cli.ts';
import { answerHello } from './hello.ts';
import { listening } from './http.ts';

export interface FakeLocal {
  home: string;
  /** Environment with which a command finds this server and gets access. */
  env: NodeJS.ProcessEnv;
  baseUrl: string;
  /** Every accepted call below `/local`, in order: the route and its JSON body. */
  calls: Array<{ route: string; body: Record<string, unknown> }>;
  /** Cuts all connections, as the end of the server does. */
  cut(): void;
}

export interface FakeLocalOptions {
  answers?: Partial<LocalApi>;
  mcp?: () => McpServer;
  /** True to refuse everybody at `/mcp`. */
  refuses?: boolean;
  /** True to put `server.json` where the demo has it. */
  demo?: boolean;
  version?: string;
}

const KEY = Buffer.alloc(32, 7);

export async function startFakeLocal(
  context: TestContext,
  options: FakeLocalOptions = {},
): Promise<FakeLocal> {
  const home = temporaryHome(context);
  const calls: FakeLocal['calls'] = [];
  const server = createServer((request, response) => void answer(request, response));
  const baseUrl = await listening(context, server);
  const answers = options.answers ?? {};
  const credentials = new WeakMap<object, string>();
  const handler = options.mcp ? createMcpHandler(options.mcp, { legacy: 'stateless' }) : null;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    const { url, method, headers, socket } = request;
    if (url === '/local/hello') {
      credentials.set(socket, answerHello(request, response, text, deriveLocalKey(KEY)));
      return;
    }
    const isKnown = headers.authorization === `Bearer ${credentials.get(socket)}`;
    if (method !== 'POST' || !isKnown || (url === '/mcp' && options.refuses))
      return send(response, 401, { error: { code: 'UNAUTHORIZED', message: 'No.' } });
    if (url === '/mcp' && handler) return forward(handler.fetch, `${baseUrl}/mcp`, request, text, response);
    await answerLocal(answers, calls, request, text, response);
  }

  const cut = () => server.closeAllConnections();
  const serverHome = options.demo ? join(home, 'demo') : home;
  mkdirSync(serverHome, { recursive: true });
  const version = options.version ?? '1.2.3';
  await writeServerFile(serverHome, {
    pid: process.pid,
    startedAt: '2026-11-01T00:00:00.000Z',
    version,
    baseUrl,
  });
  return {
    home,
    env: { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: KEY.toString('base64') },
    baseUrl,
    calls,
    cut,
  };
}

async function answerLocal(
  answers: Partial<LocalApi>,
  calls: FakeLocal['calls'],
  request: IncomingMessage,
  text: string,
  response: ServerResponse,
): Promise<void> {
  const route = (request.url ?? '').replace('/local/', '');
  const body = JSON.parse(text) as Record<string, unknown>;
  calls.push({ route, body });
  try {
    send(response, 200, (await dispatch(answers, route, body)) ?? {});
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const { status, error: told } = toHttp(error, 'request-1');
    send(response, status, { error: told });
  }
}

function dispatch(
  answers: Partial<LocalApi>,
  route: string,
  body: Record<string, unknown>,
): Promise<unknown> {
  const name = LOCAL_CALLS.find((key) => LOCAL_ROUTES[key] === route);
  const method = name && (answers[name] as ((given: object) => Promise<unknown>) | undefined);
  if (method === undefined) throw new RelayError('INTERNAL', 'The test gives no answer to this call.');
  return method(body);
}

async function forward(
  fetch: (request: Request) => Promise<Response>,
  url: string,
  request: IncomingMessage,
  text: string,
  response: ServerResponse,
): Promise<void> {
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const { method = 'GET' } = request;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const body = text === '' ? {} : { body: text };
  const answer = await fetch(new Request(url, { method, headers, signal: gone.signal, ...body }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body ?? []) response.write(chunk);
  response.end();
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
