/** Another user of the machine tries to hold the port before, while and after relay runs, and passes on all they receive. */

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { carryMessage } from '../../src/local/carryMessage.ts';
import { createLocalClient, greet } from '../../src/local/localClient.ts';
import { PEERS_ARE_KNOWN } from '../../src/server/access/peer.ts';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { answerOf, askOwner, formFields, ownerBrowser, signIn } from '../oauth/ownerBrowser.ts';
import { connect as connectClient } from '../oauth/tokens.ts';
import { assertNone } from '../support/entries.ts';
import { askLocal } from '../support/hello.ts';
import { available, freePort, HAS_IPV6, NAMES } from '../support/loopback.ts';
import { type PortHolder, startPortHolder } from '../support/portHolder.ts';
import { sized } from '../support/scale.ts';
import { withoutSecondUser } from '../support/stranger.ts';
import { API_KEY, ENCRYPTION_KEY, LOCAL_KEY, type Relay, withRelay } from '../support/world.ts';

const apart = { connect: false, client: false } as const;
const ANYWHERE = available(['127.0.0.1', '::1', '0.0.0.0', '::']);

test('a greeting that another user kept while relay was away, and passes on once it is back, gets no credential', {
  skip: withoutSecondUser,
}, async (context) => {
  const port = Number(await freePort());
  const holder = await startPortHolder(context);
  assert.deepEqual(await holder.hold(port, ['127.0.0.1']), { '127.0.0.1': 'held' });
  const baseUrl = `http://127.0.0.1:${port}`;
  const asked = createLocalClient({ baseUrl, key: LOCAL_KEY }).showKey();
  asked.catch(() => {});
  await holder.greeted(1);
  await holder.release();
  await withRelay({ ...apart, env: { RELAY_PORT: String(port) } }, async () => {
    // The system allows no second connection between the same two addresses and ports.
    assert.deepEqual(await holder.passOn('127.0.0.1', port), [['EADDRINUSE', 'passed on']]);
    await assert.rejects(asked, {
      code: 'NO_SERVER',
      message: `The program listening at ${baseUrl} is not the server for this home, so nothing was sent to it.`,
    });
    const { heard, answered } = await holder.report();
    assert.match(heard.join(''), /^POST \/local\/hello HTTP\/1\.1\r\n/);
    assert.match(answered.join(''), /"proof":"[\w-]{22}"/);
    assert.doesNotMatch(heard.join(''), /authorization|bearer/i);
    assert.ok((await createLocalClient({ baseUrl, key: LOCAL_KEY }).showKey()).key);
  });
});

test('another user who has learned the secrets that prove the owner gets nothing with them', {
  skip: withoutSecondUser || !PEERS_ARE_KNOWN,
}, async (context) => {
  const holder = await startPortHolder(context);
  await withRelay(apart, async (relay) => {
    const { baseUrl, localKey, server } = relay;
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
      state: await holder.send({ url: `${baseUrl}/owner/state`, headers: json }),
      // As if the connection had been made by a proxy.
      forwarded: await holder.send({
        url: `${baseUrl}/owner/state`,
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
    assert.equal((await askLocal({ baseUrl, localKey }, '/local/status')).status, 200);

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

const ROUNDS = sized(50, 1);

test(`in ${ROUNDS} rounds in which another user holds the port before, while and after relay runs, they get nothing`, {
  skip: withoutSecondUser,
}, async (context) => {
  const port = Number(await freePort());
  const holder = await startPortHolder(context);
  await withRelay({ ...apart, env: { RELAY_PORT: String(port) } }, async (relay) => {
    const secrets = new Set([LOCAL_KEY, API_KEY, ENCRYPTION_KEY]);
    let approvals = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await relay.server.close();
      // Before relay runs, the other user listens on different addresses each time, and commands and `relay stdio` greet them.
      const held = ANYWHERE.filter((_, index) => (((round % (2 ** ANYWHERE.length - 1)) + 1) >> index) & 1);
      assert.ok(Object.values(await holder.hold(port, held)).includes('held'));
      const asked = await greetAll(port);
      await holder.greeted(asked.length);
      await assert.rejects(relay.restart(), { code: 'PORT_TAKEN' });
      await holder.release();
      await relay.restart();

      // While relay runs, the other user gets no address of its port.
      const refused = Object.fromEntries(ANYWHERE.map((address) => [address, 'EADDRINUSE']));
      assert.deepEqual(await holder.hold(port, ANYWHERE), refused);
      for (const [same, other] of await holder.passOn(
        HAS_IPV6 && round % 2 === 1 ? '::1' : '127.0.0.1',
        port,
      )) {
        assert.notEqual(same, 'passed on');
        assert.equal(other, 'passed on');
      }
      for (const end of await Promise.allSettled(asked)) {
        assert.equal(end.status === 'rejected' && end.reason.code, 'NO_SERVER');
      }
      for (const secret of await useAsOwner(relay, port)) secrets.add(secret);
      approvals += 1;
      assert.deepEqual(await tryWhatItHas(holder, port), []);

      const { heard, answered } = await holder.report();
      assert.equal(answered.length > 0, true);
      const all = [...heard, ...answered].join('\n');
      assert.doesNotMatch(all, /authorization|bearer|ticket|owner_|x-relay-owner/i);
      assertNone([...secrets], (secret) => all.includes(secret));
      await holder.drop();
    }
    const { clients } = await relay.server.local.listClients();
    assert.equal(clients.flatMap((client) => client.approvals).length, approvals);
    const { browsers } = await relay.server.local.listBrowsers();
    assert.ok(browsers.every(({ lastUsedAt }) => lastUsedAt !== null));
  });
});

/** Sends the request of a command and a message of `relay stdio` to each address where somebody listens. */
async function greetAll(port: number): Promise<Array<Promise<unknown>>> {
  const found = await Promise.all(['127.0.0.1', '[::1]', 'localhost'].map((name) => isOpen(name, port)));
  const { signal } = new AbortController();
  const asked = found.flatMap((name) => {
    if (name === null) return [];
    const baseUrl = `http://${name}:${port}`;
    const carried = { key: LOCAL_KEY, signal, headers: {} };
    return [
      createLocalClient({ baseUrl, key: LOCAL_KEY }).showKey(),
      carryMessage(
        '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        greet(baseUrl, {}),
        carried,
        async () => {},
      ),
    ];
  });
  for (const one of asked) one.catch(() => {});
  return asked;
}

function isOpen(name: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(port, name.replace(/[[\]]/g, ''));
    socket.once('connect', () => resolve(name)).once('error', () => resolve(null));
    socket.once('connect', () => socket.destroy());
  });
}

/** Does what an owner does while relay runs, under each name. Returns all secrets that were used. */
async function useAsOwner(relay: Relay, port: number): Promise<string[]> {
  const { server, localKey } = relay;
  const secrets = [server.ownerCode ?? ''];
  for (const name of NAMES) {
    const baseUrl = `http://${name}:${port}`;
    assert.equal((await askLocal({ baseUrl, localKey }, '/local/status')).status, 200);
    const { url } = JSON.parse(
      (await askLocal({ baseUrl, localKey }, '/local/owner-ticket/issue', {}, { attemptId: null })).text,
    );
    const ticket = new URL(url).hash.slice(8);
    const signedIn = await askOwner(baseUrl, 'ticket', { ticket });
    assert.equal(signedIn.status, 200, url);
    secrets.push(ticket, JSON.parse(signedIn.text).secret);
  }
  const { client, tokens } = await connectClient(relay);
  return [...secrets, client.client_id, tokens.access_token, tokens.refresh_token];
}

/** Sends the values that the other user received wherever a credential may be. Returns the requests that were accepted. */
async function tryWhatItHas(holder: PortHolder, port: number): Promise<string[]> {
  const { heard, answered } = await holder.report();
  const words = [...`${heard} ${answered}`.matchAll(/"(?:proof|nonce)":"([\w-]+)"/g)].map(
    ([, word]) => word ?? '',
  );
  const letIn: string[] = [];
  for (const word of [...new Set(words)].slice(0, 4)) {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${word}`,
      'x-relay-owner': word,
    };
    const bodies: Record<string, object> = {
      '/local/key/show': {},
      '/local/owner-ticket/issue': { attemptId: null },
      '/mcp': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      '/owner/check': {},
      '/owner/code': { code: word },
      '/owner/ticket': { ticket: word },
    };
    for (const [path, body] of Object.entries(bodies)) {
      const url = `http://127.0.0.1:${port}${path}`;
      const { status } = await holder.send({ url, method: 'POST', headers, body: JSON.stringify(body) });
      if (status < 400) letIn.push(`${path}: ${status}`);
    }
  }
  return letIn;
}
