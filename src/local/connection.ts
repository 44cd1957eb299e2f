/** One connection to a server, for a few requests in turn. It is never replaced by another one behind the caller's back. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { ServerEnd } from '../domain/localProof.ts';

interface PostOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** How long nothing may come, in milliseconds. */
  timeoutMs: number;
  /** How long the whole answer may take, in milliseconds; without it, as long as something comes. */
  withinMs?: number;
  maxBytes?: number;
}

interface OpenOptions {
  headers: Record<string, string>;
  signal: AbortSignal;
}

export interface Answer {
  status: number;
  text: string;
  /** As this side's socket knows it. */
  serverEnd: ServerEnd;
}

export interface Connection {
  /** Sends JSON. Rejects with what the network said. */
  post(path: string, body: object, options: PostOptions): Promise<Answer>;
  /** Sends JSON text and gives the answer as soon as its headers are there. Aborting the signal cuts it off. */
  open(path: string, text: string, options: OpenOptions): Promise<IncomingMessage>;
  close(): void;
}

export function openConnection(origin: string): Connection {
  const { Agent, request } = origin.startsWith('https:') ? https : http;
  // An agent of its own: the global one may be told by the environment to go through a proxy.
  const agent = oneSocket(new Agent({ keepAlive: true, maxSockets: 1 }));
  return {
    post: (path, body, options) => post(request, agent, new URL(path, origin), JSON.stringify(body), options),
    open: (path, text, options) => open(request, agent, new URL(path, origin), text, options),
    close: () => agent.destroy(),
  };
}

/** A second socket might lead to another server than the first, which has proved itself. */
function oneSocket(agent: http.Agent): http.Agent {
  const connect = agent.createConnection.bind(agent);
  let isUsed = false;
  agent.createConnection = (options, done) => {
    if (isUsed) {
      // Thrown, it would end the program: an agent also comes here by itself when its socket closes.
      done?.(new Error('it closed the connection'), undefined as never);
      return undefined;
    }
    isUsed = true;
    return connect(options, done);
  };
  return agent;
}

function open(
  request: typeof http.request,
  agent: http.Agent,
  url: URL,
  text: string,
  { headers, signal }: OpenOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const sent = request(url, { method: 'POST', headers: { ...headers, ...length }, signal, agent }, resolve);
    sent.on('error', reject);
    sent.end(text);
  });
}

function post(
  request: typeof http.request,
  agent: http.Agent,
  url: URL,
  body: string,
  { headers = {}, signal, timeoutMs, withinMs, maxBytes = Number.POSITIVE_INFINITY }: PostOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
      ...(signal ? { signal } : {}),
      agent,
      timeout: timeoutMs,
    };
    const sent = request(url, options, (response) => {
      // Once all is read, the socket is the agent's again.
      const { remoteAddress: address, remotePort: port } = response.socket;
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) sent.destroy(new Error('its answer is too long'));
        else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, text, serverEnd: { address, port } });
      });
    });
    const late = () => sent.destroy(new Error('it does not answer'));
    const timer = withinMs === undefined ? undefined : setTimeout(late, withinMs);
    sent.on('timeout', late);
    sent.on('error', reject);
    sent.on('close', () => clearTimeout(timer));
    sent.end(body);
  });
}
