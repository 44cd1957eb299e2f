/** Which tools a server offers, and which of them a request leaves out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { loadSettings } from '../../src/config/settings.ts';
import type { Toolset } from '../../src/domain/toolsets.ts';
import { ALL_TOOLS, TOOLS, toolsOf } from '../../src/tools/index.ts';
import { temporaryHome } from '../support/cli.ts';
import { postMcp } from '../support/mcpPost.ts';
import { withDesk } from '../support/program.ts';
import { API_KEY, mcpClient, type Relay, withRelay } from '../support/world.ts';

type Headers = Record<string, string>;

const names = (tools: ReadonlyArray<{ name: string }>) => tools.map(({ name }) => name);
const namesOf = (toolsets: Toolset[], readOnly = false) => names(toolsOf({ toolsets, readOnly }));

/** The names that `tools/list` sends to a client with these headers. */
async function listed({ server }: Relay, headers: Headers): Promise<string[]> {
  const client = await mcpClient(server.mcpUrl, API_KEY, headers);
  try {
    return names((await client.listTools()).tools);
  } finally {
    await client.close();
  }
}

test('extras come after the standard tools, and only when they are asked for', async () => {
  const extras = names(ALL_TOOLS.slice(TOOLS.length));
  assert.deepEqual(namesOf(['standard', 'extras']), names(ALL_TOOLS));
  assert.deepEqual(namesOf(['all']), names(ALL_TOOLS));
  assert.deepEqual(namesOf(['extras']), extras);
  assert.deepEqual(namesOf(['standard']), names(TOOLS));
  const part = namesOf(['library_sql']);
  assert.ok(part.includes('query_library'));
  assert.deepEqual(extras.slice(-part.length), part, 'library_sql is a part of extras');
});

const OFFERS: Array<[what: string, env: Headers, headers: Headers, offered: string[]]> = [
  ['nothing set', {}, {}, names(TOOLS)],
  ['two groups', { RELAY_TOOLSETS: 'jobs, Catalog' }, {}, namesOf(['catalog', 'jobs'])],
  ['everything', { RELAY_TOOLSETS: 'all' }, {}, names(ALL_TOOLS)],
  ['read-only', { RELAY_READ_ONLY: 'true' }, {}, namesOf(['standard'], true)],
  ['a header', {}, { 'X-MCP-Toolsets': 'playback, history' }, namesOf(['history', 'playback'])],
  ['an empty header', {}, { 'X-MCP-Toolsets': '', 'X-MCP-Readonly': '' }, names(TOOLS)],
  ['a read-only header', {}, { 'X-MCP-Readonly': 'TRUE' }, namesOf(['standard'], true)],
  [
    'both headers',
    { RELAY_TOOLSETS: 'all' },
    { 'X-MCP-Toolsets': 'playlists,extras', 'X-MCP-Readonly': '1' },
    namesOf(['playlists', 'extras'], true),
  ],
  [
    'a header that asks for more',
    { RELAY_TOOLSETS: 'catalog' },
    { 'X-MCP-Toolsets': 'all' },
    namesOf(['catalog']),
  ],
  ['a header for a toolset that is off', {}, { 'X-MCP-Toolsets': 'extras' }, []],
  [
    'a header that asks for more than reading',
    { RELAY_TOOLSETS: 'library', RELAY_READ_ONLY: '1' },
    { 'X-MCP-Readonly': 'false' },
    namesOf(['library'], true),
  ],
];

for (const [what, env, headers, offered] of OFFERS) {
  test(`tools/list with ${what}`, () =>
    withRelay({ connect: false, client: false, env }, async (relay) => {
      assert.deepEqual(await listed(relay, headers), offered);
      // The second time, the server uses the offer that it made for the first.
      assert.deepEqual(await listed(relay, headers), offered);
    }));
}

test('a tool that is left out is unknown to tools/call, and the error says which setting leaves it out', async () => {
  await withRelay(
    { connect: false, env: { RELAY_TOOLSETS: 'catalog,library' } },
    async ({ server, client }) => {
      const unknown = (message: string) => ({ code: -32602, message });
      const count = namesOf(['catalog', 'library']).length;
      await assert.rejects(
        client.callTool({ name: 'create_playlist', arguments: { name: 'x' } }),
        unknown(
          `Unknown tool "create_playlist". This server has ${count} tools: see tools/list. This one is in the toolset playlists, which is off. The user switches it on in the settings of this client (X-MCP-Toolsets or --toolsets) or of relay ("relay config set toolsets", then a restart).`,
        ),
      );
      const reading = await mcpClient(server.mcpUrl, API_KEY, { 'X-MCP-Readonly': 'true' });
      const readCount = namesOf(['catalog', 'library'], true).length;
      await assert.rejects(
        reading.callTool({ name: 'save_tracks', arguments: { track_ids: [] } }),
        unknown(
          `Unknown tool "save_tracks". This server has ${readCount} tools: see tools/list. This one changes something, and only reading is on (RELAY_READ_ONLY, X-MCP-Readonly, or the owner has approved this client for reading only).`,
        ),
      );
      await reading.close();
      // The same holds for what this client leaves out itself.
      const narrow = await mcpClient(server.mcpUrl, API_KEY, { 'X-MCP-Toolsets': 'library' });
      const few = namesOf(['library']).length;
      await assert.rejects(
        narrow.callTool({ name: 'get_track', arguments: {} }),
        unknown(
          `Unknown tool "get_track". This server has ${few} tools: see tools/list. This one is in the toolset catalog, which is off. The user switches it on in the settings of this client (X-MCP-Toolsets or --toolsets) or of relay ("relay config set toolsets", then a restart).`,
        ),
      );
      for (const [tool, group] of [
        ['play', 'playback'],
        ['get_album', 'extras'],
        ['query_library', 'library_sql'],
      ] as const)
        await assert.rejects(
          narrow.callTool({ name: tool, arguments: {} }),
          unknown(
            `Unknown tool "${tool}". This server has ${few} tools: see tools/list. This one is in the toolset ${group}, which is off. The user switches it on in the settings of this client (X-MCP-Toolsets or --toolsets) or of relay ("relay config set toolsets", then a restart).`,
          ),
        );
      await narrow.close();
    },
  );
});

test('the header leaves out tools for an older client too', () =>
  withRelay({ connect: false, client: false }, async ({ server }) => {
    const client = new OlderClient({ name: 'older', version: '1.0.0' });
    const headers = { authorization: `Bearer ${API_KEY}`, 'X-MCP-Toolsets': 'diagnostics' };
    const transport = new OlderTransport(new URL(server.mcpUrl), { requestInit: { headers } });
    await client.connect(transport as Parameters<OlderClient['connect']>[0]);
    assert.deepEqual(names((await client.listTools()).tools), namesOf(['diagnostics']));
    await assert.rejects(client.callTool({ name: 'play', arguments: {} }), { code: -32602 });
    await client.close();
  }));

test('a header that names no toolset is refused: the client would get other tools than it meant', async () => {
  const cases: Array<[headers: Headers, message: string]> = [
    [
      { 'X-MCP-Toolsets': 'catalog, playlist' },
      'X-MCP-Toolsets must name toolsets out of standard, catalog, playlists, library, history, playback, jobs, diagnostics, extras, library_sql, all.',
    ],
    [{ 'X-MCP-Readonly': 'please' }, 'X-MCP-Readonly must be true or false.'],
  ];
  await withRelay({ connect: false, client: false }, async ({ server }) => {
    for (const [headers, message] of cases) {
      const answer = await postMcp({ server }, { jsonrpc: '2.0', id: 7, method: 'tools/list' }, headers);
      assert.equal(answer.status, 400);
      assert.deepEqual(JSON.parse(answer.text), { jsonrpc: '2.0', error: { code: -32602, message }, id: 7 });
    }
  });
});

test('relay call has every tool, whatever the server offers to clients', () =>
  withDesk({}, async ({ host, relay }) => {
    await host(['--toolsets', 'jobs', '--read-only']);
    const listed = await relay(['call', 'list_changes', '--json']);
    assert.deepEqual([listed.code, JSON.parse(listed.out).items], [0, []]);
    assert.equal((await relay(['call', 'no_such_tool'])).code, 2);
  }));

test('the settings take toolsets from the environment, the file and the command line', (context) => {
  const home = temporaryHome(context);
  const load = (env: Headers, flags = {}) => {
    const { toolsets, readOnly } = loadSettings({ env: { RELAY_HOME: home, ...env }, flags });
    return { toolsets, readOnly };
  };
  assert.deepEqual(load({}), { toolsets: ['standard'], readOnly: false });
  assert.deepEqual(load({ RELAY_TOOLSETS: ' Catalog,extras,' }), {
    toolsets: ['catalog', 'extras'],
    readOnly: false,
  });
  assert.deepEqual(load({ RELAY_TOOLSETS: 'all' }, { toolsets: 'jobs', readOnly: 'true' }), {
    toolsets: ['jobs'],
    readOnly: true,
  });
  assert.throws(() => load({ RELAY_TOOLSETS: 'catalog,playlist' }), {
    code: 'SETTINGS_INVALID',
    message:
      'RELAY_TOOLSETS in the environment must be a list of toolsets, separated by commas, out of standard, catalog, playlists, library, history, playback, jobs, diagnostics, extras, library_sql, all, not "catalog,playlist".',
  });
});
