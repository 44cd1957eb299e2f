/** A call that is answered without the SDK gets the answer that the SDK would give, in the same form and parts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MCP_HEADERS, META_2026 } from '../support/mcpPost.ts';
import { until } from '../support/until.ts';
import { type Relay, withRelay } from '../support/world.ts';

const MODERN = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' };

interface Ask {
  name: string;
  args?: object;
  meta?: object;
  id?: string | number;
}

function post(relay: Relay, modern: boolean, ask: Ask, headers = {}, more = {}, signal?: AbortSignal) {
  const { name, args, meta, id = 7 } = ask;
  const _meta = modern ? { ...META_2026, ...meta } : meta;
  return fetch(relay.server.mcpUrl, {
    method: 'POST',
    ...(signal ? { signal } : {}),
    headers: {
      ...MCP_HEADERS,
      ...(modern ? { ...MODERN, 'mcp-name': name } : {}),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, ...(args ? { arguments: args } : {}), ...(_meta ? { _meta } : {}), ...more },
    }),
  });
}

/** An answer without the headers that always differ. */
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

/** An unknown member of `params`, which the SDK ignores. With it, a request does not have the common form. */
const THE_SDK = { unknown: true };

const ASKS: readonly Ask[] = [
  { name: 'get_rate_limit_status' },
  { name: 'get_devices', args: {}, id: 'one\n"\u2028' },
  { name: 'search_tracks', args: { query: 'night', limit: 2 }, id: 0 },
  { name: 'search_tracks', args: { query: 'night', wrong: 1 } },
  { name: 'get_track', args: { track_id: '0000000000000000000000', detail: null } },
  { name: 'search_tracks', args: { query: '10', limit: '2', wait_for_previous: false } },
  { name: 'search_tracks', args: { query: 'night', limit: 'two', task_progress: '', wrong: '1' } },
  { name: 'get_devices', meta: { 'example/call': 'abc' } },
  { name: 'search_tracks', args: { query: 'remastered', limit: 50 }, meta: { progressToken: 'p' } },
  { name: 'get_devices', meta: { progressToken: 5 } },
];

test('a direct answer to a call equals that of the SDK, in both protocol revisions', () =>
  withRelay({ client: false }, async (relay) => {
    for (const modern of [true, false]) {
      for (const ask of ASKS) {
        const direct = await read(await post(relay, modern, ask));
        const plain = await read(await post(relay, modern, ask, {}, THE_SDK));
        const what = `${modern ? '2026' : '2025'} ${JSON.stringify(ask)}`;
        assert.deepEqual(direct.read, plain.read, what);
        const streams = ask.args !== undefined && ask.meta !== undefined;
        assert.deepEqual(direct.isWhole, !streams, what);
      }
    }
    for (const depth of [1, 200]) {
      const deep = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
      const meta = { 'io.modelcontextprotocol/clientCapabilities': { experimental: { deep: { deep } } } };
      const ask = { name: 'get_rate_limit_status', meta };
      const plain = await read(await post(relay, true, ask, {}, THE_SDK));
      for (let turn = 0; turn < 3; turn++) {
        const direct = await read(await post(relay, true, ask));
        assert.deepEqual(direct.read, plain.read, `an envelope ${depth} deep`);
      }
    }
  }));

test('a client that leaves ends its call, and the server then stops without waiting for that call', () =>
  withRelay({ client: false }, async (relay) => {
    for (const modern of [true, false]) {
      relay.provider.faults.add({ method: 'GET', path: '/me/playlists', kind: 'hang', when: 'before' });
      relay.provider.clearRequests();
      const leave = new AbortController();
      const answer = post(relay, modern, { name: 'get_my_playlists' }, {}, {}, leave.signal);
      await until(() => relay.provider.requests.length === 1);
      leave.abort();
      await assert.rejects(answer);
    }
    await relay.server.close();
    assert.equal(relay.provider.requests.length, 1);
  }));
