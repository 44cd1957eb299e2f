/** `relay stdio` as clients start it: a process that carries messages to the home's server, or starts that server. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { relayProcess, temporaryHome } from '../support/cli.ts';
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
function desk(t: TestContext, more: Record<string, string> = {}): Record<string, string> {
  const env = {
    RELAY_HOME: '',
    RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    RELAY_PORT: '0',
    PATH: '',
    ...more,
  };
  // Before the home is removed.
  t.after(() => relayProcess(['stop'], { env }));
  env.RELAY_HOME = temporaryHome(t);
  return env;
}

/** The running server, as `relay status` shows it; null if there is none. */
async function serverOf(env: Record<string, string>): Promise<{ pid: number; baseUrl: string } | null> {
  const { out } = await relayProcess(['status', '--json'], { env });
  return (JSON.parse(out) as { server: { pid: number; baseUrl: string } | null }).server;
}

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};

test('clients of both protocol revisions get through stdio what they get over HTTP', () =>
  withRelay(async (relay) => {
    const { client: http, provider } = relay;
    const [track] = provider.catalogue.tracks;
    const env = besides(relay);
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

test('a line that is no message gets the same error as over HTTP, with id null; a notification gets no answer', async (t) => {
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

test('without a server, relay stdio starts one that others find, and that outlives its client', async (t) => {
  const env = desk(t);
  const stdio = rawStdio(t, env);
  const { result } = await stdio.ask('tools/list');
  assert.equal((result as { tools: unknown[] }).tools.length, 49);
  const server = await serverOf(env);
  assert.ok(server && server.pid !== stdio.pid);
  // Nothing is set up yet, so the first call names the page that explains how to connect an account.
  const { error } = (await stdio.call('get_devices')) as {
    error: { code: string; details: { login_url: string } };
  };
  assert.deepEqual([error.code, error.details.login_url], ['LOGIN_REQUIRED', `${server.baseUrl}/`]);
  assert.equal((await fetch(error.details.login_url)).status, 200);
  await stdio.kill('SIGKILL');
  assert.equal((await serverOf(env))?.pid, server.pid);
  const next = rawStdio(t, env);
  assert.ok((await next.ask('ping')).result);
  assert.equal(await next.close(), 0);
  assert.equal((await serverOf(env))?.pid, server.pid);
});

test('when the server is killed, the cut request is told so, and the next message gets a new server', async (t) => {
  const env = desk(t);
  const stdio = rawStdio(t, env);
  await stdio.ask('initialize', INITIALIZE);
  const first = await serverOf(env);
  process.kill(first?.pid ?? 0, 'SIGSTOP');
  const cut = stdio.ask('tools/list');
  await new Promise((resolve) => setTimeout(resolve, 100));
  process.kill(first?.pid ?? 0, 'SIGKILL');
  const { error } = (await cut) as { error: { message: string; data: { code: string } } };
  assert.equal(error.data.code, 'NO_SERVER');
  assert.match(error.message, /stopped before it had answered\. The call may have taken effect/);
  assert.ok((await stdio.ask('tools/list')).result);
  assert.notEqual((await serverOf(env))?.pid, first?.pid);
});

test('clients that start at once share one server', async (t) => {
  const env = desk(t);
  const all = Array.from({ length: 4 }, () => rawStdio(t, env));
  for (const answer of await Promise.all(all.map((stdio) => stdio.ask('ping')))) assert.ok(answer.result);
  const server = await serverOf(env);
  const { out } = await relayProcess(['stop', '--json'], { env });
  assert.deepEqual((JSON.parse(out) as { stopped: { pid: number } }).stopped.pid, server?.pid);
  // Everybody who comes back finds the same new one.
  for (const stdio of all) assert.ok((await stdio.ask('ping')).result);
});

test('relay serve takes the place of a server that a client started', async (t) => {
  const env = desk(t);
  const stdio = rawStdio(t, env);
  await stdio.ask('ping');
  const before = await serverOf(env);
  await withDesk(env, async ({ serve }) => {
    const { ready } = await serve();
    assert.notEqual(ready.pid, before?.pid);
    assert.ok((await stdio.ask('ping')).result);
    assert.equal((await serverOf(env))?.pid, ready.pid);
  });
});

test('a server that cannot start says why to the client, and a line that is too long gets an error too', async (t) => {
  const env = desk(t, { RELAY_PORT: 'none' });
  const broken = rawStdio(t, env);
  const { error } = (await broken.ask('tools/list')) as { error: { message: string } };
  assert.match(error.message, /RELAY_PORT in the environment must be/);
  assert.equal(await broken.close(), 0);
  const locked = rawStdio(t, desk(t, { RELAY_ENCRYPTION_KEY: 'c2hvcnQ=' }));
  const { error: refused } = (await locked.ask('tools/list')) as { error: { message: string } };
  assert.match(refused.message, /RELAY_ENCRYPTION_KEY/);
  const stdio = rawStdio(t, desk(t));
  stdio.write(
    `{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"name":"${'x'.repeat(100_000_000)}"}}`,
  );
  assert.ok((await stdio.ask('ping')).result);
  assert.equal((stdio.lines()[0] as { error: { code: number } }).error.code, -32603);
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
