import assert from 'node:assert/strict';
import { test } from 'node:test';
import { send } from '../support/http.ts';
import { connectAccount } from '../support/world.ts';
import {
  answerOf,
  askToken,
  authorizeUrl,
  codeForm,
  DAY,
  formFields,
  freePort,
  newClient,
  ownerBrowser,
  REDIRECT,
  withServer,
} from './support.ts';

test('the page names the client, where it goes back to, what it may do and the account', async () => {
  await withServer({}, async ({ baseUrl, provider }) => {
    const { client_id } = await newClient(baseUrl, { client_name: 'Claude Code <b>&' });
    const before = await send(authorizeUrl(baseUrl, { client_id }));
    assert.match(before.text, /none yet/);
    await connectAccount(baseUrl);
    const { status, text, headers } = await send(authorizeUrl(baseUrl, { client_id }));
    assert.equal(status, 200);
    assert.ok(text.includes('Claude Code &lt;b&gt;&amp;'));
    assert.ok(text.includes('gave itself this name; registered here just now'));
    assert.ok(text.includes('127.0.0.1:7777'));
    assert.ok(text.includes('a program on this computer'));
    assert.ok(text.includes('Create, change and empty your playlists'));
    assert.ok(text.includes(provider.accounts[0]?.displayName ?? ''));
    assert.doesNotMatch(text, /<script|<b>/);
    // A limit on where forms lead would also stop the redirect to the client.
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'sha256-[^;]*; base-uri 'none'; frame-ancestors 'none'$/,
    );
    assert.equal(headers['x-frame-options'], 'DENY');
  });
});

test('a website behind a client and a name that hides are shown for what they are', async () => {
  await withServer({}, async ({ baseUrl }) => {
    const redirect = 'https://collect.example/callback';
    const { client_id } = await newClient(baseUrl, {
      client_name: '\u202eedoC edualC\u200b',
      redirect_uris: [redirect, 'cursor://x/callback'],
    });
    const website = await send(authorizeUrl(baseUrl, { client_id, redirect_uri: redirect }));
    assert.ok(website.text.includes('Approving gives access to the website collect.example'));
    assert.ok(website.text.includes('<title>Let edoC edualC use your Spotify account?'));
    const app = await send(authorizeUrl(baseUrl, { client_id, redirect_uri: 'cursor://x/callback' }));
    assert.ok(app.text.includes('the app on this computer that opens cursor: links'));
    assert.ok(!app.text.includes('Not on this computer'));
  });
});

test('the owner code approves, in any case and without its dash', async () => {
  await withServer({}, async ({ baseUrl, server }) => {
    const client = await newClient(baseUrl);
    assert.match(server.ownerCode ?? '', /^[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}$/);
    const typed = ` ${(server.ownerCode ?? '').replace('-', ' ').toLowerCase()} `;
    const browser = ownerBrowser(baseUrl);
    const page = await browser.open(authorizeUrl(baseUrl, { client_id: client.client_id }));
    const approved = await browser.submit(page, 'approve', { owner_code: typed });
    // Not 307, which would send the form on to the client.
    assert.equal(approved.status, 303);
    const { code, ...rest } = answerOf(approved);
    assert.deepEqual(rest, { state: 'some state', iss: baseUrl });
    assert.match(code ?? '', /^[\w-]{43}$/);
    assert.equal((await askToken(baseUrl, codeForm(client, code ?? ''))).status, 200);
  });
});

test('once signed in, one click is enough: for 30 days, in this browser only, also after a restart', async () => {
  await withServer({ env: { RELAY_PORT: await freePort() } }, async (relay, clock) => {
    const { baseUrl } = relay;
    const { client_id } = await newClient(baseUrl);
    const url = authorizeUrl(baseUrl, { client_id });
    const browser = ownerBrowser(baseUrl);
    const first = await browser.submit(await browser.open(url), 'approve', {
      owner_code: relay.server.ownerCode ?? '',
    });
    assert.match(
      String(first.headers['set-cookie']),
      new RegExp(
        `^relay_owner_${new URL(baseUrl).port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000$`,
      ),
    );
    await relay.restart();
    clock.advance(30 * DAY - 1);
    const page = await browser.open(url);
    assert.ok(page.text.includes('You are signed in as the owner'));
    assert.doesNotMatch(page.text, /name="owner_code"/);
    assert.ok(answerOf(await browser.submit(page, 'approve')).code);

    const other = ownerBrowser(baseUrl);
    const stranger = await other.open(url);
    assert.match(stranger.text, /name="owner_code"/);
    assert.equal((await other.submit(stranger, 'approve')).status, 403);

    clock.advance(1);
    const late = await browser.open(url);
    assert.match(late.text, /name="owner_code"/);
    assert.equal((await browser.submit(late, 'approve')).status, 403);
  });
});

test('MCP_OAUTH_OWNER_SECRET is the code where it is set', async () => {
  await withServer({ env: { MCP_OAUTH_OWNER_SECRET: 'Correct horse' } }, async ({ baseUrl, server }) => {
    assert.equal(server.ownerCode, 'Correct horse');
    const { client_id } = await newClient(baseUrl);
    const browser = ownerBrowser(baseUrl);
    const page = await browser.open(authorizeUrl(baseUrl, { client_id }));
    assert.equal((await browser.submit(page, 'approve', { owner_code: 'correct horse' })).status, 403);
    assert.ok(answerOf(await browser.submit(page, 'approve', { owner_code: 'Correct horse' })).code);
  });
});

test('denying needs no code and tells the client', async () => {
  await withServer({}, async ({ baseUrl }) => {
    const { client_id } = await newClient(baseUrl);
    const browser = ownerBrowser(baseUrl);
    const page = await browser.open(authorizeUrl(baseUrl, { client_id }));
    const { error_description: _, ...rest } = answerOf(
      await browser.submit(page, 'deny', { owner_code: null }),
    );
    assert.deepEqual(rest, { error: 'access_denied', state: 'some state', iss: baseUrl });
  });
});

test('a wrong code shows the page again; after five in a minute even the right one has to wait', async () => {
  await withServer({}, async ({ baseUrl, server }, clock) => {
    const { client_id } = await newClient(baseUrl);
    const browser = ownerBrowser(baseUrl);
    const owner_code = server.ownerCode ?? '';
    let page = await browser.open(authorizeUrl(baseUrl, { client_id }));
    for (const wrong of ['', 'AAAA-AAAA', 'x'.repeat(500), '----', '0000-0000']) {
      page = await browser.submit(page, 'approve', { owner_code: wrong });
      assert.equal(page.status, 403, wrong);
      assert.equal(page.headers.location, undefined);
      assert.match(page.text, /role="alert">That is not the owner code/);
    }
    clock.advance(15_000);
    const sixth = await browser.submit(page, 'approve', { owner_code });
    assert.equal(sixth.status, 429);
    assert.equal(sixth.headers['retry-after'], '45');
    assert.match(sixth.text, /Wait 45 seconds/);
    // Another browser guesses no faster.
    const other = ownerBrowser(baseUrl);
    const elsewhere = await other.open(authorizeUrl(baseUrl, { client_id }));
    assert.equal((await other.submit(elsewhere, 'approve', { owner_code })).status, 429);
    clock.advance(45_000);
    assert.ok(answerOf(await browser.submit(sixth, 'approve', { owner_code })).code);
  });
});

test('a form without its token, with another one, from another browser or about something else is refused', async () => {
  await withServer({}, async (relay) => {
    const { baseUrl, server } = relay;
    const { client_id } = await newClient(baseUrl);
    const foreign = await newClient(baseUrl, { client_name: 'Foreign' });
    const browser = ownerBrowser(baseUrl);
    const code = { owner_code: server.ownerCode ?? '' };
    const page = await browser.open(authorizeUrl(baseUrl, { client_id }));
    await browser.submit(page, 'approve', code);
    const attacker = ownerBrowser(baseUrl);
    const theirs = await attacker.open(authorizeUrl(baseUrl, { client_id }));
    const theirToken = Object.fromEntries(formFields(theirs)).csrf_token ?? '';
    const tries: Array<Record<string, string | null>> = [
      { csrf_token: null },
      { csrf_token: '' },
      { csrf_token: 'forged' },
      { csrf_token: theirToken },
      { client_id: foreign.client_id },
      { redirect_uri: 'http://127.0.0.1:9999/callback' },
      { state: 'another state' },
      { code_challenge: 'x'.repeat(43) },
    ];
    for (const changes of tries) {
      const answer = await browser.submit(page, 'approve', changes);
      assert.equal(answer.status, 403, JSON.stringify(changes));
      assert.equal(answer.headers.location, undefined);
      assert.match(answer.text, /This page is out of date/);
    }
    browser.cookies.clear();
    assert.equal((await browser.submit(page, 'approve', code)).status, 403);
    const { clients } = await server.local.listClients();
    assert.deepEqual(
      clients.map(({ approvals }) => approvals.length),
      [0, 0],
    );
  });
});

test('an approval that a foreign page sends is refused, even from a signed-in browser', async () => {
  await withServer({}, async ({ baseUrl, server }) => {
    const { client_id } = await newClient(baseUrl);
    const browser = ownerBrowser(baseUrl);
    const page = await browser.open(authorizeUrl(baseUrl, { client_id }));
    await browser.submit(page, 'approve', { owner_code: server.ownerCode ?? '' });
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      const answer = await browser.submit(page, 'approve', {}, { origin });
      assert.equal(answer.status, 403, origin);
      assert.equal(answer.headers.location, undefined);
    }
  });
});

test('a form of another type, or without a decision, approves nothing', async () => {
  await withServer({}, async ({ baseUrl }) => {
    const { client_id } = await newClient(baseUrl);
    const browser = ownerBrowser(baseUrl);
    const page = await browser.open(authorizeUrl(baseUrl, { client_id }));
    const typed = await browser.submit(page, 'approve', {}, { 'content-type': 'application/json' });
    assert.equal(typed.status, 415);
    const undecided = answerOf(await browser.submit(page, 'deny', { decision: null }));
    assert.equal(undecided.error, 'access_denied');
  });
});

test('while the state cannot be saved the client is told to try later, and no code is out', async () => {
  await withServer({}, async (relay) => {
    const { baseUrl, server, home } = relay;
    const { client_id } = await newClient(baseUrl);
    const browser = ownerBrowser(baseUrl);
    const page = await browser.open(authorizeUrl(baseUrl, { client_id }));
    const { rename, mkdir, rm } = await import('node:fs/promises');
    // A directory in the place of the file: the rename at the end of a save fails, for root as well.
    await rename(`${home}/relay.db`, `${home}/kept.db`);
    await mkdir(`${home}/relay.db/full`, { recursive: true });
    const answer = await browser.submit(page, 'approve', { owner_code: server.ownerCode ?? '' });
    assert.equal(answerOf(answer).error, 'temporarily_unavailable');
    await rm(`${home}/relay.db`, { recursive: true });
    await rename(`${home}/kept.db`, `${home}/relay.db`);
    assert.ok(answerOf(await browser.submit(page, 'approve')).code);
    assert.ok(String(answer.headers.location).startsWith(REDIRECT));
  });
});
