/**
 * The plain server that the benchmark compares relay with. It has the same tools, and uses the SDK as the SDK's own documentation
 * shows: a factory creates an `McpServer` and registers every tool on it, with relay's schemas. The server asks for no credential.
 * Only `get_devices` and `get_rate_limit_status` answer as in relay; the benchmark calls no others.
 */
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import type { ChildReady } from './servers.ts';

/** The answer of `get_rate_limit_status` if nothing is blocked. */
const NOTHING_BLOCKED = {
  items: [
    {
      provider: 'spotify',
      scope: 'player',
      blocked: false,
      blocked_until: null,
      remaining_seconds: 0,
      reason: null,
      last_status: null,
      requests_24h: 1,
    },
  ],
};

export function plainListener(provider: ChildReady): RequestListener {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'plain', version: '1.0.0' }, { capabilities: { tools: {} } });
    for (const { name, title, description, input, output, kind } of ALL_TOOLS) {
      const annotations = { readOnlyHint: kind === 'read', destructiveHint: kind === 'destructive' };
      const config = { title, description, inputSchema: input, outputSchema: output, annotations };
      server.registerTool(name, config, async () => {
        const data = name === 'get_devices' ? await devices(provider) : NOTHING_BLOCKED;
        return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data };
      });
    }
    return server;
  });
  return async (request, response) => {
    const answer = await handler.fetch(await toWebRequest(request));
    await send(answer, response);
  };
}

/** Converts a request as the documented adapter does (`toNodeHandler` of `@modelcontextprotocol/node`): reads the body once, as text. */
async function toWebRequest(request: IncomingMessage): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const decoder = new TextDecoder();
  let body = '';
  for await (const chunk of request) body += decoder.decode(chunk as Buffer, { stream: true });
  const signal = new AbortController().signal;
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: 'POST',
    headers,
    body,
    signal,
  });
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    if (!response.write(chunk)) await once(response, 'drain');
  }
  response.end();
}

async function devices({ url, token }: ChildReady): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/me/player/devices`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`the provider answered ${answer.status}`);
  return (await answer.json()) as Record<string, unknown>;
}
