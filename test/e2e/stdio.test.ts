/** `relay stdio` as clients start it: a process that forwards messages to the home's server, or becomes that server. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TOOLS } from '../../src/tools/index.ts';
import { relayProcess, temporaryHome } from '../support/cli.ts';
import { manualClock } from '../support/clock.ts';
import { linesOf, owner, pluck } from '../support/entries.ts';
import { listening } from '../support/http.ts';
import { longTest, sized } from '../support/scale.ts';
import { settingsFor, startSimulator } from '../support/simulator/simulator.ts';
import { olderStdioClient, rawStdio, stdioClient } from '../support/stdio.ts';
import { until } from '../support/until.ts';
import { API_KEY, connectAccount, ENCRYPTION_KEY, type Relay, withRelay } from '../support/world.ts';

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

longTest('clients of both protocol revisions get through stdio what they get over HTTP', () =>
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
  }),
);

longTest('relay stdio --demo starts the demo, and a second relay stdio --demo uses that demo', async (t) => {
  const env = desk(t);
  const demo = { RELAY_HOME: join(env.RELAY_HOME ?? '', 'demo') };
  const first = rawStdio(t, { env, args: ['--demo'] });
  const search = (stdio: typeof first) => stdio.call('search_tracks', { query: 'carousel', limit: 1 });
  const found = await search(first);
  assert.equal((found.items as unknown[] | undefined)?.length, 1, JSON.stringify(found));
  const second = rawStdio(t, { env, args: ['--demo'] });
  assert.deepEqual(await search(second), found);
  assert.equal(JSON.parse(readFileSync(serverFile(demo), 'utf8')).pid, first.pid);
  assert.equal(existsSync(serverFile(env)), false);
});

longTest('progress notifications come through', async (t) => {
  await withRelay(async (relay) => {
    const stdio = rawStdio(t, { env: besides(relay) });
    await stdio.ask('tools/call', {
      name: 'search_tracks',
      arguments: { query: 'remastered', limit: 50 },
      _meta: { progressToken: 'p' },
    });
    const heard = stdio.lines().filter(({ method }) => method === 'notifications/progress');
    assert.deepEqual(
      heard.map(({ params }) => params),
      [1, 2, 3, 4, 5].map((progress) => ({ progressToken: 'p', progress, total: 5 })),
    );
  });
});

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

longTest('a cancelled call stops before its next request', () =>
  withRelay(async (relay) => {
    const { provider } = relay;
    const env = besides(relay);
    const [current, older] = await Promise.all([stdioClient({ env }), olderStdioClient({ env })]);
    const devices = { name: 'get_devices', arguments: {} };
    const playlists = { name: 'get_my_playlists', arguments: {} };
    const eras = [
      { client: current, list: (signal: AbortSignal) => current.callTool(playlists, { signal }) },
      { client: older, list: (signal: AbortSignal) => older.callTool(playlists, undefined, { signal }) },
    ];
    for (const { client, list } of eras) {
      provider.clearRequests();
      provider.faults.add({ method: 'GET', path: '/me/playlists', kind: 'hang', when: 'before' });
      const leave = new AbortController();
      const call = list(leave.signal);
      await until(() => provider.requests.length === 1);
      leave.abort();
      await assert.rejects(call);
      // The next call is answered as usual.
      assert.equal((await client.callTool(devices)).isError, undefined);
      assert.deepEqual(pluck(provider.requests, 'path'), ['/me/playlists', '/me/player/devices']);
      await client.close();
    }
  }),
);

longTest('relay stdio keeps working when the server restarts', async (t) => {
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

longTest('relay stdio works for longer than a credential of the command line lasts', async (t) => {
  const clock = manualClock();
  await withRelay({ clock, client: false }, async (relay) => {
    const stdio = rawStdio(t, { env: besides(relay) });
    for (let day = 0; day < 3; day++) {
      assert.deepEqual((await stdio.ask('ping')).result, {});
      clock.advance(24 * 60 * 60_000);
    }
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

for (const [what, form] of [
  ['after the command', { args: ['--demo'] }],
  ['before it', { before: ['--demo'] }],
] as const) {
  longTest(`--demo ${what} starts the demo, in its own home`, async (t) => {
    const env = desk(t);
    const stdio = rawStdio(t, { env, ...form });
    const { items } = await stdio.call('search_tracks', { query: 'carousel', limit: 1 });
    assert.equal((items as unknown[]).length, 1);
    assert.equal(await stdio.close(), 0);
    assert.deepEqual(readdirSync(env.RELAY_HOME ?? ''), ['demo']);
  });
}

longTest('relay stdio starts even if the usual port is taken', async (t) => {
  const { port } = new URL(await listening(t, createServer()));
  const stdio = rawStdio(t, { env: desk(t, { RELAY_PORT: port }) });
  assert.ok((await stdio.ask('ping')).result);
  assert.equal(await stdio.close(), 0);
});

longTest(
  'of two relay stdio started at once, one is the server and the other uses it; the server stays until the other has gone',
  async (t) => {
    const env = desk(t);
    const both = [rawStdio(t, { env }), rawStdio(t, { env })];
    for (const answer of await Promise.all(both.map((stdio) => stdio.ask('ping')))) assert.ok(answer.result);
    const { RELAY_HOME = '' } = env;
    const { pid } = (await readJson(join(RELAY_HOME, 'server.json'))) as { pid: number };
    const host = both.find((stdio) => stdio.pid === pid);
    const other = both.find((stdio) => stdio.pid !== pid);
    assert.ok(host && other);
    let hasEnded = false;
    const end = host.close().then((code) => {
      hasEnded = true;
      return code;
    });
    for (let count = 0; count < 20; count++) assert.ok((await other.ask('ping')).result);
    assert.equal(hasEnded, false);
    assert.equal(await other.close(), 0);
    assert.equal(await end, 0);
    assert.equal(existsSync(serverFile(env)), false);
  },
);

longTest('when the relay stdio that is the server is killed, another takes its place', async (t) => {
  const env = desk(t);
  const first = rawStdio(t, { env });
  await first.ask('ping');
  const second = rawStdio(t, { env });
  await second.ask('ping');
  await first.kill('SIGKILL');
  assert.ok((await second.ask('ping')).result);
  assert.equal(((await readJson(serverFile(env))) as { pid: number }).pid, second.pid);
  assert.equal(await second.close(), 0);
});

longTest(
  'a call that a killed server left open is repeated if it only reads, else reported as uncertain',
  async (t) => {
    const provider = await startSimulator();
    t.after(() => provider.close());
    const env = desk(t, settingsFor(provider));
    const host = rawStdio(t, { env });
    await host.ask('ping');
    await connectAccount(((await readJson(serverFile(env))) as { baseUrl: string }).baseUrl);
    const stdio = rawStdio(t, { env });
    await stdio.ask('ping');
    provider.faults.add({ method: 'GET', path: '/me/playlists', kind: 'hang', when: 'before' });
    provider.faults.add({ method: 'PUT', path: '/me/player/pause', kind: 'hang', when: 'before' });
    provider.clearRequests();
    const answers = Promise.all([stdio.call('get_my_playlists'), stdio.call('pause')]);
    await until(() => provider.requests.length === 2);
    await host.kill('SIGKILL');
    const [read, write] = await answers;
    assert.equal((read.items as unknown[]).length, owner(provider).playlists.length);
    assert.deepEqual(write, {
      code: -32603,
      message:
        'The relay server stopped before it had answered. The call may have taken effect. Before calling again, read what it was to change, or call list_changes if that is offered.',
      data: {
        code: 'NO_SERVER',
        remedy:
          'The call may have taken effect. Before calling again, read what it was to change, or call list_changes if that is offered.',
      },
    });
    assert.deepEqual(provider.requests.map(({ path }) => path).sort(), [
      '/me/player/pause',
      '/me/playlists',
      '/me/playlists',
    ]);
    assert.equal(await stdio.close(), 0);
  },
);

longTest('nothing but messages reaches stdout, whatever the runtime and its packages print', async (t) => {
  const env = desk(t);
  const noisy = join(env.RELAY_HOME ?? '', 'noisy.cjs');
  writeFileSync(
    noisy,
    `const { write } = process.stdout;
    setInterval(() => {
      // The program has not begun yet.
      if (process.stdout.write === write) return;
      console.log('printed by a package');
      process.emitWarning('a warning of the runtime');
      process.stdout.write('written by a package');
      console.error('x'.repeat(100_000));
    }, 5).unref();
    `,
  );
  for (const stderr of sized(['closed', 'full'] as const, ['full'] as const)) {
    const stdio = rawStdio(t, {
      env: { ...env, NODE_OPTIONS: `--require ${noisy}`, LOG_LEVEL: 'debug' },
      stderr,
    });
    for (let count = 0; count < 5; count++) assert.ok((await stdio.ask('tools/list')).result);
    stdio.send({ method: 'notifications/unknown' });
    stdio.send({ id: 'text', method: 'no/such/method' });
    await until(() => stdio.lines().some(({ id }) => id === 'text'));
    assert.ok(stdio.lines().every(({ jsonrpc }) => jsonrpc === '2.0'));
    assert.equal(await stdio.close(), 0, stderr);
  }
});

longTest('a configuration error is the answer to each request, until the file is corrected', async (t) => {
  const env = desk(t);
  const config = join(env.RELAY_HOME ?? '', 'config.json');
  writeFileSync(config, '{"port": "many"}');
  const { RELAY_PORT: _, ...rest } = env;
  const stdio = rawStdio(t, { env: rest });
  const { error } = (await stdio.ask('ping')) as { error: { data: { code: string }; message: string } };
  assert.equal(error.data.code, 'SETTINGS_INVALID');
  assert.match(error.message, /"port" in .*config\.json must be a whole number/);
  writeFileSync(config, '{"port": 0}');
  assert.ok((await stdio.ask('ping')).result);
  assert.equal(await stdio.close(), 0);
});

longTest('lines that are not messages, and batches, are answered as JSON-RPC requires', async (t) => {
  const env = desk(t);
  const { out, code } = await relayProcess(['stdio'], {
    env,
    stdin:
      'nonsense\n\n"text"\n[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]\r\n{"jsonrpc":"2.0","id":3,"method":"ping"}',
  });
  const lines = linesOf(out).flatMap((line) => JSON.parse(line) as Array<{ id: number | null }>);
  assert.deepEqual(lines.map(({ id }) => id).sort(), [1, 2, 3, null, null]);
  assert.equal(code, 0);
});

async function readJson(path: string): Promise<unknown> {
  const { readFile } = await import('node:fs/promises');
  return JSON.parse(await readFile(path, 'utf8'));
}
