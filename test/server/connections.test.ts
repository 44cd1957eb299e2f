import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { until } from '../support/waiting.ts';
import { withRelay } from '../support/world.ts';

const FORM = 'application/x-www-form-urlencoded';
const FULL_REQUEST = 'GET / HTTP/1.1\r\nhost: HOST\r\n\r\n';
test('at the limit, the longest idle connection makes room, never one whose request is under way', async () => {
  const limits = { max: 5 };
  await withRelay({ connect: false, client: false, limits }, async ({ baseUrl }) => {
    const { port, host } = new URL(baseUrl);
    const gone: string[] = [];
    const dial = async (name: string, address: string) => {
      const socket = connect(Number(port), address);
      socket.on('error', () => {}).on('close', () => gone.push(name));
      await once(socket.resume(), 'connect');
      return socket;
    };
    const ask = async (socket: Socket) => {
      socket.write(FULL_REQUEST.replace('HOST', host));
      await once(socket, 'data');
    };
    const asked = await dial('asked', '127.0.0.1');
    const open = [asked, await dial('silent 1', '::1')];
    await ask(asked);
    const busy = await dial('busy', '127.0.0.1');
    busy.write(
      `POST /oauth/token HTTP/1.1\r\nhost: ${host}\r\ncontent-type: ${FORM}\r\ncontent-length: 9\r\n\r\n`,
    );
    open.push(busy, await dial('silent 2', '127.0.0.1'));
    for (let more = 1; more <= 5; more++) {
      open.push(await dial(`new ${more}`, '127.0.0.1'));
      await ask(open.at(-1) as Socket);
      await until(() => gone.length === more - 1);
    }
    assert.deepEqual(gone, ['silent 1', 'asked', 'silent 2', 'new 1']);
    for (const socket of open) socket.destroy();
  });
});

/** How a stranger keeps a connection without asking anything. */
const SLOW: Record<string, { text?: string; trickle?: string; half?: true }> = {
  'says nothing': {},
  'closes its end': { half: true },
  'begins a request': { text: 'GET / HTTP/1.1\r\n' },
  'drips headers': { text: 'GET / HTTP/1.1\r\nhost: HOST\r\nx: ', trickle: 'x' },
  'drips a body': {
    text: `POST /oauth/token HTTP/1.1\r\nhost: HOST\r\ncontent-type: ${FORM}\r\ncontent-length: 999\r\n\r\n`,
    trickle: 'x',
  },
  'asks and stays': { text: FULL_REQUEST },
};

test('silent and dripping connections are closed, and keep nobody from the server', async () => {
  const limits = { headersMs: 300, requestMs: 600, keepAliveMs: 300, quietMs: 1_500, checkMs: 50, max: 50 };
  await withRelay({ connect: false, client: false, limits }, async ({ baseUrl }) => {
    const { port, host } = new URL(baseUrl);
    let open = 0;
    for (const { text, trickle, half } of Object.values(SLOW).flatMap((kind) => Array(20).fill(kind))) {
      const socket = connect(Number(port), '127.0.0.1', () => {
        open += 1;
        if (text) socket.write(text.replace('HOST', host));
        if (half) socket.end();
      });
      const drip = trickle && setInterval(() => socket.write(trickle), 100);
      socket.on('error', () => {}).resume();
      socket.once('close', () => {
        open -= 1;
        clearInterval(drip);
      });
    }
    for (let request = 0; request < 50; request += 1) {
      assert.equal((await fetch(`${baseUrl}/health`)).status, 200);
    }
    await until(() => open === 0);
  });
});
