/** How a browser proves that it is the owner's: the code, tickets, and remembered browsers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizeUrl, json, newClient } from '../oauth/clients.ts';
import { stateText, withServer } from '../oauth/withServer.ts';
import { DAY, MINUTE } from '../support/clock.ts';
import { send } from '../support/http.ts';
import { freePort, NAMES } from '../support/loopback.ts';
import { answerOf, askOwner, openPage, ownerBrowser, signIn } from '../support/ownerBrowser.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const EDGE =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0';

const statusOf = async (baseUrl: string, secret: string) =>
  (await askOwner(baseUrl, 'check', {}, { 'x-relay-owner': secret })).status;

test('a remembered browser approves without the code for 30 days after its last use, also after a restart', async () =>
  withServer({ env: { RELAY_PORT: await freePort() } }, async ({ relay, baseUrl, clock }) => {
    const browser = ownerBrowser(baseUrl);
    const owner_proof = await signIn(relay);
    const approve = async (state: string) => {
      const { client_id } = await newClient(baseUrl);
      const page = await browser.open(authorizeUrl(baseUrl, { client_id, state }));
      return browser.submit(page, 'approve', { owner_proof });
    };
    await relay.restart();
    clock.advance(30 * DAY - 1000);
    assert.ok(answerOf(await approve('first')).code);
    clock.advance(30 * DAY - 1000);
    assert.ok(answerOf(await approve('second')).code);
    clock.advance(30 * DAY);
    const late = await approve('third');
    assert.equal(late.status, 403);
    assert.match(late.text, /no longer remembered/);
    assert.equal(await statusOf(baseUrl, owner_proof), 401);
  }));

test('no header, cookie or address of the answer to an approval proves the owner', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const { client, browser, page } = await openPage(baseUrl);
    const { client_id } = client;
    const owner_proof = await signIn(relay);
    assert.match(
      String(page.headers['set-cookie']),
      new RegExp(
        `^relay_form_${new URL(baseUrl).port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400$`,
      ),
    );
    const answer = await browser.submit(page, 'approve', { owner_proof });
    assert.ok(answerOf(answer).code);
    assert.ok(!JSON.stringify(answer).includes(owner_proof));
    assert.equal(answer.headers['set-cookie'], undefined);
    // With everything that a browser sends automatically to a program on another port.
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const stolen = await send(authorizeUrl(baseUrl, { client_id, state: 'stolen' }), { headers: { cookie } });
    assert.match(stolen.text, /name="owner_code"/);
    const thief = ownerBrowser(baseUrl);
    thief.cookies.clear();
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    const taken = await thief.open(authorizeUrl(baseUrl, { client_id, state: 'stolen' }));
    assert.equal((await thief.submit(taken, 'approve')).status, 403);
  }));

test('the secret of one origin proves nothing at another', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const secret = await signIn(relay);
    const elsewhere = baseUrl.replace('127.0.0.1', 'localhost');
    const { port } = new URL(baseUrl);
    assert.equal(await statusOf(baseUrl, secret), 200);
    for (const name of NAMES.filter((other) => other !== '127.0.0.1')) {
      const origin = `http://${name}:${port}`;
      const headers = { host: new URL(origin).host, origin, 'x-relay-owner': secret };
      assert.equal((await askOwner(baseUrl, 'check', {}, headers)).status, 401, origin);
    }
    // Without an Origin the address that was dialled counts.
    const headers = { 'x-relay-owner': secret, 'content-type': 'application/json' };
    assert.equal(
      (await send(`${elsewhere}/owner/check`, { method: 'POST', headers, body: '{}' })).status,
      401,
    );
  }));

test('what a page of another origin makes a browser send is refused', () =>
  withServer({}, async ({ baseUrl, server }) => {
    const code = { code: server.ownerCode ?? '' };
    for (const site of ['cross-site', 'same-site', 'none']) {
      for (const path of ['check', 'code', 'ticket'] as const) {
        const answer = await askOwner(baseUrl, path, code, { 'sec-fetch-site': site });
        assert.equal(answer.status, 403, `${path} ${site}`);
      }
    }
    assert.equal((await askOwner(baseUrl, 'code', code, { 'sec-fetch-site': 'same-origin' })).status, 200);
    const form = { 'content-type': 'text/plain' };
    assert.equal((await askOwner(baseUrl, 'code', code, form)).status, 415);
    assert.equal((await askOwner(baseUrl, 'code', { code: 7 })).status, 400);
  }));

test('a ticket signs one browser in, once, within a minute, and says where to continue', () =>
  withServer({}, async ({ baseUrl, server, clock }) => {
    const ticketOf = async () => {
      const { attemptId } = await server.local.startLogin({ switchAccount: false });
      const { origin, pathname, hash } = new URL((await server.local.ownerTicket({ attemptId })).url);
      assert.deepEqual([origin, pathname], [baseUrl, '/']);
      return hash.replace('#ticket=', '');
    };
    const ticket = await ticketOf();
    const used = await askOwner(baseUrl, 'ticket', { ticket });
    const { secret, next } = json(used);
    assert.equal(used.status, 200);
    assert.match(String(next), /^\/auth\/provider\/login\?ticket=[\w-]{43}&attempt=[\w-]{36}$/);
    assert.equal(await statusOf(baseUrl, String(secret)), 200);
    assert.equal((await askOwner(baseUrl, 'ticket', { ticket })).status, 401);
    const late = await ticketOf();
    clock.advance(MINUTE);
    assert.equal((await askOwner(baseUrl, 'ticket', { ticket: late })).status, 401);
    // A browser that is already remembered keeps its secret, and is not listed twice.
    const known = { 'x-relay-owner': String(secret) };
    const again = json(await askOwner(baseUrl, 'ticket', { ticket: await ticketOf() }, known));
    assert.equal(again.secret, secret);
    assert.equal((await server.local.listBrowsers()).browsers.length, 1);
  }));

test('a ticket works under the origin of the address that it was made for, and ends if used elsewhere', () =>
  withServer({}, async ({ server, baseUrl }) => {
    const { port } = new URL(baseUrl);
    const ticketOf = async () =>
      new URL((await server.local.ownerTicket({ attemptId: null })).url).hash.slice(8);
    for (const name of NAMES.filter((other) => other !== '127.0.0.1')) {
      const host = `${name}:${port}`;
      const ticket = await ticketOf();
      const elsewhere = { host, origin: `http://${host}` };
      assert.equal((await askOwner(baseUrl, 'ticket', { ticket }, elsewhere)).status, 401);
      assert.equal((await askOwner(baseUrl, 'ticket', { ticket })).status, 401);
      // No browser names one origin and sends to another.
      assert.equal((await askOwner(baseUrl, 'ticket', { ticket: await ticketOf() }, { host })).status, 401);
    }
    assert.equal((await askOwner(baseUrl, 'ticket', { ticket: await ticketOf() })).status, 200);
  }));

test('behind PUBLIC_BASE_URL, a program that gets a ticket on the browser’s machine cannot use it under the public name', async () => {
  const host = 'relay.example.org';
  const origin = `https://${host}`;
  await withServer({ env: { PUBLIC_BASE_URL: origin } }, async ({ server: { local, localUrl } }) => {
    const { attemptId } = await local.startLogin({ switchAccount: false });
    const ticketFor = async (attempt: string | null) => {
      const url = new URL((await local.ownerTicket({ attemptId: attempt })).url);
      return { ticket: url.hash.slice(8), origin: url.origin };
    };
    const statusOf = async (ticket: string, headers: Record<string, string>) =>
      (await askOwner(localUrl, 'ticket', { ticket }, headers)).status;
    const ways: Array<Record<string, string>> = [
      { host, origin },
      { host, origin: localUrl },
      { origin },
      { 'x-forwarded-for': '192.0.2.1' },
    ];
    for (const headers of ways) {
      const { ticket, origin: made } = await ticketFor(attemptId);
      assert.equal(made, localUrl);
      assert.ok((await statusOf(ticket, headers)) >= 400, JSON.stringify(headers));
    }
    assert.equal(await statusOf((await ticketFor(attemptId)).ticket, {}), 200);
    // The owner's page has the public name, and its ticket works there alone.
    const own = await ticketFor(null);
    assert.equal(own.origin, origin);
    assert.equal(await statusOf(own.ticket, { host, origin }), 200);
    assert.equal(await statusOf((await ticketFor(null)).ticket, {}), 401);
  });
});

test('ten browsers are remembered; the eleventh takes the place of the one unused for longest', () =>
  withServer({}, async ({ relay, baseUrl, server, clock }) => {
    const secrets: string[] = [];
    for (let count = 0; count < 10; count++) {
      clock.advance(1000);
      secrets.push(await signIn(relay, count === 0 ? FIREFOX : EDGE));
    }
    clock.advance(11 * MINUTE);
    const [first = '', second = '', third = ''] = secrets;
    assert.equal(await statusOf(baseUrl, first), 200);
    secrets.push(await signIn(relay, '<b>unknown'));
    const still = await Promise.all([first, second, third].map((secret) => statusOf(baseUrl, secret)));
    assert.deepEqual(still, [200, 401, 200]);
    const { browsers } = await server.local.listBrowsers();
    assert.equal(browsers.length, 10);
    const { entries } = await server.local.status();
    assert.match(entries.find(({ part }) => part === 'mcp')?.summary ?? '', /, 10 remembered browsers$/);
    assert.deepEqual(browsers.map(({ label }) => label).sort(), [
      'A browser',
      ...Array(8).fill('Edge on Windows'),
      'Firefox on Linux',
    ]);
    const firefox = browsers.find(({ label }) => label === 'Firefox on Linux');
    assert.match(firefox?.id ?? '', /^[0-9a-f]{8}$/);
    assert.deepEqual(
      { ...firefox, id: '' },
      {
        id: '',
        label: 'Firefox on Linux',
        origin: baseUrl,
        createdAt: '2026-11-20T12:00:01.000Z',
        lastUsedAt: '2026-11-20T12:11:10.000Z',
        expiresAt: '2026-12-20T12:11:10.000Z',
      },
    );
    await server.local.saveState();
    const state = await stateText(relay);
    for (const secret of secrets) assert.ok(!state.includes(secret), 'only hashes are kept');
  }));

test('logout and forgetting end remembered browsers at once, and for good', async () =>
  withServer({ env: { RELAY_PORT: await freePort() } }, async ({ relay, baseUrl }) => {
    const { local } = relay.server;
    const kept = await signIn(relay, FIREFOX);
    const lost = await signIn(relay, EDGE);
    const { browsers } = await local.listBrowsers();
    const edge = browsers.find(({ label }) => label === 'Edge on Windows');
    assert.deepEqual(await local.forgetBrowsers({ id: edge?.id ?? '' }), { forgotten: [edge] });
    await assert.rejects(local.forgetBrowsers({ id: edge?.id ?? '' }), { code: 'NOT_FOUND' });
    await relay.restart();
    assert.deepEqual([await statusOf(baseUrl, kept), await statusOf(baseUrl, lost)], [200, 401]);
    assert.equal((await relay.server.local.forgetBrowsers({ id: null })).forgotten.length, 1);
    assert.equal(await statusOf(baseUrl, kept), 401);

    const again = await signIn(relay);
    await relay.server.local.logout();
    assert.equal(await statusOf(baseUrl, again), 401);
    await relay.restart();
    assert.deepEqual(await relay.server.local.listBrowsers(), { browsers: [] });
  }));

test('a rotated key ends remembered browsers', () =>
  withServer({ env: { MCP_API_KEY: '' } }, async ({ relay }) => {
    const secret = await signIn(relay);
    await relay.server.local.rotateKey();
    assert.equal(await statusOf(relay.baseUrl, secret), 401);
  }));

test('five wrong codes a minute, then the page says to wait; on this machine the right one is still accepted', () =>
  withServer({}, async ({ baseUrl, server, clock }) => {
    const { browser, page: first } = await openPage(baseUrl);
    let page = first;
    for (const wrong of ['', 'AAAA-AAAA-AA', 'x'.repeat(500), '----', '0000-0000-00']) {
      page = await browser.submit(page, 'approve', { owner_code: wrong });
      assert.equal(page.status, 403, wrong);
      assert.equal(page.headers.location, undefined);
      assert.match(page.text, /role="alert">That is not the owner code/);
    }
    clock.advance(10_000);
    const begun = Date.now();
    const sixth = await browser.submit(page, 'approve', { owner_code: 'AAAA-AAAA-AA' });
    assert.ok(Date.now() - begun > 400, 'wrong codes are slowed');
    assert.equal(sixth.status, 429);
    assert.match(sixth.text, /Wait 50 seconds/);
    assert.equal(sixth.headers['retry-after'], '50');
    assert.ok(answerOf(await browser.submit(sixth, 'approve', { owner_code: server.ownerCode ?? '' })).code);
  }));

test('a flood of wrong codes from other sockets neither delays nor refuses the right code', () =>
  withServer({}, async ({ baseUrl, server }) => {
    let isOver = false;
    let refused = 0;
    const sockets = 40;
    const flood = Array.from({ length: sockets }, async () => {
      while (!isOver) {
        await askOwner(baseUrl, 'code', { code: 'AAAA-AAAA-AA' });
        refused += 1;
      }
    });
    for (let round = 0; round < 2; round++) {
      const before = refused;
      const { browser, page } = await openPage(baseUrl);
      assert.ok(answerOf(await browser.submit(page, 'approve', { owner_code: server.ownerCode ?? '' })).code);
      // Each of the few requests of an approval waits at most for one of each socket, however slow the machine is.
      assert.ok(refused - before < sockets * 20, `${refused - before} wrong codes were answered meanwhile`);
    }
    isOver = true;
    await Promise.all(flood);
  }));

test('from elsewhere the limit holds for the right code too, and uses up nothing on this machine', async () => {
  const publicUrl = 'https://relay.example.org';
  const env = { PUBLIC_BASE_URL: publicUrl };
  await withServer({ env }, async ({ server: { localUrl: local, ownerCode }, clock }) => {
    const far = { host: 'relay.example.org', origin: publicUrl, 'x-forwarded-for': '203.0.113.7' };
    const code = ownerCode ?? '';
    const tryFrom = async (typed: string, headers: Record<string, string>) =>
      (await askOwner(local, 'code', { code: typed }, headers)).status;
    for (let time = 0; time < 5; time++) assert.equal(await tryFrom('wrong', far), 403);
    assert.equal(await tryFrom(code, far), 429);
    // A request that a proxy on this machine passes on comes from elsewhere, even if its Host is a loopback name.
    const forwarded = { host: new URL(local).host, origin: local, 'x-forwarded-for': '203.0.113.7' };
    assert.equal(await tryFrom(code, forwarded), 429);
    assert.equal(await tryFrom(code, { host: new URL(local).host, origin: local }), 200);
    clock.advance(MINUTE);
    assert.equal(await tryFrom(code, far), 200);
  });
});
