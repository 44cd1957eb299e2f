/** The door of the server: who gets through, and where it is. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock, systemRandom } from '../../src/base/clock.ts';
import type { DoorAddress, ServerFile } from '../../src/domain/localApi.ts';
import { openCalls, openMcp } from '../../src/door/client.ts';
import { openDoor } from '../../src/door/server.ts';
import type { LocalApi } from '../../src/server/calls.ts';
import { relay, run } from '../support/cli.ts';
import { temporaryHome } from '../support/temporaryHome.ts';
import { doorOf, withRelay } from '../support/world.ts';

const apart = { connect: false, client: false } as const;

function addressOf(home: string): ServerFile {
  return JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as ServerFile;
}

test('the socket is in the home, for the owner alone, and is gone with the server', async () => {
  let [home, socket] = ['', ''];
  await withRelay(apart, async (relay) => {
    ({ home } = relay);
    ({ socket } = addressOf(home));
    assert.equal(socket, join(home, 'relay.sock'));
    assert.equal(statSync(socket).mode & 0o777, 0o600);
    assert.equal((await relay.door.status()).server?.baseUrl, relay.baseUrl);
  });
  assert.equal(existsSync(socket), false);
});

/** A door in a home that cannot hold a socket. */
const UNFIT: Record<string, (home: string) => string> = {
  'a path that is too long': (home) => join(home, 'x'.repeat(100)),
  'a directory in the place of the socket': (home) => {
    mkdirSync(join(home, 'relay.sock'));
    return home;
  },
};

for (const [what, spoil] of Object.entries(UNFIT)) {
  test(`a home with ${what} has its door in a private directory, which goes when it closes`, async (t) => {
    const home = spoil(temporaryHome(t));
    mkdirSync(home, { recursive: true });
    const door = await open(home);
    const { socket } = door.address;
    assert.ok(!socket.startsWith(home) && socket.length <= 100, socket);
    assert.equal(statSync(dirname(socket)).mode & 0o777, 0o700);
    assert.equal((await openCalls<LocalApi>(door.address).status()) as unknown as string, 'told');
    await door.close(0);
    assert.equal(existsSync(dirname(socket)), false);
  });
}

test('a home in which no socket can be made at all is an error that says what to do', async (t) => {
  const home = temporaryHome(t);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = join(home, 'x'.repeat(120));
  t.after(() => Object.assign(process.env, { TMPDIR }));
  await assert.rejects(open(join(home, 'y'.repeat(120))), {
    code: 'HOME_UNUSABLE',
    remedy: 'Choose a home on a local disk with --home, or a short TMPDIR.',
  });
});

function open(home: string, call = async () => ({ result: 'told' })) {
  const serve = () => ({ client: null, isBusy: false });
  return openDoor({ home, clock: systemClock, random: systemRandom, call, serve });
}

test('where a secret is named, only the server that has it is asked, and anybody else learns nothing', async (t) => {
  const home = temporaryHome(t);
  mkdirSync(home, { recursive: true });
  const { socket } = await listen(t, home, [
    () => '{"result":""}',
    () => '{}',
    (line) => JSON.stringify({ result: (JSON.parse(line) as { hello: string }).hello }),
    () => 'nothing that is JSON',
  ]);
  const file = { pid: process.pid, startedAt: '2026-11-01T00:00:00.000Z', version: '1.2.3' };
  const server = {
    ...file,
    baseUrl: 'http://127.0.0.1:4980',
    socket: socket.path,
    secret: 'new at each start',
  };
  writeFileSync(join(home, 'server.json'), JSON.stringify(server));
  for (let time = 0; time < 4; time += 1) {
    const { code, out, err } = await relay(['call', 'get_devices'], { env: { RELAY_HOME: home } });
    assert.deepEqual([code, out, err.split('\n')[0]], [4, '', 'relay: No server is running.']);
  }
  await assert.rejects(openMcp(server, {}), { code: 'NO_SERVER' });
  assert.deepEqual(
    socket.heard.map((text) => text.replace(/"[\w-]{43}"/, 'NONCE')),
    Array(5).fill('{"hello":NONCE}\n'),
  );
});

/** A program of somebody else that answers as it likes. */
async function listen(t: TestContext, home: string, answers: Array<(line: string) => string>) {
  const path = join(home, 'other.sock');
  const heard: string[] = [];
  const server = createServer((socket) =>
    socket.on('data', (line) => {
      heard.push(String(line));
      socket.write(`${(answers[heard.length - 1] ?? (() => '{}'))(String(line))}\n`);
    }),
  );
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.after(() => void server.close());
  return { socket: { path, heard } };
}

test('the right server proves itself, on the connection that is then used', async (t) => {
  const home = temporaryHome(t);
  mkdirSync(home, { recursive: true });
  const door = await open(home);
  t.after(() => door.close(0));
  const address: DoorAddress = door.address;
  address.secret = 'new at each start';
  assert.equal((await openCalls<LocalApi>(address).status()) as unknown as string, 'told');
  (await openMcp(address, {})).stream.destroy();
});

test('what is no request of ours, or comes in pieces, keeps nobody else from the door', () =>
  withRelay(apart, async (relay) => {
    const { socket } = addressOf(relay.home);
    const strange = [
      '',
      '\0\0\0\n',
      'GET / HTTP/1.1\r\n\r\n',
      '{"call":"status"',
      'null\n',
      '{"mcp":1}\n{}\n',
    ];
    const open: Socket[] = strange.map((text) => {
      const one = connect(socket, () => one.write(text));
      return one.on('error', () => {});
    });
    const { pid } = (await relay.door.status()).server ?? {};
    assert.equal(pid, process.pid);
    await assert.rejects(relay.door.getJob({ id: 'x'.repeat(200) }), { code: 'USAGE' });
    for (const one of open) one.destroy();
  }));

test('a server that does not know a request says that it is another version, and what to do', () =>
  withRelay(apart, async (relay) => {
    const socket = connect(addressOf(relay.home).socket);
    socket.write('{"call":"newerCall","given":{}}\n');
    const told = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.destroy();
    const { message, fix } = (
      JSON.parse(String(told)) as { error: { message: string; fix: { command: string[] } } }
    ).error;
    assert.equal(message, 'The running server is relay 1.2.3, which does not know this request.');
    assert.deepEqual(fix.command, ['stop']);
  }));

test('whoever finds server.json finds a server that is ready, in the demo with its account', async () => {
  const seen: Array<boolean | undefined> = [];
  await withRelay(
    {
      ...apart,
      demo: true,
      prepare: async (local, home) => {
        seen.push(existsSync(join(home, 'demo', 'server.json')), (await local.status()).account.connected);
      },
    },
    async (relay) => {
      seen.push(existsSync(join(relay.home, 'demo', 'server.json')));
    },
  );
  assert.deepEqual(seen, [false, false, true]);
});

test('relay stop ends the server after what it was asked, and names the clients that start one again', () =>
  withRelay(apart, async (relay) => {
    const { stream, lines } = await openMcp(addressOf(relay.home), {});
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'Cursor', version: '1' },
    };
    stream.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize })}\n`);
    await lines.next();
    void relay.server.over.then(() => relay.server.close());
    const { code, out, err } = await run(relay, ['stop']);
    assert.deepEqual([code, out], [0, `Stopped the server (pid ${process.pid}, ${relay.baseUrl}).\n`]);
    assert.match(err, /start a server again with their next message: Cursor\n$/);
    assert.deepEqual(
      (await readdir(relay.home)).filter((name) => /sock|server\.json/.test(name)),
      [],
    );
    assert.equal((await run(relay, ['stop'])).code, 4);
    await assert.rejects(doorOf(relay.home));
  }));
