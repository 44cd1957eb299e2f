import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { until } from '../support/waiting.ts';
import { withRelay } from '../support/world.ts';

const FULL_REQUEST = 'GET / HTTP/1.1\r\nhost: HOST\r\n\r\n';
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
