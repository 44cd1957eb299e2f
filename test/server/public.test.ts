import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { silentLog } from '../../src/base/log.ts';
import { clientAddress, isDirectLoopback, networkOf } from '../../src/server/http/address.ts';
import type { HttpContext } from '../../src/server/http/context.ts';
import { register } from '../oauth/clients.ts';
import { manualClock } from '../support/clock.ts';
import { send } from '../support/http.ts';
import { withRelay } from '../support/world.ts';

const HOST = 'relay.example.org';
const PUBLIC = { PUBLIC_BASE_URL: `https://${HOST}` };
const apart = { connect: false, client: false } as const;

const METADATA = { redirect_uris: ['https://client.example/cb'] };

/** Registers until a registration is refused; returns how many were accepted. */
async function registrationsLetIn(url: string, headers: (at: number) => Record<string, string>) {
  for (let at = 0; at < 30; at++) {
    if ((await register(url, METADATA, headers(at))).status === 429) return at;
  }
  return 30;
}

test('cookies are Secure over https, but not for this machine, which uses http', () =>
  withRelay({ ...apart, env: PUBLIC }, async (relay) => {
    const local = relay.server.localUrl;
    const client = await register(local, METADATA);
    const query = new URLSearchParams({
      client_id: JSON.parse(client.text).client_id,
      redirect_uri: 'https://client.example/cb',
      response_type: 'code',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    });
    const cookiesFor = async (headers: Record<string, string>) =>
      [(await send(`${local}/oauth/authorize?${query}`, { headers })).headers['set-cookie'] ?? []].flat();
    const outside = await cookiesFor({ host: HOST, 'x-forwarded-for': '203.0.113.9' });
    const inside = await cookiesFor({});
    assert.ok(outside.length > 0 && outside.every((cookie) => /; Secure$/.test(cookie)), String(outside));
    assert.ok(inside.length > 0 && inside.every((cookie) => !/Secure/.test(cookie)), String(inside));
  }));

test('all strangers behind a tunnel share one limit, and this machine has its own', () =>
  withRelay({ ...apart, env: PUBLIC, clock: manualClock() }, async (relay) => {
    const local = relay.server.localUrl;
    const stranger = (at: number) => ({ host: HOST, 'x-forwarded-for': `203.0.113.${at}` });
    assert.equal(await registrationsLetIn(local, stranger), 20);
    assert.equal(await registrationsLetIn(local, () => ({})), 20);
  }));

test('the log says that the server is public, and names refused hosts in a few lines a minute', async () => {
  const lines: string[] = [];
  const clock = manualClock();
  const log = {
    ...silentLog,
    warn: (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`),
  };
  await withRelay({ ...apart, env: PUBLIC, log, clock }, async (relay) => {
    const local = relay.server.localUrl;
    assert.match(lines.join('\n'), /this server is public.*relay\.example\.org/);
    lines.length = 0;
    const foreign = async (headers: Record<string, string>) => {
      assert.equal((await send(`${local}/health`, { headers })).status, 403);
    };
    for (let at = 0; at < 20; at++) await foreign({ host: 'evil.example\u009b31m' });
    assert.equal(lines.length, 3);
    assert.match(lines[0] ?? '', /^request refused: foreign Host .*"host":"evil\.example\?31m"/);
    clock.advance(60_000);
    await foreign({ host: 'evil.example' });
    assert.match(lines[3] ?? '', /"more":17/);
    await foreign({ origin: 'https://evil.example' });
    assert.match(lines[4] ?? '', /^request refused: foreign Origin .*"origin":"https:\/\/evil\.example"/);
  });
});

test('the command line uses loopback where the server listens on another address', async () => {
  const outer = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  const env = { ...PUBLIC, RELAY_HOST: outer?.address ?? '127.0.0.2' };
  await withRelay({ ...apart, env }, async (relay) => {
    const local = relay.server.localUrl;
    assert.match(local, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await relay.door.status()).server?.mcpUrl, `https://${HOST}/mcp`);
  });
});

test('the generated owner code is longer if strangers can try it', async () => {
  await withRelay({ ...apart, env: PUBLIC }, async ({ server }) => {
    assert.match(server.ownerCode ?? '', /^[2-9A-Z]{4}(-[2-9A-Z]{4}){3}$/);
  });
  await withRelay(apart, async ({ server }) => {
    assert.match(server.ownerCode ?? '', /^[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{2}$/);
  });
});

interface Asker {
  peer: string;
  headers?: Record<string, string>;
}

function exchangeFrom({ peer, headers = {} }: Asker): HttpContext {
  return {
    request: { socket: { remoteAddress: peer }, headers: { host: HOST, ...headers } },
  } as unknown as HttpContext;
}

const xff = (value: string) => ({ 'x-forwarded-for': value });

const CLIENTS: Array<[asker: Asker, counted: string]> = [
  [{ peer: '203.0.113.1' }, '203.0.113.1'],
  [{ peer: '::ffff:203.0.113.1' }, '203.0.113.1'],
  [{ peer: '2001:db8:1:2:3:4:5:6' }, '2001:db8:1:2::/64'],
  [{ peer: '127.0.0.1' }, 'loopback'],
  [{ peer: '127.0.0.1', headers: { host: 'localhost:4980' } }, 'this machine'],
  [{ peer: '::1', headers: { host: '[::1]:4980' } }, 'this machine'],
  [{ peer: '::ffff:127.0.0.1', headers: { host: '127.0.0.1:4980' } }, 'this machine'],
  [{ peer: '127.0.0.1', headers: { host: 'localhost:4980', ...xff('1.2.3.4') } }, 'loopback'],
  [{ peer: '203.0.113.1', headers: xff('1.2.3.4') }, '203.0.113.1'],
];

for (const [asker, counted] of CLIENTS) {
  test(`${asker.peer} with ${JSON.stringify(asker.headers ?? {})} counts as ${counted}`, () => {
    const exchange = exchangeFrom(asker);
    assert.equal(clientAddress(exchange), counted);
    assert.equal(isDirectLoopback(exchange), counted === 'this machine');
  });
}

test('one network counts as one address, in every spelling', () => {
  const spellings = ['2001:DB8:1:2::1', '2001:db8:0001:0002:ffff::', '2001:db8:1:2::1%eth0'];
  assert.deepEqual(new Set(spellings.map(networkOf)), new Set(['2001:db8:1:2::/64']));
  assert.deepEqual(['::1', '127.0.0.9', '::ffff:127.0.0.1'].map(networkOf), [
    'loopback',
    'loopback',
    'loopback',
  ]);
  assert.equal(networkOf(''), '');
});
