/** Which tools a client is offered: those of its level, which its header may lower and never raises. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEVELS, type Level } from '../../src/domain/access.ts';
import { ALL_TOOLS, TOOLS, toolsAt } from '../../src/tools/index.ts';
import { postMcp } from '../support/mcpPost.ts';
import { API_KEY, mcpClient, type Relay, withRelay } from '../support/world.ts';

const namesAt = (level: Level) => toolsAt(level).map(({ name }) => name);

async function listed({ server }: Relay, headers: Record<string, string> = {}): Promise<string[]> {
  const client = await mcpClient(server.mcpUrl, API_KEY, headers);
  try {
    return (await client.listTools()).tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

test('each level has the tools of the one before, and the lowest has none that writes', () => {
  assert.equal(TOOLS.length, 49);
  for (const [index, level] of LEVELS.entries())
    for (const name of namesAt(LEVELS[index - 1] ?? level)) assert.ok(namesAt(level).includes(name), name);
  assert.deepEqual(
    namesAt('everything'),
    ALL_TOOLS.map(({ name }) => name),
  );
  assert.ok(toolsAt('read').every(({ kind, changesMemory }) => kind === 'read' && !changesMemory));
});

test('the key has the level of the setting, and a header only lowers it', async () => {
  for (const level of LEVELS)
    await withRelay({ connect: false, client: false, env: { RELAY_ACCESS: level } }, async (relay) => {
      assert.deepEqual(await listed(relay), namesAt(level));
      for (const asked of LEVELS) {
        const least = LEVELS.indexOf(asked) < LEVELS.indexOf(level) ? asked : level;
        assert.deepEqual(await listed(relay, { 'X-MCP-Access': asked }), namesAt(least));
      }
    });
  await withRelay({ connect: false, client: false, env: { RELAY_ACCESS: '' } }, async (relay) => {
    assert.deepEqual(await listed(relay), namesAt('standard'));
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const wrong = await postMcp(relay, message, { 'X-MCP-Access': 'most' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /X-MCP-Access must be one of read, standard, everything/);
  });
});

test('a tool of a higher level is unknown to tools/call, and the error says who can change that', () =>
  withRelay({ connect: false, env: { RELAY_ACCESS: 'standard' } }, async ({ client }) => {
    await assert.rejects(client.callTool({ name: 'undo_change', arguments: {} }), {
      code: -32602,
      message:
        'Unknown tool "undo_change". This server has 49 tools: see tools/list. This one needs the access "everything", and this client has "standard". The owner changes it on relay\'s page, or with "relay clients access".',
    });
  }));
