/**
 * `node scripts/run.mjs bench/server ROLE`: a server to measure with. It prints its address, and runs until it is ended.
 *
 * `provider` is the simulated Spotify. `plain` has relay's tools, and uses the SDK as the SDK's own documentation shows: a factory
 * creates an `McpServer` and registers every tool on it. It asks for no credential, and only two of its tools answer as relay's do.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { startDemoProvider } from '../../src/demo/provider.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';

/** What a server prints once it listens. */
export interface Ready {
  event: 'ready';
  baseUrl: string;
  accountsUrl?: string;
  clientId?: string;
  /** A token of the simulated provider, for a server that has no login. */
  token?: string;
}

async function provider(): Promise<Ready> {
  const demo = await startDemoProvider({ accessTokenSeconds: 86_400 });
  const [account] = demo.world.accounts;
  if (!account) throw new Error('the provider has no account');
  const { token } = demo.logins.issueAccess(account, 'user-read-playback-state user-read-private');
  const { apiUrl, accountsUrl, clientId } = demo;
  return { event: 'ready', baseUrl: apiUrl, accountsUrl, clientId, token };
}

async function plain({ baseUrl, token }: Ready): Promise<Ready> {
  const devices = async () => {
    const answer = await fetch(`${baseUrl}/me/player/devices`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'plain', version: '1.0.0' }, { capabilities: { tools: {} } });
    for (const { name, title, description, input, output, kind } of ALL_TOOLS) {
      const annotations = { readOnlyHint: kind === 'read', destructiveHint: kind === 'destructive' };
      const config = { title, description, inputSchema: input, outputSchema: output, annotations };
      server.registerTool(name, config, async () => {
        const data = name === 'get_devices' ? await devices() : { items: [] };
        return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data };
      });
    }
    return server;
  });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.entries(request.headers).map(
      ([name, value]) => [name, String(value)] as [string, string],
    );
    const url = `http://${request.headers.host}${request.url}`;
    const answer = await handler.fetch(
      new Request(url, { method: 'POST', headers, body: Buffer.concat(chunks) }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { event: 'ready', baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const [role] = process.argv.slice(2);
if (role === 'provider') console.log(JSON.stringify(await provider()));
if (role === 'plain')
  console.log(JSON.stringify(await plain(JSON.parse(process.env.BENCH_PROVIDER ?? '{}'))));
