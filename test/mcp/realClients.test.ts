/** What real clients send, beside what the protocol asks for. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { linesOf } from '../../src/base/textLines.ts';
import { accepts } from '../../src/server/routes/mcp.ts';
import { send } from '../support/http.ts';
import { META_2026, postMcp } from '../support/mcpPost.ts';
import { API_KEY, withRelay } from '../support/world.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const HANDSHAKE = {
  jsonrpc: '2.0',
  id: 2,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

const JSON_AND_EVENTS: ReadonlyArray<[accept: string, json: boolean, events: boolean]> = [
  ['', true, true],
  ['*/*', true, true],
  ['Application/JSON , TEXT/event-stream', true, true],
  ['application/json; charset=utf-8', true, false],
  ['application/*;q=0.8', true, false],
  ['text/*', false, true],
  ['*/*, application/json;q=0', false, true],
  ['text/event-stream; q=0.000, */*;q=0.1', true, false],
  ['text/html', false, false],
  ['application/jsonp, text/event-streams', false, false],
  ['*/*;q=0', false, false],
];

test('Accept is read as RFC 9110 says', () => {
  for (const [accept, ...expected] of JSON_AND_EVENTS) {
    const types = ['application/json', 'text/event-stream'];
    assert.deepEqual(
      types.map((type) => accepts(accept, type)),
      expected,
      accept,
    );
  }
  assert.equal(accepts(undefined, 'application/json'), true);
});

test('answers come in the form that the client takes, with and without the SDK, and 406 where it takes neither', () =>
  withRelay({ client: false, connect: false }, async (relay) => {
    const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'get_rate_limit_status' } };
    const modern = { ...LIST, params: { _meta: META_2026 } };
    const asModern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    for (const [message, headers] of [[LIST], [call], [HANDSHAKE], [modern, asModern]] as const) {
      const ask = (accept: string) => postMcp(relay, message, { accept, ...headers });
      const json = await ask('application/json');
      assert.equal(json.headers['content-type'], 'application/json', json.text);
      const { id, result } = JSON.parse(json.text) as { id: number; result: object };
      assert.deepEqual([json.status, id, typeof result], [200, message.id, 'object']);
      const events = await ask('text/event-stream');
      assert.equal(events.headers['content-type'], 'text/event-stream');
      assert.deepEqual(JSON.parse(/^data: (.*)$/m.exec(events.text)?.[1] ?? '').result, result);
      assert.equal((await ask('text/html')).status, 406);
    }
    const batch = await postMcp(
      relay,
      [
        { ...LIST, id: 4 },
        { jsonrpc: '2.0', id: 5, method: 'ping' },
      ] as object,
      {
        accept: 'application/json',
      },
    );
    assert.deepEqual((JSON.parse(batch.text) as Array<{ id: number }>).map(({ id }) => id).sort(), [4, 5]);
  }));

test('a slash at the end of a path that clients know leads to the same, and no other path does', () =>
  withRelay({ client: false, connect: false }, async ({ baseUrl }) => {
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
    const post = (path: string, more = {}) =>
      send(`${baseUrl}${path}`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify(LIST),
      });
    assert.equal((await post('/mcp/')).status, 200);
    const refused = await post('/mcp/', { authorization: '' });
    assert.match(String(refused.headers['www-authenticate']), /^Bearer resource_metadata=".*\/mcp"/);
    for (const path of ['/mcp/x', '/mcp//', '/MCP']) assert.equal((await post(path)).status, 404, path);
    for (const name of [
      'oauth-protected-resource/mcp',
      'oauth-protected-resource',
      'oauth-authorization-server',
    ]) {
      const [plain, slash] = [`${baseUrl}/.well-known/${name}`, `${baseUrl}/.well-known/${name}/`];
      assert.equal((await send(slash)).text, (await send(plain)).text);
    }
  }));

test('[] stands for {} where an object belongs, and nowhere else', () =>
  withRelay({ client: false, connect: false }, async (relay) => {
    const status = { name: 'get_rate_limit_status' };
    const fine = [
      { ...LIST, params: [] },
      { ...LIST, method: 'ping', params: [] },
      { ...LIST, method: 'tools/call', params: { ...status, arguments: [] } },
      { ...HANDSHAKE, params: { ...HANDSHAKE.params, capabilities: [] } },
      { ...HANDSHAKE, params: { ...HANDSHAKE.params, capabilities: { roots: [], sampling: null } } },
    ];
    for (const message of fine) {
      const { text } = await postMcp(relay, message, { accept: 'application/json' });
      assert.ok((JSON.parse(text) as { result?: object }).result, `${JSON.stringify(message)}: ${text}`);
    }
    const wrong = [
      { ...LIST, params: [1] },
      { ...LIST, method: 'tools/call', params: { ...status, arguments: [{}] } },
      { ...HANDSHAKE, params: { ...HANDSHAKE.params, clientInfo: [] } },
    ];
    for (const message of wrong) {
      const { text } = await postMcp(relay, message, { accept: 'application/json' });
      assert.ok((JSON.parse(text) as { error?: object }).error, text);
    }
  }));

test('a list may be sent as its JSON text where a list is wanted; text stays text where text is wanted', () =>
  withRelay(async ({ client, provider }) => {
    const [one, other] = provider.catalogue.tracks.map(({ id }) => id);
    const saved = async (track_ids: unknown) => {
      const { structuredContent } = await client.callTool({
        name: 'check_saved_tracks',
        arguments: { track_ids },
      });
      return (structuredContent as { items?: Array<{ input: string }> }).items?.map(({ input }) => input);
    };
    assert.deepEqual(await saved(JSON.stringify([one, other])), [one, other]);
    assert.deepEqual(await saved(` [ "${one}" ] `), [one]);
    for (const text of [one, '["', '{"0":"x"}', '[1]']) assert.equal(await saved(text), undefined, text);
    const search = await client.callTool({ name: 'search_tracks', arguments: { query: '["love"]' } });
    assert.notEqual(search.isError, true);
  }));

test('a byte order mark before a body or before the first line is left out, and only there', async () => {
  await withRelay({ client: false, connect: false }, async (relay) => {
    assert.equal((await postMcp(relay, `\uFEFF${JSON.stringify(LIST)}`)).status, 200);
    assert.equal((await postMcp(relay, `\uFEFF\uFEFF${JSON.stringify(LIST)}`)).status, 400);
  });
  const lines = async (...parts: string[]) => {
    const input = new PassThrough();
    for (const part of parts) input.write(part);
    input.end();
    const read: Array<string | null> = [];
    for await (const line of linesOf(input, 100)) read.push(line);
    return read;
  };
  assert.deepEqual(await lines('\uFEFF{}\n', '\uFEFFx\n'), ['{}', '\uFEFFx']);
  assert.deepEqual(await lines('a\u2028b\n', 'c'), ['a\u2028b', 'c']);
});

test('a notification is never answered, whatever is wrong with it; a request always is', () =>
  withRelay({ client: false, connect: false }, async (relay) => {
    const silent = [
      { jsonrpc: '2.0', method: 'notifications/none' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: 'x' },
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 7 } },
      { method: 'notifications/initialized' },
    ];
    for (const message of silent) {
      const { status, text } = await postMcp(relay, message);
      assert.deepEqual([status, text], [202, ''], JSON.stringify(message));
    }
    assert.equal((await postMcp(relay, { jsonrpc: '2.0', id: 1, method: 'notifications/none' })).status, 200);
  }));
