/** A request in the plain form is answered beside the SDK, as the SDK would answer it; any other is the SDK's. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainOf } from '../../src/mcp/plain.ts';
import { MCP_HEADERS, META_2026 } from '../support/mcpPost.ts';
import { until } from '../support/until.ts';
import { type Relay, withRelay } from '../support/world.ts';

type Params = Record<string, unknown>;

/** Sends a request in one of the two eras. @param headers replace the usual ones */
function post(relay: Relay, modern: boolean, message: Message, headers = {}, signal?: AbortSignal) {
  const { method = 'tools/call', params = {}, ...rest } = message;
  const all: Params = {
    ...params,
    ...(modern ? { _meta: { ...META_2026, ...(params._meta as object) } } : {}),
  };
  const named: Record<string, string> = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  return fetch(relay.server.mcpUrl, {
    method: 'POST',
    ...(signal ? { signal } : {}),
    headers: {
      ...MCP_HEADERS,
      ...(modern ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named } : {}),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', method, ...rest, params: all }),
  });
}

interface Message {
  id?: unknown;
  method?: string;
  params?: Params;
}

/** An answer without the headers that always differ. Only an answer beside the SDK has a `content-length`. */
async function read(answer: Response) {
  const { date: _, 'x-request-id': __, ...all } = Object.fromEntries(answer.headers);
  const { 'content-length': length, 'transfer-encoding': ___, ...headers } = all;
  // The keys of a JSON object have no order.
  const text = (await answer.text()).split('\n').map((line) => asJson(line.replace(/^data: /, '')) ?? line);
  return { read: { status: answer.status, headers, text }, isWhole: length !== undefined };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const call = (name: string, args?: Params, meta?: Params): Message => ({
  params: { name, ...(args ? { arguments: args } : {}), ...(meta ? { _meta: meta } : {}) },
});
const capabilities = (value: object) => ({ 'io.modelcontextprotocol/clientCapabilities': value });

const SAME: ReadonlyArray<[message: Message, headers?: Record<string, string>]> = [
  ...[0, -7, 'one', '', '"\\ü\n\u2028', 2 ** 53 - 1].map((id): [Message] => [{ id, method: 'tools/list' }]),
  [{ method: 'tools/list' }, { 'x-mcp-access': 'read' }],
  [{ method: 'tools/list' }, { 'x-mcp-readonly': 'true' }],
  [call('get_rate_limit_status')],
  [call('get_devices', {})],
  [call('search_tracks', { query: 'night', limit: 2 })],
  [call('search_tracks', { query: 'night', wrong: 1 })],
  [call('get_track', { track_id: '0000000000000000000000', detail: null })],
  [call('search_tracks', { query: '10', limit: '2', wait_for_previous: false })],
  [call('get_devices', {}, { 'example/call': 'abc' })],
  [call('get_devices', {}, { progressToken: 5 })],
  [call('search_tracks', { query: 'remastered', limit: 50 }, { progressToken: 'p' })],
  [call('get_devices', {}, capabilities({ experimental: { more: { deep: [[1]] } } }))],
];

test('a plain request is answered as by the SDK, in both eras', () =>
  withRelay({ client: false }, async (relay) => {
    for (const modern of [true, false]) {
      for (const [asked, headers = {}] of SAME) {
        const message = { id: 7, ...asked };
        if (!modern && JSON.stringify(asked).includes('clientCapabilities')) continue;
        // The SDK ignores a member of `params` that it does not know; with it, the request is not plain.
        const others = { ...message, params: { ...message.params, unknown: true } };
        const plain = await read(await post(relay, modern, message, headers));
        const sdk = await read(await post(relay, modern, others, headers));
        const what = `${modern ? '2026' : '2025'} ${JSON.stringify(message)}`;
        assert.deepEqual(plain.read, sdk.read, what);
        const streams = what.includes('remastered');
        assert.deepEqual([plain.isWhole, sdk.isWhole], [!streams, false], what);
      }
    }
  }));

const LIST = { id: 1, method: 'tools/list' };
const OTHERS: ReadonlyArray<
  [what: string, modern: boolean, message: Message, headers: object, status: number]
> = [
  ['an unknown revision', false, LIST, { 'mcp-protocol-version': '2019-01-01' }, 400],
  ['a future revision', true, LIST, { 'mcp-protocol-version': '2027-01-01' }, 400],
  ['another method in the header', true, LIST, { 'mcp-method': 'ping' }, 400],
  ['another tool in the header', true, { id: 1, ...call('get_devices') }, { 'mcp-name': 'pause' }, 400],
  ['a revision without an envelope', false, LIST, { 'mcp-protocol-version': '2026-07-28' }, 400],
  ['a wrong envelope', true, { ...LIST, params: { _meta: capabilities([1]) } }, {}, 400],
  ['an ID of null', false, { ...LIST, id: null }, {}, 400],
  ['a broken ID', false, { ...LIST, id: 1.5 }, {}, 400],
  ['no ID', false, { method: 'tools/list' }, {}, 202],
  ['an unknown level', false, LIST, { 'x-mcp-access': 'nothing' }, 400],
];

test('every other request is refused by the SDK, even after a good request', () =>
  withRelay({ connect: false, client: false }, async (relay) => {
    await (await post(relay, true, LIST)).text();
    for (const [what, modern, message, headers, status] of OTHERS)
      assert.deepEqual([what, (await post(relay, modern, message, headers)).status], [what, status]);
    const cursor = await post(relay, true, { ...LIST, params: { cursor: 5 } });
    assert.match(await cursor.text(), /expected string, received number/);
  }));

test('on a stream there are no headers to agree with', () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'play', _meta: META_2026 } };
  assert.equal(plainOf(message, null)?.era, 'modern');
  assert.equal(plainOf(message, {}), null);
});

test('a client that leaves ends its call, and the server then stops without waiting for that call', () =>
  withRelay({ client: false }, async (relay) => {
    const { params } = call('get_my_playlists');
    // The SDK answers what has an unknown member.
    for (const [modern, more] of [
      [true, {}],
      [false, {}],
      [true, { unknown: true }],
      [false, { unknown: true }],
    ] as const) {
      relay.provider.faults.add({ method: 'GET', path: '/me/playlists', kind: 'hang', when: 'before' });
      relay.provider.clearRequests();
      const leave = new AbortController();
      const asked = { id: 1, params: { ...params, ...more } };
      const answer = post(relay, modern, asked, {}, leave.signal);
      await until(() => relay.provider.requests.length === 1);
      leave.abort();
      await assert.rejects(answer);
    }
    await relay.server.close();
    assert.equal(relay.provider.requests.length, 1);
  }));
