/** `relay stdio` as clients start it: a process that carries messages to the home's server, or starts that server. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openOffline } from '../../src/server/offline.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { pluck } from '../support/entries.ts';
import { META_2026 } from '../support/mcpPost.ts';
import { withDesk } from '../support/program.ts';
import { olderStdioClient, rawStdio, stdioClient } from '../support/stdio.ts';
import { until } from '../support/until.ts';
import { API_KEY, ENCRYPTION_KEY, type Relay, withRelay } from '../support/world.ts';

const NAMES = ALL_TOOLS.map((tool) => tool.name);

/** The environment that a client gives the program: not even a PATH. */
const besides = ({ home }: Relay) => ({ RELAY_HOME: home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY, PATH: '' });

/** The environment for a home without a server. A server that is started for it is stopped at the end. */
function desk(t: TestContext): Record<string, string> {
  const env = {
    RELAY_HOME: '',
    RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    RELAY_PORT: '0',
    PATH: '',
  };
  // Before the home is removed.
  t.after(() => relay(['stop'], { env }));
  env.RELAY_HOME = temporaryHome(t);
  return env;
}

/** The running server, as `relay status` shows it; null if there is none. */
async function serverOf(env: Record<string, string>): Promise<{ pid: number; baseUrl: string } | null> {
  const { out } = await relay(['status', '--json'], { env, parts: { openOffline } });
  return (JSON.parse(out) as { server: { pid: number; baseUrl: string } | null }).server;
}

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};

test('clients of both protocol revisions get through stdio what they get over HTTP', () =>
  withRelay(async (world) => {
    const { client: http, provider } = world;
    const [track] = provider.catalogue.tracks;
    const env = besides(world);
    const [current, older] = await Promise.all([stdioClient(env), olderStdioClient(env)]);
    try {
      assert.equal(current.getNegotiatedProtocolVersion(), '2026-07-28');
      assert.deepEqual((await current.listTools()).tools, (await http.listTools()).tools);
      assert.deepEqual(pluck((await older.listTools()).tools, 'name'), NAMES);
      assert.equal(current.getInstructions(), http.getInstructions());
      assert.equal(older.getInstructions(), http.getInstructions());
      for (const args of [{ track_id: track?.id ?? '' }, { track_id: 'nonsense' }]) {
        const request = { name: 'get_track', arguments: args };
        const expected = await http.callTool(request);
        const { content, structuredContent, isError } = await older.callTool(request);
        assert.deepEqual((await current.callTool(request)).structuredContent, expected.structuredContent);
        assert.deepEqual(
          [content, structuredContent, isError],
          [expected.content, expected.structuredContent, expected.isError],
        );
      }
      await assert.rejects(older.callTool({ name: 'no_such_tool' }), { code: -32602 });
      await assert.rejects(current.callTool({ name: 'nö süch tool' }), { code: -32602 });
      const prompts = await current.listPrompts();
      assert.deepEqual(prompts.prompts, (await http.listPrompts()).prompts);
    } finally {
      await Promise.all([current.close(), older.close()]);
    }
  }));

test('a line that is no message gets the same error as over HTTP, with id null; one that is too long an error, a notification none', async (t) => {
  const invalid = [
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  ];
  const others = ['{}', '{"jsonrpc":"2.0","id":12}', '{"jsonrpc":"2.0","method":1}', '[1]', '1', 'null'];
  await withRelay({ client: false }, async (relay) => {
    const stdio = rawStdio(t, besides(relay));
    const answers = async (line: string) => {
      const before = stdio.lines().length;
      stdio.write(line);
      if (!line.includes('notifications/')) await until(() => stdio.lines().length > before);
      await stdio.ask('ping');
      return stdio.lines().slice(before, -1);
    };
    assert.deepEqual(await answers('{"jsonrpc":"2.0","method":"notifications/none"}'), []);
    for (const line of ['{broken', ...invalid, ...others]) {
      const headers = { authorization: `Bearer ${API_KEY}`, accept: 'application/json, text/event-stream' };
      const json = { 'content-type': 'application/json' };
      const http = await fetch(`${relay.baseUrl}/mcp`, {
        method: 'POST',
        headers: { ...headers, ...json },
        body: line,
      });
      const { id, error } = (await http.json()) as { id: null; error: { code: number; message: string } };
      const [answer, ...more] = (await answers(line)) as Array<{ id: null; error: { code: number } }>;
      assert.deepEqual([answer?.id, answer?.error.code, more], [id, error.code, []], line);
    }
    const [tooLong] = await answers(
      `{"jsonrpc":"2.0","id":1,"method":"ping","more":"${'x'.repeat(17_000_000)}"}`,
    );
    assert.equal((tooLong as { error: { code: number } }).error.code, -32603);
  });
});

test('relay stdio keeps working when the server restarts, and needs no new handshake', async (t) => {
  await withRelay(async (relay) => {
    const stdio = rawStdio(t, besides(relay));
    await stdio.ask('initialize', INITIALIZE);
    assert.equal('error' in (await stdio.call('get_devices')), false);
    await relay.restart();
    assert.equal('error' in (await stdio.call('get_devices')), false);
  });
});

test('without a server, relay stdio starts one that outlives its client; relay serve takes its place; a killed one is replaced', async (t) => {
  const env = desk(t);
  const first = rawStdio(t, env);
  const { result } = await first.ask('tools/list');
  assert.equal((result as { tools: unknown[] }).tools.length, 49);
  const server = await serverOf(env);
  assert.ok(server && server.pid !== first.pid);
  // Nothing is set up yet, so the first call names the page that explains how to connect an account.
  const { error } = (await first.call('get_devices')) as {
    error: { code: string; details: { login_url: string } };
  };
  assert.deepEqual([error.code, error.details.login_url], ['LOGIN_REQUIRED', `${server.baseUrl}/`]);
  assert.equal((await fetch(error.details.login_url)).status, 200);
  await first.kill('SIGKILL');
  const stdio = rawStdio(t, env);
  assert.ok((await stdio.ask('ping')).result);
  assert.equal((await serverOf(env))?.pid, server.pid);
  await withDesk(env, async ({ serve }) => {
    const { ready } = await serve();
    assert.notEqual(ready.pid, server.pid);
    assert.ok((await stdio.ask('ping')).result);
    assert.equal((await serverOf(env))?.pid, ready.pid);

    process.kill(ready.pid, 'SIGSTOP');
    const cut = stdio.ask('tools/list');
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.kill(ready.pid, 'SIGKILL');
    const { error } = (await cut) as { error: { message: string; data: { code: string } } };
    assert.equal(error.data.code, 'NO_SERVER');
    assert.match(error.message, /stopped before it had answered\. The call may have taken effect/);
    assert.ok((await stdio.ask('tools/list')).result);
    const last = await serverOf(env);
    assert.ok(last && last.pid !== ready.pid);
    assert.equal(await stdio.close(), 0);
    assert.equal((await serverOf(env))?.pid, last.pid);
  });
});

test('clients that start at once share one server', async (t) => {
  const env = desk(t);
  const all = Array.from({ length: 3 }, () => rawStdio(t, env));
  for (const answer of await Promise.all(all.map((stdio) => stdio.ask('ping')))) assert.ok(answer.result);
  const server = await serverOf(env);
  const { out } = await relay(['stop', '--json'], { env });
  assert.deepEqual((JSON.parse(out) as { stopped: { pid: number } }).stopped.pid, server?.pid);
  // Everybody who comes back finds the same new one.
  for (const stdio of all) assert.ok((await stdio.ask('ping')).result);
});

test('a cancelled call gets no answer and is over at once, in both revisions', async (t) => {
  await withRelay({ client: false }, async (relay) => {
    const stdio = rawStdio(t, besides(relay));
    const modern = { _meta: META_2026 };
    for (const [index, more] of [{}, modern].entries()) {
      const id = `slow ${index}`;
      relay.provider.faults.add({ path: '/me/player/devices', kind: 'hang', when: 'before' });
      stdio.send({ id, method: 'tools/call', params: { name: 'get_devices', ...more } });
      await until(
        () => relay.provider.requests.filter(({ path }) => path.endsWith('/devices')).length > index,
      );
      stdio.send({ method: 'notifications/cancelled', params: { requestId: id, ...more } });
      stdio.send({ id: `next ${index}`, method: 'tools/list', params: more });
      await until(() => stdio.lines().some((line) => line.id === `next ${index}`));
      assert.ok(!stdio.lines().some((line) => line.id === id));
    }
    // The server waits for nothing, so it ends at once.
    const begin = Date.now();
    await relay.restart();
    assert.ok(Date.now() - begin < 4_000, `${Date.now() - begin} ms`);
  });
});
