import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { send } from '../support/http.ts';
import { sized } from '../support/scale.ts';
import { until } from '../support/waiting.ts';
import { withRelay } from '../support/world.ts';

const HOLD = fileURLToPath(new URL('../support/hold.mjs', import.meta.url));
const FULL_REQUEST = 'GET / HTTP/1.1\r\nhost: HOST\r\n\r\n';
interface Holding {
  count: number;
  /** Sent at once, with the server's host in place of `HOST`. */
  text?: string;
  /** True to end the sending side of each connection (FIN) after `text`. */
  ends?: boolean;
  /** Sent every 50 ms after that. */
  trickle?: string;
  hosts?: string[];
}

/** Has another process hold connections while `work` runs. That process never closes one, whatever the server does. */
async function whileHeld(
  baseUrl: string,
  holdings: readonly Holding[],
  work: () => Promise<void>,
): Promise<void> {
  const { port, host } = new URL(baseUrl);
  const child = fork(HOLD, { execArgv: [] });
  let opened = 0;
  child.on('message', () => {
    opened += 1;
  });
  try {
    for (const { hosts = ['127.0.0.1'], ...holding } of holdings) {
      const text = (holding.text ?? '').replaceAll('HOST', host);
      child.send({ ...holding, text, ports: hosts.map((name) => [name, Number(port)]) });
    }
    await until(() => opened === holdings.length);
    await work();
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}

/** Number of connections that are open in this process. */
function descriptors(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}

async function healthMs(baseUrl: string): Promise<number> {
  const start = performance.now();
  assert.equal((await send(`${baseUrl}/health`)).status, 200);
  return performance.now() - start;
}

/** A tenth of the connections in the next test. Eight tenths of them send no data. */
const TENTH = sized(200, 40);

test(`with ${10 * TENTH} silent and half-open connections /health still answers, and their descriptors are freed`, () =>
  withRelay({ connect: false, client: false, limits: { headersMs: 2_500 } }, async ({ baseUrl }) => {
    const before = descriptors();
    const hosts = ['127.0.0.1', '::1'];
    const holdings = [
      { count: 6 * TENTH, hosts },
      { count: 2 * TENTH, hosts, text: 'GET /health HTTP/1.1\r\nhost: ' },
      { count: 2 * TENTH, hosts, ends: true },
    ];
    const times: number[] = [];
    let isArriving = true;
    const probing = (async () => {
      while (isArriving) times.push(await healthMs(baseUrl));
    })();
    await whileHeld(baseUrl, holdings, async () => {
      isArriving = false;
      await probing;
      for (let more = 0; more < 20; more++) times.push(await healthMs(baseUrl));
      // The other process still holds its ends.
      await until(() => descriptors() <= before);
    }).finally(() => {
      isArriving = false;
    });
    assert.ok(times.length >= 20);
    assert.ok(Math.max(...times) < 20_000, `the slowest answer took ${Math.round(Math.max(...times))} ms`);
  }));

test('at the limit, the oldest connection without an answered request is closed first, then the oldest idle one', async () => {
  const limits = { max: 6, maxWithYoung: 6, youngMs: 0 };
  await withRelay({ connect: false, client: false, limits }, async ({ baseUrl }) => {
    const { port, host } = new URL(baseUrl);
    const gone: string[] = [];
    const open: Socket[] = [];
    const dial = async (name: string, address: string) => {
      const socket = connect(Number(port), address);
      open.push(
        socket
          .on('error', () => {})
          .on('close', () => gone.push(name))
          .resume(),
      );
      await once(socket, 'connect');
      return socket;
    };
    const ask = async (socket: Socket) => {
      socket.write(FULL_REQUEST.replace('HOST', host));
      await once(socket, 'data');
    };
    await ask(await dial('asked, on 127.0.0.1', '127.0.0.1'));
    await ask(await dial('asked, on ::1', '::1'));
    for (const name of ['silent 1', 'silent 2']) await dial(name, '127.0.0.1');
    for (const name of ['silent 3', 'silent 4']) await dial(name, '::1');
    for (let more = 1; more <= 5; more++) {
      await ask(await dial(`new ${more}`, '127.0.0.1'));
      await until(() => gone.length === more);
    }
    assert.deepEqual(gone, ['silent 1', 'silent 2', 'silent 3', 'silent 4', 'asked, on 127.0.0.1']);
    for (const socket of open) socket.destroy();
  });
});
