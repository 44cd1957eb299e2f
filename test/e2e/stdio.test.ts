/** `relay stdio` as clients start it: a process that forwards messages to the home's server, or becomes that server. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TOOLS } from '../../src/tools/index.ts';
import { relayProcess, temporaryHome } from '../support/cli.ts';
import { pluck } from '../support/entries.ts';
import { olderStdioClient, rawStdio, stdioClient } from '../support/stdio.ts';
import { until } from '../support/until.ts';
import { API_KEY, ENCRYPTION_KEY, type Relay, withRelay } from '../support/world.ts';

const NAMES = TOOLS.map((tool) => tool.name);

/** The environment that a client gives the program: not even a PATH. */
const besides = ({ home }: Relay) => ({ RELAY_HOME: home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY, PATH: '' });

/** The environment for a home without a server. */
function desk(t: TestContext, more: Record<string, string> = {}): Record<string, string> {
  return {
    RELAY_HOME: temporaryHome(t),
    RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    RELAY_PORT: '0',
    PATH: '',
    ...more,
  };
}

const serverFile = ({ RELAY_HOME = '' }: Record<string, string>) => join(RELAY_HOME, 'server.json');

test('clients of both protocol revisions get through stdio what they get over HTTP', () =>
  withRelay(async (relay) => {
    const { client: http, provider } = relay;
    const [track] = provider.catalogue.tracks;
    const env = besides(relay);
    const [current, older] = await Promise.all([stdioClient({ env }), olderStdioClient({ env })]);
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
  const others = [
    '{}',
    '{"jsonrpc":"2.0","id":12}',
    '{"jsonrpc":"2.0","method":1}',
    '[]',
    '[1]',
    '1',
    'null',
  ];
  await withRelay({ client: false }, async (relay) => {
    const stdio = rawStdio(t, { env: besides(relay) });
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

test('relay stdio keeps working when the server restarts', async (t) => {
  await withRelay(async (relay) => {
    const stdio = rawStdio(t, { env: besides(relay) });
    await stdio.ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    });
    assert.equal('error' in (await stdio.call('get_devices')), false);
    await relay.restart();
    assert.equal('error' in (await stdio.call('get_devices')), false);
  });
});

test('without a server, relay stdio becomes one that other commands find, and it ends with its client', async (t) => {
  const env = desk(t);
  const stdio = rawStdio(t, { env });
  const { result } = await stdio.ask('tools/list');
  assert.equal((result as { tools: unknown[] }).tools.length, NAMES.length);
  const status = await relayProcess(['status', '--json'], { env });
  const report = JSON.parse(status.out) as { server: { pid: number; baseUrl: string } };
  assert.equal(report.server.pid, stdio.pid);
  // Nothing is set up yet, so the first call names the page that explains how to connect an account.
  const { error } = (await stdio.call('get_devices')) as {
    error: { code: string; details: { login_url: string } };
  };
  assert.deepEqual([error.code, error.details.login_url], ['LOGIN_REQUIRED', `${report.server.baseUrl}/`]);
  assert.equal((await fetch(error.details.login_url)).status, 200);
  assert.equal(await stdio.close(), 0);
  assert.equal(existsSync(serverFile(env)), false);
});
