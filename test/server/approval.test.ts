import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { authorizeUrl, newClient, REDIRECT } from '../oauth/clients.ts';
import { askToken, codeForm, connect, exchanged, mcpStatus } from '../oauth/tokens.ts';
import { whileUnsaved, withServer } from '../oauth/withServer.ts';
import { createBrowser } from '../support/browser.ts';
import { send } from '../support/http.ts';
import { answerOf, cardsOf, formFields, openPage, ownerBrowser, signIn } from '../support/ownerBrowser.ts';
import { sendStranger, withoutSecondUser } from '../support/stranger.ts';
import { connectAccount } from '../support/world.ts';

test('the page names the client, where it goes back to, what it may do and the account', () =>
  withServer({}, async ({ baseUrl, provider }) => {
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
    assert.ok(text.includes('see and change your playlists and saved songs'));
    assert.ok(text.includes(provider.accounts[0]?.displayName ?? ''));
    assert.doesNotMatch(text, /<b>|autofocus/);
    // The page has one script: a file of our own.
    const scripts = [...text.matchAll(/<script[\s\S]*?<\/script>/g)].map(([script]) => script);
    const [, path, digest] =
      /^<script src="(\/assets\/relay-[0-9a-f]{12}\.js\?[\w-]{12})" integrity="sha256-(.{44})" defer><\/script>$/.exec(
        scripts.join(),
      ) ?? [];
    const script = await send(`${baseUrl}${path}`);
    assert.deepEqual(
      [script.status, script.headers['content-type'], script.headers['cache-control']],
      [200, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    );
    assert.equal(createHash('sha256').update(script.text).digest('base64'), digest);
    // A limit on where forms lead would also stop the redirect to the client.
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'$/,
    );
    assert.equal(headers['x-frame-options'], 'DENY');
  }));

test('a website behind a client is marked, and a name is shown without hidden characters', () =>
  withServer({}, async ({ baseUrl }) => {
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
  }));

test('the owner code approves, in any case and without its dash', () =>
  withServer({}, async ({ baseUrl, server }) => {
    const { client, browser, page } = await openPage(baseUrl);
    assert.match(
      server.ownerCode ?? '',
      /^[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{2}$/,
    );
    const typed = ` ${(server.ownerCode ?? '').replace('-', ' ').toLowerCase()} `;
    const approved = await browser.submit(page, 'approve', { owner_code: typed });
    // Not 307, which would send the form on to the client.
    assert.equal(approved.status, 303);
    const { code, ...rest } = answerOf(approved);
    assert.deepEqual(rest, { state: 'some state', iss: baseUrl });
    assert.equal(approved.headers['set-cookie'], undefined);
    assert.match(code ?? '', /^[\w-]{43}$/);
    assert.equal((await askToken(baseUrl, codeForm(client, code ?? ''))).status, 200);
  }));

test('MCP_OAUTH_OWNER_SECRET is the code where it is set', () =>
  withServer({ env: { MCP_OAUTH_OWNER_SECRET: ' Correct horse\r' } }, async ({ baseUrl, server }) => {
    assert.equal(server.ownerCode, 'Correct horse');
    const { browser, page } = await openPage(baseUrl);
    assert.equal((await browser.submit(page, 'approve', { owner_code: 'correct horse' })).status, 403);
    assert.ok(answerOf(await browser.submit(page, 'approve', { owner_code: 'Correct horse' })).code);
  }));

test('denying needs no code, acts at once and tells the client', () =>
  withServer({}, async ({ baseUrl }) => {
    const { browser, page } = await openPage(baseUrl);
    const denied = await browser.submit(page, 'deny', { owner_code: null });
    const { error_description: _, ...rest } = answerOf(denied);
    assert.deepEqual(rest, { error: 'access_denied', state: 'some state', iss: baseUrl });
  }));

test('Deny answers one request: it ends no approval, and the same request may be approved later', () =>
  withServer({}, async ({ relay, baseUrl, server }) => {
    const owner_proof = await signIn(relay);
    const { client, browser, page } = await openPage(baseUrl);
    const { code = '' } = answerOf(await browser.submit(page, 'approve', { owner_proof }));
    const { access_token } = await exchanged(baseUrl, codeForm(client, code));
    for (let time = 0; time < 3; time++) {
      assert.equal(answerOf(await browser.submit(page, 'deny')).error, 'access_denied');
    }
    assert.equal(await mcpStatus(server.mcpUrl, access_token), 200);
    assert.ok(answerOf(await browser.submit(page, 'approve', { owner_proof })).code);
  }));

test('an approval for one account does not count for another that was connected meanwhile', () =>
  withServer({}, async ({ relay, baseUrl, provider, server }) => {
    const { client_id } = await newClient(baseUrl);
    const browser = ownerBrowser(baseUrl);
    const url = authorizeUrl(baseUrl, { client_id });
    const none = await browser.open(url);
    const owner_proof = await signIn(relay);
    await connectAccount(baseUrl);
    assert.ok(answerOf(await browser.submit(none, 'approve', { owner_proof })).code, 'it named no account');
    const former = await browser.open(url);
    provider.loginAs(1);
    const { browserUrl } = await server.local.startLogin({ switchAccount: true });
    await createBrowser().open(browserUrl);
    const proof = { owner_proof: await signIn(relay) };
    const again = await browser.submit(former, 'approve', proof);
    assert.equal(again.status, 409);
    assert.match(again.text, /Another Spotify account has been connected since, so nothing was approved/);
    assert.ok(again.text.includes(provider.accounts[1]?.displayName ?? ''));
    assert.ok(answerOf(await browser.submit(again, 'approve', proof)).code);
    assert.equal(answerOf(await browser.submit(former, 'deny')).error, 'access_denied');
  }));

test('another user who closes the connection at once gets no further', { skip: withoutSecondUser }, () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const secret = await signIn(relay);
    await connectAccount(baseUrl);
    const { client_id } = await newClient(baseUrl, { client_name: 'Claude Code' });
    const path = new URL(authorizeUrl(baseUrl, { client_id })).pathname;
    const { search } = new URL(authorizeUrl(baseUrl, { client_id }));
    const headers = { origin: baseUrl, 'content-type': 'application/json', 'x-relay-owner': secret };
    const state = () => cardsOf({ baseUrl }, headers);
    const { account } = await state();
    await sendStranger({
      ...{ baseUrl, addresses: [], requests: [], paths: [], watchMs: 0 },
      abandoned: [
        { path: `${path}${search}` },
        // The other user may have learned the secret of the owner's browser.
        { path: '/owner/account/disconnect', method: 'POST', headers, body: '{"erase":true}' },
      ],
    });
    const after = await state();
    assert.deepEqual([after.needs, after.account], [undefined, account]);
  }),
);

test('a client that is forgotten no longer waits on the page of the owner', () =>
  withServer({}, async ({ relay, baseUrl, server }) => {
    const { client_id } = await newClient(baseUrl);
    await ownerBrowser(baseUrl).open(authorizeUrl(baseUrl, { client_id }));
    const headers = { 'x-relay-owner': await signIn(relay) };
    const isWaiting = async () => `${(await cardsOf({ baseUrl }, headers)).needs}`.includes(client_id);
    assert.equal(await isWaiting(), true);
    await server.local.revokeClient({ client: client_id, forget: true });
    assert.equal(await isWaiting(), false);
  }));

test('a form without its token, with another one, from another browser or about something else is refused', () =>
  withServer({}, async ({ baseUrl, server }) => {
    const { client, browser, page } = await openPage(baseUrl);
    const foreign = await newClient(baseUrl, { client_name: 'Foreign' });
    const code = { owner_code: server.ownerCode ?? '' };
    await browser.submit(page, 'approve', code);
    const attacker = ownerBrowser(baseUrl);
    const theirs = await attacker.open(authorizeUrl(baseUrl, { client_id: client.client_id }));
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
  }));

test('an approval that a foreign page sends is refused, even from a signed-in browser', () =>
  withServer({}, async ({ baseUrl, server }) => {
    const { browser, page } = await openPage(baseUrl);
    await browser.submit(page, 'approve', { owner_code: server.ownerCode ?? '' });
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      const answer = await browser.submit(page, 'approve', {}, { origin });
      assert.equal(answer.status, 403, origin);
      assert.equal(answer.headers.location, undefined);
    }
  }));

test('a form of another type, or without a decision, approves nothing', () =>
  withServer({}, async ({ baseUrl }) => {
    const { browser, page } = await openPage(baseUrl);
    const typed = await browser.submit(page, 'approve', {}, { 'content-type': 'application/json' });
    assert.equal(typed.status, 415);
    // Such a form does not deny either.
    const undecided = await browser.submit(page, 'deny', { decision: null });
    assert.equal(undecided.status, 200);
    assert.match(undecided.text, /<form/);
  }));

test('while the state cannot be saved, the client gets temporarily_unavailable and no code', () =>
  withServer({}, async ({ relay }) => {
    const { browser, page } = await openPage(relay.baseUrl);
    const submit = () => browser.submit(page, 'approve', { owner_code: relay.server.ownerCode ?? '' });
    const answer = await whileUnsaved(relay, submit);
    assert.equal(answerOf(answer).error, 'temporarily_unavailable');
    assert.ok(answerOf(await submit()).code);
    assert.ok(String(answer.headers.location).startsWith(REDIRECT));
  }));

test("a name that shows nothing is no name on the owner's page either", () =>
  withServer({}, async ({ relay }) => {
    const { client } = await connect(relay, { client_name: '\u3164' });
    const headers = { 'x-relay-owner': await signIn(relay) };
    const { clients } = await cardsOf(relay, headers);
    assert.ok(clients?.includes(`<bdi>an unnamed client (${client.client_id.slice(0, 12)})</bdi>`), clients);
  }));
