/** Another user of the machine tries to hold the port before, while and after relay runs, and passes on all they receive. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PEERS_ARE_KNOWN } from '../../src/server/access/peer.ts';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { answerOf, askOwner, formFields, ownerBrowser, signIn } from '../oauth/ownerBrowser.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { assertNone } from '../support/entries.ts';
import { available, freePort, NAMES } from '../support/loopback.ts';
import { startPortHolder } from '../support/portHolder.ts';
import { withoutSecondUser } from '../support/stranger.ts';
import { API_KEY, withRelay } from '../support/world.ts';

const apart = { connect: false, client: false } as const;
/** `RELAY_TEST_TIMES` multiplies the rounds. */
const ROUNDS = 4 * Number(process.env.RELAY_TEST_TIMES ?? 1);
const ANYWHERE = available(['127.0.0.1', '::1', '0.0.0.0', '::']);

test('while another user holds the port, before and after relay runs, nothing of the owner reaches them', {
  skip: withoutSecondUser,
}, async (context) => {
  const port = Number(await freePort());
  const holder = await startPortHolder(context);
  const home = temporaryHome(context);
  const env = { RELAY_HOME: home, RELAY_PORT: String(port), RELAY_KEYCHAIN: 'file' };
  for (let round = 0; round < ROUNDS; round += 1) {
    await holder.hold(port, ANYWHERE);
    for (const args of [['call', 'get_devices'], ['open'], ['stop']]) {
      assert.equal((await relay(args, { env })).code, 4, args.join(' '));
    }
    await holder.release();
    await withRelay({ ...apart, env: { RELAY_PORT: String(port) } }, async (running) => {
      const refused = await holder.hold(port, ANYWHERE);
      assert.ok(Object.values(refused).every((code) => code === 'EADDRINUSE'));
      assert.equal((await running.door.showKey()).key, API_KEY);
    });
  }
  assert.deepEqual((await holder.report()).heard, []);
});

test('another user who has learned the secrets that prove the owner gets nothing with them', {
  skip: withoutSecondUser || !PEERS_ARE_KNOWN,
}, async (context) => {
  const holder = await startPortHolder(context);
  await withRelay(apart, async (relay) => {
    const { baseUrl, door, server } = relay;
    const { client_id } = await newClient(baseUrl);
    const page = authorizeUrl(baseUrl, { client_id });
    const ticket = new URL((await server.local.ownerTicket({ attemptId: null })).url).hash.slice(8);
    const secret = await signIn(relay);
    const code = server.ownerCode ?? '';
    const json = { 'content-type': 'application/json', origin: baseUrl, 'x-relay-owner': secret };
    const post = (path: string, body: object) =>
      holder.send({ url: `${baseUrl}${path}`, method: 'POST', headers: json, body: JSON.stringify(body) });
    const tried = {
      check: await post('/owner/check', {}),
      code: await post('/owner/code', { code }),
      ticket: await post('/owner/ticket', { ticket }),
      call: await post('/owner/player/look', {}),
      state: await holder.send({ url: `${baseUrl}/owner/cards`, headers: json }),
      // As if the connection had been made by a proxy.
      forwarded: await holder.send({
        url: `${baseUrl}/owner/cards`,
        headers: { ...json, 'x-forwarded-for': '192.0.2.1' },
      }),
      page: await holder.send({ url: page }),
    };
    assertNone(Object.entries(tried), ([, { status }]) => status !== 403);
    assert.doesNotMatch(tried.page.text, /<form/);

    // The form of a page that the owner has open, with all its fields and cookies.
    const browser = ownerBrowser(baseUrl);
    const shown = await browser.open(page);
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    for (const proof of [{ owner_code: code }, { owner_proof: secret }]) {
      const fields = [...formFields(shown), ['decision', 'approve'], ...Object.entries(proof)];
      const headers = { origin: baseUrl, cookie, 'content-type': 'application/x-www-form-urlencoded' };
      const body = `${new URLSearchParams(fields as Array<[string, string]>)}`;
      const sent = await holder.send({ url: `${baseUrl}/oauth/authorize`, method: 'POST', headers, body });
      assert.deepEqual([sent.status, sent.location], [403, null]);
    }
    assert.equal((await door.status()).server?.baseUrl, baseUrl);

    // The owner can still use the ticket, and approves with one click.
    assert.equal((await askOwner(baseUrl, 'ticket', { ticket })).status, 200);
    const approved = await browser.submit(shown, 'approve', { owner_proof: secret });
    assert.ok(answerOf(approved).code);
  });
});

test('while relay runs nobody else gets an address of its port, and relay only starts if all these addresses are free', {
  skip: withoutSecondUser,
}, async (context) => {
  const port = Number(await freePort());
  const holder = await startPortHolder(context);
  for (const address of ANYWHERE) {
    assert.deepEqual(await holder.hold(port, [address]), { [address]: 'held' });
    const start = withRelay({ ...apart, env: { RELAY_PORT: String(port) } }, async () => {});
    await assert.rejects(start, { code: 'PORT_TAKEN' }, address);
    await holder.release();
  }
  await withRelay({ ...apart, env: { RELAY_PORT: String(port) } }, async ({ server }) => {
    const refused = Object.fromEntries(ANYWHERE.map((address) => [address, 'EADDRINUSE']));
    assert.deepEqual(await holder.hold(port, ANYWHERE), refused);
    for (const name of NAMES) {
      const baseUrl = `http://${name}:${port}`;
      const typed = await askOwner(baseUrl, 'code', { code: server.ownerCode });
      assert.equal(typed.status, 200, name);
    }
    assert.deepEqual((await holder.report()).heard, []);
  });
});
