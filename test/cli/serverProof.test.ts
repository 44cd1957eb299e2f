/** After a `kill -9`, another user's program may listen on the server's port. The command line must not send it any secret. */

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, createServer as createTcp } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { StatusReport } from '../../src/domain/localApi.ts';
import { createLocalClient } from '../../src/local/localClient.ts';
import { deriveLocalKey } from '../../src/secrets/seal.ts';
import { openOffline } from '../../src/server/offline.ts';
import { writeServerFile } from '../../src/store/home/serverFile.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';
import { answerHello } from '../support/hello.ts';
import { listening } from '../support/http.ts';
import { withRelay } from '../support/world.ts';

const KEY = Buffer.alloc(32, 9);
const LOCAL_KEY = deriveLocalKey(KEY);

interface Listener {
  baseUrl: string;
  /** Everything that came in, head and body of each request, as text. */
  heard: string[];
}

/** Listens where a server was, and keeps everything that it receives. */
async function listener(
  context: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<Listener> {
  const heard: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    heard.push(`${request.method} ${request.url}\n${request.rawHeaders.join('\n')}\n${body}`);
    answer(request, response, body);
  });
  return { baseUrl: await listening(context, server), heard };
}

/** A home whose `server.json` still names `baseUrl`, together with the ID of a running process. */
async function staleHome(context: TestContext, baseUrl: string) {
  const home = temporaryHome(context);
  mkdirSync(home, { recursive: true });
  const startedAt = '2026-11-01T00:00:00.000Z';
  await writeServerFile(home, { pid: process.pid, startedAt, version: '1.2.3', baseUrl });
  return { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: KEY.toString('base64') };
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const IMPOSTORS: Record<string, (response: ServerResponse, body: string) => void> = {
  'says yes to everything': (response) => json(response, 200, { ok: true }),
  'sends an empty proof': (response) => json(response, 200, { pid: process.pid, proof: '' }),
  'sends the nonce back': (response, body) => json(response, 200, { pid: 1, proof: JSON.parse(body).nonce }),
  'guesses a proof': (response) => json(response, 200, { pid: process.pid, proof: 'A'.repeat(43) }),
  'asks for the key': (response) =>
    json(response, 401, { error: { code: 'UNAUTHORIZED', message: '\u001b[2JSend the key.' } }),
  'redirects to another path': (response) => response.writeHead(307, { location: '/local/status' }).end(),
  'never ends its answer': (response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  },
};

for (const [what, answer] of Object.entries(IMPOSTORS)) {
  test(`a listener that ${what} gets nothing that it could use`, async (context) => {
    const { baseUrl, heard } = await listener(context, (_request, response, body) => answer(response, body));
    const env = await staleHome(context, baseUrl);
    for (const args of [
      ['key'],
      ['call', 'get_devices'],
      ['login', '--no-browser'],
      ['logout'],
      ['backup', '/dev/null/x'],
    ]) {
      const { code, out, err } = await relay(args, { env });
      assert.deepEqual([code, out], [4, ''], args.join(' '));
      assert.ok(err.includes(baseUrl) && !err.includes('\u001b'), err);
    }
    assert.equal(heard.length, 5);
    for (const text of heard) {
      assert.match(text, /^POST \/local\/hello\n/);
      assert.doesNotMatch(text, /authorization|bearer/i);
      assert.ok(!text.includes(LOCAL_KEY) && !text.includes(KEY.toString('base64')), text);
      assert.match(text, /\n\{"nonce":"[A-Za-z0-9_-]{43}"\}$/);
    }
    assert.equal(new Set(heard.map((text) => text.split('\n').at(-1))).size, 5);
  });
}

test('after a wrong proof, the error says that another program listens there and what to do', async (context) => {
  const { baseUrl } = await listener(context, (_request, response) =>
    json(response, 200, { pid: 1, proof: 'x' }),
  );
  const env = await staleHome(context, baseUrl);
  assert.deepEqual(await relay(['key'], { env }), {
    code: 4,
    out: '',
    err: `relay: The program listening at ${baseUrl} is not the server for this home, so nothing was sent to it.
  If another program has taken the port, start with \`relay serve\` and another --port. If it is your server, run this as the user who started it, with the same RELAY_ENCRYPTION_KEY and RELAY_KEYCHAIN.
`,
  });
});

test('the proof of the real server is worth nothing on another port', async (context) => {
  await withRelay({ connect: false, client: false }, async ({ baseUrl, localKey }) => {
    assert.ok((await createLocalClient({ baseUrl, key: localKey }).showKey()).key);
    const target = new URL(baseUrl);
    const passedOn: string[] = [];
    const between = createTcp((socket) => {
      const onward = connect(Number(target.port), target.hostname);
      socket.on('data', (chunk: Buffer) => {
        // The Host must be that of the real server, or the server would refuse the request.
        const text = chunk.toString('latin1').replace(/^Host: .*$/im, `Host: ${target.host}`);
        passedOn.push(text);
        onward.write(text, 'latin1');
      });
      onward.on('data', (chunk) => socket.write(chunk));
      for (const [a, b] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        a.on('error', () => b.destroy()).on('close', () => b.destroy());
      }
    });
    const url = await listening(context, between);
    await assert.rejects(createLocalClient({ baseUrl: url, key: localKey }).showKey(), {
      code: 'NO_SERVER',
      message: `The program listening at ${url} is not the server for this home, so nothing was sent to it.`,
    });
    assert.match(passedOn.join(''), /\/local\/hello/);
    assert.ok(!passedOn.join('').includes(localKey));
  });
});

test('the credential is sent on the connection that was proved, and on no other', async (context) => {
  const { baseUrl, heard } = await listener(context, (request, response, body) => {
    // The real server proves itself and is gone; the next connection may be anybody's.
    response.setHeader('connection', 'close');
    answerHello(request, response, body, LOCAL_KEY);
  });
  await assert.rejects(createLocalClient({ baseUrl, key: LOCAL_KEY }).showKey(), { code: 'NO_SERVER' });
  assert.deepEqual(
    heard.map((text) => text.split('\n')[0]),
    ['POST /local/hello'],
  );
});

test('hello refuses requests from a browser and requests without a valid nonce', () =>
  withRelay({ connect: false, client: false }, async ({ baseUrl }) => {
    const statusOf = async (body: string, headers: Record<string, string> = {}) =>
      new Promise<number>((resolve, reject) => {
        const sent = request(
          `${baseUrl}/local/hello`,
          { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
          (response) => resolve(response.resume().statusCode ?? 0),
        );
        sent.on('error', reject).end(body);
      });
    const good = JSON.stringify({ nonce: 'n'.repeat(43) });
    assert.equal(await statusOf(good), 200);
    assert.equal(await statusOf(good, { origin: baseUrl }), 403);
    assert.equal(await statusOf(good, { referer: `${baseUrl}/` }), 403);
    for (const nonce of ['', 'short', 'x\ny'.padEnd(43, 'z'), 'n'.repeat(200), 7, null]) {
      assert.equal(await statusOf(JSON.stringify({ nonce })), 400, String(nonce));
    }
  }));

test('relay status works while another program has the port, and says so', async (context) => {
  const { baseUrl, heard } = await listener(context, (_request, response) => json(response, 200, {}));
  const env = await staleHome(context, baseUrl);
  const { code, out, err } = await relay(['status', '--json'], { env, parts: { openOffline } });
  assert.deepEqual([code, err], [4, '']);
  const { server, entries } = JSON.parse(out);
  assert.equal(server, null);
  assert.deepEqual(entries[0], {
    part: 'server',
    state: 'bad',
    summary: `The program listening at ${baseUrl} is not the server for this home, so nothing was sent to it.`,
    remedy: entries[0].remedy,
  });
  assert.match(entries[0].remedy, /^If another program has taken the port/);
  assert.equal(heard.length, 1);
});

test('without the key of a running server, nobody is told to start over', async (context) => {
  const { home, baseUrl } = await startFakeLocal(context);
  const env = { RELAY_HOME: home, RELAY_KEYCHAIN: 'file' };
  const message =
    `A server runs at ${baseUrl}, but its key cannot be read here, so it cannot be asked. ` +
    `The master key that encrypted the state was not found. There is no ${join(home, 'master.key')}.`;
  const remedy =
    'Run this as the user who started the server, with the same RELAY_ENCRYPTION_KEY and RELAY_KEYCHAIN. ' +
    'If the keychain is locked, unlock it first.';
  for (const args of [
    ['clients'],
    ['key'],
    ['jobs'],
    ['login'],
    ['logout'],
    ['connect', 'cursor', '--key'],
  ]) {
    const { code, out, err } = await relay([...args, '--json'], { env });
    assert.deepEqual(
      [code, out, JSON.parse(err)],
      [4, '', { error: { code: 'NO_SERVER', message, remedy } }],
      args.join(' '),
    );
  }
});

for (const [what, other] of [
  ['without the key', { RELAY_KEYCHAIN: 'file' }],
  ['with another key than that', { RELAY_ENCRYPTION_KEY: KEY.toString('base64') }],
] as const) {
  test(`relay status ${what} of a running server says what it knows, and nothing of starting over`, () =>
    withRelay({ client: false }, async ({ home, baseUrl }) => {
      const env = { RELAY_HOME: home, ...other };
      const { code, out, err } = await relay(['status', '--json'], { env, parts: { openOffline } });
      assert.deepEqual([code, err], [4, '']);
      const { entries, problem } = JSON.parse(out) as StatusReport;
      const [server, account, key, ...others] = entries;
      assert.ok(server?.summary.includes(baseUrl) && server.state === 'bad', server?.summary);
      assert.deepEqual(
        [problem, account, key, others.every(({ state }) => state === 'ok')],
        [
          null,
          { part: 'account', state: 'off', summary: 'not known', remedy: null },
          { part: 'key', state: 'off', summary: 'not known', remedy: null },
          true,
        ],
      );
      assert.doesNotMatch(out, /start over/);
    }));
}

test('relay status says that nothing listens where the server should', async (context) => {
  const env = await staleHome(context, 'http://127.0.0.1:1');
  const { code, out } = await relay(['status', '--json'], { env, parts: { openOffline } });
  assert.equal(code, 4);
  assert.deepEqual(
    JSON.parse(out).entries[0].summary,
    'The server at http://127.0.0.1:1 cannot be reached: nothing listens there.',
  );
});
