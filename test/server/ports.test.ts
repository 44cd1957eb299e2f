/** relay has every loopback address that its names can mean, or it does not start. */
import assert from 'node:assert/strict';
import { createServer, type ListenOptions, Server } from 'node:net';
import { test } from 'node:test';
import { RelayError } from '../../src/domain/errors.ts';
import { bindAll } from '../../src/server/http/ports.ts';
import { send } from '../support/http.ts';
import { available, freePort, NAMES } from '../support/loopback.ts';
import { withRelay } from '../support/world.ts';

const PUBLIC = { PUBLIC_BASE_URL: 'https://relay.example.org' };
const apart = { connect: false, client: false } as const;

/** For each host of the settings: the addresses on which no other program may be. */
const OWNED: Record<string, readonly string[]> = {
  '127.0.0.1': ['127.0.0.1', '::1'],
  '127.0.0.2': ['127.0.0.2', '127.0.0.1', '::1'],
  '::1': ['::1', '127.0.0.1'],
  localhost: ['127.0.0.1', '::1'],
  '0.0.0.0': ['127.0.0.1', '::1'],
  '::': ['127.0.0.1', '::1'],
};

const isWildcard = (host: string) => ['0.0.0.0', '::'].includes(host);

const envOf = (host: string, port: string | number) => ({
  ...(isWildcard(host) ? PUBLIC : {}),
  RELAY_HOST: host,
  RELAY_PORT: String(port),
});

/** Listens as another program would; returns the result. */
function hold(host: string, port: number): Promise<{ result: string; server: Server }> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve({ result: error.code ?? '', server }));
    // An IPv4-mapped address belongs to both families.
    server.listen({ host, port, ipv6Only: host.startsWith('::') && !host.includes('.') }, () => {
      resolve({ result: 'held', server });
    });
  });
}

for (const [host, owned] of Object.entries(OWNED)) {
  if (available([host]).length === 0) continue;
  const addresses = available(owned);
  test(`with RELAY_HOST=${host} relay does not start if another program has one of its addresses, and no other program gets one while relay runs`, async () => {
    const port = Number(await freePort());
    for (const address of addresses) {
      const { result, server } = await hold(address, port);
      assert.equal(result, 'held');
      const named = nameOf(isWildcard(host) && address !== '::1' ? '0.0.0.0' : address, port);
      await assert.rejects(
        withRelay({ ...apart, env: envOf(host, port) }, async () => {}),
        (error) => error instanceof RelayError && error.code === 'PORT_TAKEN' && named.test(error.message),
        address,
      );
      await new Promise((resolve) => server.close(resolve));
    }
    await withRelay({ ...apart, env: envOf(host, port) }, async () => {
      for (const address of available(['127.0.0.1', '::1', '0.0.0.0', '::', '::ffff:127.0.0.1'])) {
        const { result, server } = await hold(address, port);
        server.close();
        assert.equal(result, 'EADDRINUSE', address);
      }
      for (const name of NAMES) {
        assert.equal((await send(`http://${name}:${port}/auth/status`)).status, 200, name);
      }
    });
  });
}

function nameOf(address: string, port: number): RegExp {
  const shown = address.includes(':') ? '\\[::1?\\]' : address;
  return new RegExp(`^Another program is already using ${shown}:${port}\\.$`);
}

/** A server whose attempt to listen on `host` fails with `code`. */
function refusing(host: string, code: string, onRefused: () => void = () => {}) {
  return class extends Server {
    override listen(...args: unknown[]): this {
      if ((args[0] as ListenOptions).host !== host) return super.listen(...(args as [ListenOptions]));
      onRefused();
      queueMicrotask(() => this.emit('error', Object.assign(new Error(code), { code })));
      return this;
    }
  };
}

const closed = (servers: Server[]) =>
  Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));

test('a port that the system chooses is free on all addresses, or nothing starts', async () => {
  let left = 3;
  const Taken = refusing('::1', 'EADDRINUSE', () => {
    left -= 1;
  });
  const made: Server[] = [];
  const bound = await bindAll(
    () => {
      const server = left > 0 ? new Taken() : createServer();
      made.push(server);
      return server;
    },
    0,
    '127.0.0.1',
  );
  assert.deepEqual([left, bound.servers.length, bound.names], [0, NAMES.length - 1, NAMES]);
  // Addresses of failed tries are released.
  assert.equal(made.filter((server) => server.listening).length, bound.servers.length);
  await closed(bound.servers);
  left = 1_000;
  await assert.rejects(
    bindAll(() => new Taken(), 0, '127.0.0.1'),
    { code: 'PORT_TAKEN' },
  );
});

test('without IPv6 the server starts, and does not answer to [::1]', async () => {
  for (const code of ['EADDRNOTAVAIL', 'EAFNOSUPPORT']) {
    const NoIpv6 = refusing('::1', code);
    for (const host of ['127.0.0.1', 'localhost']) {
      const { servers, names } = await bindAll(() => new NoIpv6(), 0, host);
      assert.deepEqual([servers.length, names], [1, ['127.0.0.1', 'localhost']]);
      await closed(servers);
    }
    await assert.rejects(
      bindAll(() => new NoIpv6(), 0, '::1'),
      { code: 'SETTINGS_INVALID' },
    );
  }
});
