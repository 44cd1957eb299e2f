/** `POST /oauth/token` and `POST /oauth/revoke`: what a code gives, what is refused, and what ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../support/clock.ts';
import { type Answer, send } from '../support/http.ts';
import { approve } from '../support/ownerBrowser.ts';
import { json, newClient, type Registered, VERIFIER } from './clients.ts';
import {
  approvedClient,
  askToken,
  basic,
  codeForm,
  connect,
  exchanged,
  mcpStatus,
  postForm,
  refreshForm,
  refusal,
  type Tokens,
  tokenRefusal,
} from './tokens.ts';
import { stateText, whileUnsaved, withServer } from './withServer.ts';

const revoke = (baseUrl: string, form: Record<string, string> | string, headers?: Record<string, string>) =>
  postForm(`${baseUrl}/oauth/revoke`, form, headers);

/** Checks for a 200 with an empty body, which RFC 7009 2.2 requires whatever the token was. */
function assertDone(answer: Answer): void {
  assert.deepEqual([answer.status, answer.text, answer.headers['cache-control']], [200, '', 'no-store']);
}

test('a code is exchanged for two opaque tokens, and the state contains none of these secrets', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const client = await newClient(baseUrl);
    const code = await approve(relay, client.client_id);
    const answer = await askToken(baseUrl, codeForm(client, code));
    assert.equal(answer.headers['cache-control'], 'no-store');
    const { access_token, refresh_token, ...rest } = json(answer);
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'relay' });
    const state = await stateText(relay);
    assert.ok(state.includes(client.client_id));
    for (const secret of [access_token, refresh_token, code, relay.server.ownerCode]) {
      assert.ok(!state.includes(String(secret)));
    }
    for (const token of [access_token, refresh_token]) assert.match(String(token), /^[\w-]{43}$/);
  }));

test('a client secret is not readable in the state, and is accepted only in the way that was registered', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const chosen = await newClient(baseUrl, { token_endpoint_auth_method: 'client_secret_post' });
    const open = await newClient(baseUrl, { token_endpoint_auth_method: undefined });
    const secret = (client: Registered) => client.client_secret ?? '';
    assert.ok(!(await stateText(relay)).includes(secret(open)));

    const form = codeForm(chosen, await approve(relay, chosen.client_id));
    const asBasic = basic(chosen.client_id, secret(chosen));
    assert.equal(await tokenRefusal(baseUrl, form, asBasic), '401 invalid_client');
    await exchanged(baseUrl, { ...form, client_secret: secret(chosen) });

    const { client_id: _, ...bare } = codeForm(open, await approve(relay, open.client_id));
    const { refresh_token } = await exchanged(baseUrl, bare, basic(open.client_id, secret(open)));
    await exchanged(baseUrl, { ...refreshForm(open, refresh_token), client_secret: secret(open) });
  }));

test('a client that does not authenticate is refused at both endpoints, and code and token stay good', () =>
  withServer({}, async ({ relay, baseUrl, server }) => {
    const { tokens } = await connect(relay);
    const client = await newClient(baseUrl, { token_endpoint_auth_method: 'client_secret_basic' });
    const { client_id: publicId } = await newClient(baseUrl);
    const { client_id, client_secret: secret = '' } = client;
    const { client_id: _, ...form } = codeForm(client, await approve(relay, client_id));
    const tries: Array<[error: string, form: Record<string, string>, headers: Record<string, string>]> = [
      ['400 invalid_request', {}, {}],
      ['401 invalid_client', { client_id }, {}],
      ['401 invalid_client', { client_id, client_secret: secret }, {}],
      ['401 invalid_client', { client_id: 'stranger' }, {}],
      ['401 invalid_client', {}, basic(client_id, 'wrong')],
      ['401 invalid_client', {}, basic('stranger', secret)],
      ['401 invalid_client', {}, basic(client_id, '')],
      ['401 invalid_client', {}, { authorization: 'Basic !!!' }],
      ['401 invalid_client', {}, { authorization: `Bearer ${secret}` }],
      ['400 invalid_request', { client_secret: secret }, basic(client_id, secret)],
      ['400 invalid_request', { client_id: publicId }, basic(client_id, secret)],
      ['401 invalid_client', { client_id: publicId, client_secret: 'made up' }, {}],
    ];
    for (const [error, more, headers] of tries) {
      for (const answer of [
        await askToken(baseUrl, { ...form, ...more }, headers),
        await revoke(baseUrl, { token: tokens.access_token, ...more }, headers),
      ]) {
        assert.equal(refusal(answer), error, JSON.stringify([more, headers]));
        // If credentials in a header are refused, the answer names the scheme to use.
        const scheme = error.startsWith('401') && headers.authorization ? 'Basic realm="relay"' : undefined;
        assert.equal(answer.headers['www-authenticate'], scheme);
      }
    }
    assert.equal(await mcpStatus(server.mcpUrl, tokens.access_token), 200);
    await exchanged(baseUrl, form, basic(client_id, secret));
    assertDone(await revoke(baseUrl, { token: 'x' }, basic(client_id, secret)));
  }));

test('a request that is not one complete, plain form in the body is refused', () =>
  withServer({}, async ({ relay, baseUrl, server }) => {
    const { form } = await approvedClient(relay);
    const { client, tokens } = await connect(relay, { client_name: 'Other' });
    const revocation = { token: tokens.access_token, client_id: client.client_id };
    for (const [path, fields, needed] of [
      ['token', form, ['grant_type', 'code', 'code_verifier']],
      ['revoke', revocation, ['token']],
    ] as const) {
      const url = `${baseUrl}/oauth/${path}`;
      const plain = new URLSearchParams(fields).toString();
      const asJson = await postForm(url, JSON.stringify(fields), { 'content-type': 'application/json' });
      assert.equal(refusal(asJson), '415 invalid_request');
      for (const again of ['client_id=x', `${needed[0]}=x`, 'unknown=1&unknown=2'])
        assert.equal(refusal(await postForm(url, `${plain}&${again}`)), '400 invalid_request', again);
      for (const name of needed) {
        const rest = { ...fields, [name]: '' };
        assert.equal(refusal(await postForm(url, rest)), '400 invalid_request', name);
      }
      // Secrets in a query would end up in logs.
      assert.equal(refusal(await postForm(`${url}?${plain}`, '')), '400 invalid_request');
      const get = await send(`${url}?${plain}`);
      assert.deepEqual([get.status, get.headers.allow], [405, 'POST']);
    }
    const password = { ...form, grant_type: 'password' };
    assert.equal(await tokenRefusal(baseUrl, password), '400 unsupported_grant_type');
    assert.equal((await revoke(baseUrl, revocation, { origin: 'https://example.org' })).status, 403);
    await exchanged(baseUrl, form);
    assert.equal(await mcpStatus(server.mcpUrl, tokens.access_token), 200);
  }));

test('a code works once, for one minute, and only with its own verifier, redirect URI and resource', () =>
  withServer({}, async ({ relay, baseUrl, clock }) => {
    const client = await newClient(baseUrl);
    const form = async () => codeForm(client, await approve(relay, client.client_id));
    for (const wrong of [
      ...[`${VERIFIER}x`, 'short', `${VERIFIER}é`].map((code_verifier) => ({ code_verifier })),
      { redirect_uri: 'http://127.0.0.1:7778/callback' },
    ]) {
      const used = await form();
      assert.equal(await tokenRefusal(baseUrl, { ...used, ...wrong }), '400 invalid_grant');
      assert.equal(await tokenRefusal(baseUrl, used), '400 invalid_grant', 'the code is used up');
    }
    const once = await form();
    const elsewhere = { ...once, resource: 'https://other.example/mcp' };
    assert.equal(await tokenRefusal(baseUrl, elsewhere), '400 invalid_target');
    await exchanged(baseUrl, { ...once, resource: `${baseUrl}/mcp/` });
    // OAuth 2.1 does not need the redirect URI, since PKCE replaces it.
    await exchanged(baseUrl, { ...(await form()), redirect_uri: '' });

    const late = await form();
    clock.advance(MINUTE);
    assert.equal(await tokenRefusal(baseUrl, late), '400 invalid_grant');
    const inTime = await form();
    clock.advance(MINUTE - 1);
    const twice = await Promise.all([askToken(baseUrl, inTime), askToken(baseUrl, inTime)]);
    assert.deepEqual(twice.map(({ status }) => status).sort(), [200, 400]);
  }));

test('another client can use neither a code nor a refresh token, nor end one; all stay valid if it tries', () =>
  withServer({}, async ({ relay, baseUrl, server }) => {
    const theirs = await newClient(baseUrl, { client_name: 'Other' });
    const { client, form } = await approvedClient(relay);
    assert.equal(await tokenRefusal(baseUrl, { ...form, client_id: theirs.client_id }), '400 invalid_grant');
    const tokens = await exchanged(baseUrl, form);
    assert.equal(await tokenRefusal(baseUrl, refreshForm(theirs, tokens.refresh_token)), '400 invalid_grant');
    const answers = ['made-up', tokens.access_token, tokens.refresh_token].map(async (token) => {
      const answer = await revoke(baseUrl, { token, client_id: theirs.client_id });
      assertDone(answer);
      const { date: _, 'x-request-id': __, ...headers } = answer.headers;
      return headers;
    });
    const [unknown, ...known] = await Promise.all(answers);
    for (const headers of known) assert.deepEqual(headers, unknown, 'nobody learns which tokens exist');
    assert.equal(await mcpStatus(server.mcpUrl, tokens.access_token), 200);
    await exchanged(baseUrl, refreshForm(client, tokens.refresh_token));
  }));

test('an access token lasts an hour, a refresh token 30 days from its last rotation', () =>
  withServer({}, async ({ relay, baseUrl, server, clock }) => {
    const { client, tokens } = await connect(relay);
    clock.advance(HOUR - 1);
    assert.equal(await mcpStatus(server.mcpUrl, tokens.access_token), 200);
    clock.advance(1);
    assert.equal(await mcpStatus(server.mcpUrl, tokens.access_token), 401);
    clock.advance(30 * DAY - HOUR - 1);
    const second = await exchanged(baseUrl, refreshForm(client, tokens.refresh_token));
    clock.advance(30 * DAY - 1);
    const third = await exchanged(baseUrl, refreshForm(client, second.refresh_token));
    clock.advance(30 * DAY);
    assert.equal(await tokenRefusal(baseUrl, refreshForm(client, third.refresh_token)), '400 invalid_grant');
  }));

test('a refresh may name only the resource of its grant; a refused request uses nothing up', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const { client, tokens } = await connect(relay);
    const form = refreshForm(client, tokens.refresh_token);
    const elsewhere = { ...form, resource: 'https://other.example/mcp' };
    assert.equal(await tokenRefusal(baseUrl, elsewhere), '400 invalid_target');
    for (const token of [tokens.access_token, 'made-up'])
      assert.equal(await tokenRefusal(baseUrl, refreshForm(client, token)), '400 invalid_grant');
    await exchanged(baseUrl, { ...form, scope: 'relay', resource: `${baseUrl}/mcp` });
  }));

test('a client that did not register the refresh grant gets no refresh token', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const { client, tokens } = await connect(relay, { grant_types: ['authorization_code'] });
    assert.equal('refresh_token' in tokens, false);
    assert.equal(await tokenRefusal(baseUrl, refreshForm(client, 'made-up')), '400 unauthorized_client');
  }));

test('while the state cannot be saved, clients get temporarily_unavailable, and nothing is used up', () =>
  withServer({}, async ({ relay, baseUrl, clock, server }) => {
    const broken = async (ask: () => Promise<Answer>, times = 1) => {
      const answers = await whileUnsaved(relay, () => Promise.all(Array.from({ length: times }, ask)));
      for (const answer of answers) assert.equal(refusal(answer), '503 temporarily_unavailable');
    };
    const { client, form } = await approvedClient(relay);
    await broken(() => askToken(baseUrl, form));
    const tokens = await exchanged(baseUrl, form);
    await broken(() => askToken(baseUrl, refreshForm(client, tokens.refresh_token)), 2);
    const { clients } = await server.local.listClients();
    const held = clients[0]?.approvals.map(({ accessTokens, refreshTokens }) => [
      accessTokens,
      refreshTokens,
    ]);
    assert.deepEqual(held, [[1, 1]]);
    // If a failed exchange had rotated the token, it would now come back too late.
    clock.advance(2 * MINUTE);
    const { refresh_token: token } = await exchanged(baseUrl, refreshForm(client, tokens.refresh_token));
    const revocation = { token, client_id: client.client_id };
    await broken(() => revoke(baseUrl, revocation));
    assertDone(await revoke(baseUrl, revocation));
  }));

test('revoking the refresh token, or a token under a wrong hint, ends the whole family at once, and keeps the registration', () =>
  withServer({}, async ({ relay, baseUrl, server, clock }) => {
    const other = await connect(relay, { client_name: 'Other' });
    for (const [name, form] of [
      ['One', ({ refresh_token }: Tokens) => ({ token: refresh_token })],
      ['Two', ({ access_token }: Tokens) => ({ token: access_token, token_type_hint: 'refresh_token' })],
    ] as const) {
      clock.advance(MINUTE);
      const { client, tokens } = await connect(relay, { client_name: name });
      const pair = await exchanged(baseUrl, refreshForm(client, tokens.refresh_token));
      for (let time = 0; time < 2; time++)
        assertDone(await revoke(baseUrl, { ...form(pair), client_id: client.client_id }));
      for (const { access_token, refresh_token } of [tokens, pair]) {
        assert.equal(await mcpStatus(server.mcpUrl, access_token), 401);
        assert.equal(await tokenRefusal(baseUrl, refreshForm(client, refresh_token)), '400 invalid_grant');
      }
    }
    assert.equal(await mcpStatus(server.mcpUrl, other.tokens.access_token), 200);
    const { clients } = await server.local.listClients();
    const approvals = clients.map(({ name, approvals }) => `${name} ${approvals.length}`);
    assert.deepEqual(approvals, ['Other 1', 'One 0', 'Two 0']);
  }));
