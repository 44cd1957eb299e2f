/**
 * Reference (b): the same tools on the SDK as its documentation shows: a factory that makes an `McpServer` and registers
 * every tool on it, with schemas from the module. No credential, no checks of its own. Two tools do what relay's do.
 */
import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import type { ChildReady } from './servers.ts';

/** What `get_rate_limit_status` answers where nothing is blocked. */
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
  return (request, response) => {
    const headers = new Headers(request.headers as Record<string, string>);
    const body = Readable.toWeb(request) as ReadableStream;
    const asked = new Request(`http://127.0.0.1${request.url}`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit);
    void handler.fetch(asked).then(async (answer) => {
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (!answer.body) return void response.end();
      await pipeline(Readable.fromWeb(answer.body as never), response).catch(() => {});
    });
  };
}

async function devices({ url, token }: ChildReady): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/me/player/devices`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`the provider answered ${answer.status}`);
  return (await answer.json()) as Record<string, unknown>;
}
