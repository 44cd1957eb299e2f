/** Runs mcp-remote in the way that a client does. Claude Desktop reaches a local server through it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { TOOLS } from '../../src/tools/index.ts';
import { withRelay } from '../support/world.ts';
import { ownerBrowser } from './ownerBrowser.ts';

const PROXY = join(
  dirname(createRequire(import.meta.url).resolve('mcp-remote/package.json')),
  'dist',
  'proxy.js',
);

test('mcp-remote needs only the URL to connect, and carries messages between stdio and the server', async () => {
  const config = await mkdtemp(join(tmpdir(), 'relay-mcp-remote-'));
  await withRelay({ client: false }, async ({ server, baseUrl }) => {
    const child = spawn(process.execPath, [PROXY, server.mcpUrl], {
      // With this PATH, mcp-remote finds no browser to open.
      env: { PATH: '/nonexistent', HOME: config, MCP_REMOTE_CONFIG_DIR: config },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const closed = new Promise((resolve) => child.once('close', resolve));
    try {
      const said: string[] = [];
      const authorizeAt = new Promise<string>((resolve, reject) => {
        createInterface({ input: child.stderr }).on('line', (line) => {
          said.push(line);
          const url = /(http:\/\/\S+\/oauth\/authorize\?\S+)/.exec(line)?.[1];
          if (url) resolve(url);
        });
        closed.then(() => reject(new Error(`mcp-remote ended:\n${said.join('\n')}`)));
      });
      const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const ask = async (message: object): Promise<Record<string, unknown>> => {
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
        const { value, done } = await answers.next();
        if (done) throw new Error(`mcp-remote ended:\n${said.join('\n')}`);
        return JSON.parse(value);
      };
      const initialized = ask({
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'desktop', version: '1.0.0' },
        },
      });
      const browser = ownerBrowser(baseUrl);
      const page = await browser.open(await authorizeAt);
      const approved = await browser.submit(page, 'approve', { owner_code: server.ownerCode ?? '' });
      const back = await fetch(String(approved.headers.location));
      assert.equal(back.status, 200);
      await back.text();
      const { result } = (await initialized) as { result: { serverInfo: { name: string } } };
      assert.equal(result.serverInfo.name, 'relay');
      child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      const listed = (await ask({ id: 2, method: 'tools/list' })) as { result: { tools: unknown[] } };
      assert.equal(listed.result.tools.length, TOOLS.length);
      const { clients } = await server.local.listClients();
      assert.deepEqual(
        clients.map(({ source, approvals }) => [source, approvals.length]),
        [['registered', 1]],
      );
    } finally {
      child.kill('SIGKILL');
      await closed;
    }
  });
  await rm(config, { recursive: true, force: true });
});
