/** Unfinished bodies take little memory, and do not affect whole ones. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { createWaitingBodies } from '../../src/server/http/waitingBodies.ts';
import { send } from '../support/http.ts';
import { until } from '../support/waiting.ts';
import { type Relay, withRelay } from '../support/world.ts';

const MIB = 1024 * 1024;
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const OPEN_PATHS = [
  ['/oauth/authorize', FORM],
  ['/owner/code', JSON_TYPE],
  ['/owner/ticket', JSON_TYPE],
] as const;

interface Held {
  socket: Socket;
  said(): string;
}

/** Begins a request and sends `bytes` of a body that is a byte longer. */
async function unfinished(
  { baseUrl }: Relay,
  [path, type]: readonly [string, string],
  bytes: number,
  more = '',
): Promise<Held> {
  const { host, port, hostname } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  let said = '';
  socket.on('data', (chunk) => {
    said += String(chunk);
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: ${type}\r\n${more}`;
  socket.write(`${head}content-length: ${bytes + 1}\r\n\r\n`);
  await new Promise((resolve) => socket.write(Buffer.alloc(bytes, ' '), resolve));
  return { socket, said: () => said };
}

test('a client whose body is dropped to make room gets an OAuth error that says to send the request again', () =>
  withRelay({ client: false }, async (relay) => {
    const held: Held[] = [];
    while (held.length < 4) held.push(await unfinished(relay, ['/oauth/token', FORM], MIB - 1));
    await until(() => held.some(({ said }) => said().endsWith('}')));
    const answer = held.find(({ said }) => said() !== '')?.said() ?? '';
    assert.match(answer, /^HTTP\/1\.1 503 /);
    assert.match(answer, /\r\nretry-after: 1\r\n/i);
    assert.deepEqual(JSON.parse(answer.slice(answer.indexOf('{'))), {
      error: 'temporarily_unavailable',
      error_description: 'Too many requests are being sent at the same time. Send this one again.',
    });
    for (const { socket } of held) socket.destroy();
  }));

test('no body is read on /mcp or /local before the credential is right', () =>
  withRelay({ client: false }, async (relay) => {
    for (const path of ['/mcp', '/local/status', '/owner/jobs/items']) {
      const { socket, said } = await unfinished(
        relay,
        [path, JSON_TYPE],
        1000,
        'authorization: Bearer x\r\n',
      );
      await until(() => said() !== '');
      assert.match(said(), /^HTTP\/1\.1 401 /, path);
      socket.destroy();
    }
  }));

test('a body that needs no credential has at most 1 MiB', () =>
  withRelay({ client: false, connect: false }, async ({ baseUrl }) => {
    for (const [path, type] of [
      ...OPEN_PATHS,
      ['/oauth/token', FORM],
      ['/oauth/register', JSON_TYPE],
    ] as const) {
      const statusOf = async (bytes: number) => {
        const body = 'x'.repeat(bytes);
        return (await send(`${baseUrl}${path}`, { method: 'POST', headers: { 'content-type': type }, body }))
          .status;
      };
      assert.equal(await statusOf(MIB + 1), 413, path);
      assert.equal(await statusOf(MIB), 400, path);
    }
  }));

test('the body that has waited longest is dropped first, and only from the share that is full', () => {
  const gone: string[] = [];
  const bodies = createWaitingBodies({ anyone: 1_000, client: 1_000, commandLine: Number.POSITIVE_INFINITY });
  const body = (from: 'anyone' | 'client' | 'commandLine', name: string) =>
    bodies.add(from, () => gone.push(name));
  const [first, second, client, own] = [
    body('anyone', 'first'),
    body('anyone', 'second'),
    body('client', 'client'),
    body('commandLine', 'own'),
  ];
  second.grew(300);
  first.grew(300);
  client.grew(800);
  own.grew(1e9);
  assert.deepEqual(gone, []);
  first.grew(300);
  assert.deepEqual(gone, ['second']);
  first.grew(300);
  assert.deepEqual(gone, ['second', 'first']);
  client.end();
  body('client', 'another').grew(800);
  // A body that comes byte by byte holds more than its bytes.
  const bytes = body('anyone', 'bytes');
  for (let count = 0; count < 10; count++) bytes.grew(1);
  assert.deepEqual(gone, ['second', 'first', 'bytes']);
});
