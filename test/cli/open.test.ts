import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { relay, run } from '../support/cli.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';
import { withRelay } from '../support/world.ts';

const TICKET_URL = 'http://127.0.0.1:4980/#ticket=owner-ticket';
const PAGE_URL = 'http://127.0.0.1:4980/';

/** A server that answers `asked` times that nobody has used the ticket yet, and then that somebody has. */
function ticketTakenAfter(asked: number) {
  let asks = 0;
  return {
    ownerTicket: async () => ({ url: TICKET_URL, id: 't1' }),
    ownerTicketWaits: async () => ({ waits: asks++ < asked }),
  };
}

test("open opens the owner's page through a file and prints the address without the ticket, with --json as one document", async (context) => {
  const server = await startFakeLocal(context, { answers: ticketTakenAfter(2) });
  let path = '';
  const result = await relay(['open'], {
    env: server.env,
    openBrowser: async (target) => {
      path = target;
      assert.ok(readFileSync(target, 'utf8').includes(`url=${TICKET_URL}"`));
    },
  });
  assert.deepEqual(result, { code: 0, out: `${PAGE_URL}\n`, err: '' });
  assert.equal(existsSync(path), false);
  assert.deepEqual(server.calls.slice(0, 2), [
    { call: 'ownerTicket', body: { attemptId: null } },
    { call: 'ownerTicketWaits', body: { id: 't1' } },
  ]);
  const json = await relay(['open', '--json'], { env: server.env, openBrowser: async () => {} });
  assert.deepEqual(json, { code: 0, out: `{"url":"${PAGE_URL}","signedIn":true}\n`, err: '' });
});

test('open says what to do if no browser can be opened, or if none uses the ticket within a minute', async (context) => {
  const { env } = await startFakeLocal(context, { answers: ticketTakenAfter(Number.POSITIVE_INFINITY) });
  const then = `Open ${PAGE_URL} yourself, and sign in with the owner code that \`relay status\` shows.\n`;
  assert.deepEqual(await relay(['open'], { env }), {
    code: 0,
    out: `${PAGE_URL}\n`,
    err: `No browser could be opened. ${then}`,
  });
  let now = 0;
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async (ms: number) => {
      now += ms * 100;
    },
  };
  assert.deepEqual(await relay(['open'], { env, clock, openBrowser: async () => {} }), {
    code: 0,
    out: `${PAGE_URL}\n`,
    err: `No browser opened the page. ${then}`,
  });
});

test('open is exit 4 if the server stops before a browser opened the page', () =>
  withRelay({}, async (world) => {
    const { baseUrl } = world.server;
    const openBrowser = () => world.server.close();
    assert.deepEqual(await run(world, ['open'], { openBrowser }), {
      code: 4,
      out: `${baseUrl}/\n`,
      err: 'relay: The server stopped before a browser opened the page.\n  Start it with `relay serve`.\n',
    });
  }));
