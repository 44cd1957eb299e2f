import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { createBrowser } from '../support/browser.ts';
import { pluck } from '../support/entries.ts';
import { send } from '../support/http.ts';
import { postMcp } from '../support/mcpPost.ts';
import { until } from '../support/until.ts';
import { API_KEY, withRelay } from '../support/world.ts';

const NAMES = ALL_TOOLS.map((tool) => tool.name);
const requestInit = { headers: { authorization: `Bearer ${API_KEY}` } };

async function olderClient(url: string): Promise<OlderClient> {
  const client = new OlderClient({ name: 'older', version: '1.0.0' });
  await client.connect(
    new OlderTransport(new URL(url), { requestInit }) as Parameters<OlderClient['connect']>[0],
  );
  return client;
}

test('an older client lists and calls the tools, and reads a failure', () =>
  withRelay(async ({ server, provider }) => {
    const client = await olderClient(server.mcpUrl);
    const { tools } = await client.listTools();
    assert.deepEqual(pluck(tools, 'name'), NAMES);
    assert.match(client.getInstructions() ?? '', /search_tracks/);
    assert.deepEqual(client.getServerCapabilities(), {
      tools: { listChanged: false },
      prompts: { listChanged: false },
    });
    const [track] = provider.catalogue.tracks;
    assert.ok(track);
    const found = await client.callTool({ name: 'get_track', arguments: { track_id: track.id } });
    assert.equal((found.structuredContent as { id: string }).id, track.id);
    // This client checks structured content against the output schema even on an error.
    const failed = await client.callTool({ name: 'get_track', arguments: { track_id: 'nonsense' } });
    assert.equal(failed.isError, true);
    await client.close();
  }));

test('a result has structured content, and the same as compact JSON text', () =>
  withRelay(async ({ client }) => {
    const result = await client.callTool({ name: 'search_tracks', arguments: { query: 'night', limit: 2 } });
    assert.deepEqual(result.content, [{ type: 'text', text: JSON.stringify(result.structuredContent) }]);
  }));

test('an unknown tool is a protocol error', () =>
  withRelay(async ({ client, server }) => {
    const older = await olderClient(server.mcpUrl);
    for (const caller of [client, older]) {
      await assert.rejects(
        caller.callTool({ name: 'no_such_tool' }),
        (error: { code?: number; message: string }) => {
          assert.equal(error.code, -32602);
          assert.match(error.message, /Unknown tool "no_such_tool"/);
          return true;
        },
      );
    }
    await older.close();
  }));

test('without an account every tool says LOGIN_REQUIRED, with a link that connects one', () =>
  withRelay({ connect: false }, async ({ call, provider, baseUrl }) => {
    const link = `${baseUrl}/auth/provider/login`;
    assert.deepEqual(await call('get_devices'), {
      error: {
        code: 'LOGIN_REQUIRED',
        message: 'No Spotify account is connected.',
        remedy: `Give the user this link, to be opened in a browser on the computer that relay runs on: ${link} Or the user runs \`relay login\` in a terminal.`,
        details: { login_url: link },
      },
    });
    assert.deepEqual(provider.requests, []);
    assert.equal((await createBrowser().open(link)).status, 200);
    assert.equal('error' in (await call('get_devices')), false);
  }));

test('GET and DELETE of the older revision are answered 405', () =>
  withRelay(async ({ server }) => {
    for (const method of ['GET', 'DELETE']) {
      const headers = { authorization: `Bearer ${API_KEY}`, accept: 'text/event-stream' };
      assert.equal((await send(server.mcpUrl, { method, headers })).status, 405, method);
    }
  }));

test('the connection ends with the answer if the client asks for that', () =>
  withRelay({ client: false }, async (relay) => {
    const call = { method: 'tools/call', params: { name: 'get_devices', arguments: {} } };
    const slow = { ...call, params: { ...call.params, _meta: { progressToken: 1 } } };
    for (const message of [{ method: 'ping' }, { method: 'tools/list' }, call, slow]) {
      for (const [asked, expected] of [
        ['close', 'close'],
        ['keep-alive', 'keep-alive'],
      ] as const) {
        const answer = await postMcp(relay, { jsonrpc: '2.0', id: 1, ...message }, { connection: asked });
        assert.deepEqual([answer.status, answer.headers.connection], [200, expected], message.method);
      }
    }
  }));

test('a batch whose requests share an ID is refused whole: no call gets the arguments of another', () =>
  withRelay(async ({ server, provider }) => {
    const [one, other] = provider.catalogue.tracks.slice(0, 2).map(({ id }) => ({ track_id: id }));
    const call = (id: number, args: unknown) => {
      return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'get_track', arguments: args } };
    };
    const refused = await postMcp({ server }, [call(1, one), call(1, other)]);
    assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [400, -32600]);
    assert.deepEqual(provider.requests, []);
    const answer = await postMcp({ server }, [call(1, one), call(2, other)]);
    for (const { track_id } of [one, other] as Array<{ track_id: string }>)
      assert.match(answer.text, new RegExp(track_id));
  }));

test('progress goes on from stage to stage: a playlist is read, read once more and written', () =>
  withRelay(async ({ client, provider, call }) => {
    const { items } = (await call('get_my_playlists', { all: true })) as {
      items: Array<{ id: string; name: string }>;
    };
    const playlist_id = items.find(({ name }) => name === 'Morning Ferry')?.id ?? '';
    const track_ids = pluck(provider.catalogue.tracks.slice(0, 350), 'id');
    provider.clearRequests();
    const heard: Array<{ progress: number; total?: number }> = [];
    const onprogress = (told: { progress: number; total?: number }) => heard.push(told);
    const result = await client.callTool(
      { name: 'replace_playlist_tracks', arguments: { playlist_id, track_ids } },
      { onprogress },
    );
    assert.equal(result.isError, undefined);
    const { length } = provider.requests;
    // 120 rows are three pages.
    assert.equal(provider.requests.filter(({ method }) => method !== 'GET').length, 4);
    assert.deepEqual(
      pluck(heard, 'progress'),
      heard.map((_, index) => index + 1),
    );
    assert.deepEqual([heard.at(-1)?.progress, heard.at(-1)?.total], [length, length]);
  }));

/** Whether the notification of one client stops the call `5` of another, and which calls are made before and beside that. */
const CANCELLATIONS: Array<[what: string, before: string[], beside: string[], from: string, stops: boolean]> =
  [
    ['the client itself', [], [], 'one', true],
    ['another program', [], [], 'other', false],
    ['a client of that program whose call 5 is running too', [], ['one'], 'one', false],
    ['a client of that program whose call 5 has just ended', ['one'], [], 'one', false],
    ['the client itself, after a call 5 of another program', ['other'], [], 'one', true],
  ];

for (const [what, before, beside, from, stops] of CANCELLATIONS) {
  test(`a late cancellation from ${what} ${stops ? 'stops the call' : 'stops nothing'}`, () =>
    withRelay({ client: false }, async ({ provider, server }) => {
      const as = (program: string) => ({ 'user-agent': program });
      const call = (name: string) => {
        return { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name, arguments: {} } };
      };
      for (const program of before) await postMcp({ server }, call('get_devices'), as(program));
      provider.clearRequests();
      provider.faults.add({ kind: 'latency', ms: 300, times: 2 });
      const answers = ['one', ...beside].map((program, at) =>
        postMcp({ server }, call(at === 0 ? 'get_my_playlists' : 'get_devices'), as(program)),
      );
      await until(() => provider.requests.length === answers.length);
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
      assert.equal((await postMcp({ server }, cancel, as(from))).status, 202);
      for (const { text } of await Promise.all(answers)) assert.equal(/CANCELLED/.test(text), stops, text);
    }));
}

test('a notification in a batch cancels a call of another batch, and no other call', () =>
  withRelay(async ({ provider, server }) => {
    provider.faults.add({ method: 'GET', path: '/me/playlists', kind: 'hang', when: 'before' });
    const call = (id: string | number, name: string) => {
      return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } };
    };
    const answered = postMcp({ server }, [call('slow', 'get_my_playlists'), call(2, 'get_devices')]);
    await untilRequested(provider, '/me/playlists');
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } };
    assert.equal((await postMcp({ server }, [cancel])).status, 202);
    const results = [...(await answered).text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => {
      const { id, result } = JSON.parse(data);
      return [id, result.structuredContent.error?.code];
    });
    assert.deepEqual(results, [
      [2, undefined],
      ['slow', 'CANCELLED'],
    ]);
    assert.deepEqual(
      pluck(provider.requests, 'path').filter((path) => path === '/me/playlists'),
      ['/me/playlists'],
    );
  }));

async function untilRequested(provider: { requests: Array<{ path: string }> }, path: string): Promise<void> {
  await until(() => provider.requests.some((request) => request.path === path));
}
