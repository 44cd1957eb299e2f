import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../support/clock.ts';
import { send } from '../support/http.ts';
import { json, newClient, type Registered, VERIFIER } from './clients.ts';
import { approve } from './ownerBrowser.ts';
import {
  approvedClient,
  askToken,
  assertUnauthenticated,
  basic,
  codeForm,
  connect,
  exchanged,
  mcpStatus,
  postForm,
  refreshForm,
  refusal,
  tokenRefusal,
} from './tokens.ts';
import { stateText, whileUnsaved, withServer } from './withServer.ts';

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
    assert.match(String(access_token), /^[\w-]{43}$/);
    assert.match(String(refresh_token), /^[\w-]{43}$/);
  }));

test('a client secret is not readable in the state, and is accepted only in the way that was registered', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const chosen = await newClient(baseUrl, { token_endpoint_auth_method: 'client_secret_post' });
    const open = await newClient(baseUrl, { token_endpoint_auth_method: undefined });
    const secret = (client: Registered) => client.client_secret ?? '';
    assert.ok(!(await stateText(relay)).includes(secret(open)));

    const form = codeForm(chosen, await approve(relay, chosen.client_id));
    const asBasic = await askToken(baseUrl, form, basic(chosen.client_id, secret(chosen)));
    assert.equal(refusal(asBasic), '401 invalid_client');
    assert.equal(asBasic.headers['www-authenticate'], 'Basic realm="relay"');
    assert.equal((await askToken(baseUrl, { ...form, client_secret: secret(chosen) })).status, 200);

    const { client_id: _, ...bare } = codeForm(open, await approve(relay, open.client_id));
    const first = await askToken(baseUrl, bare, basic(open.client_id, secret(open)));
    assert.equal(first.status, 200, first.text);
    const { refresh_token } = json(first);
    const posted = { ...refreshForm(open, String(refresh_token)), client_secret: secret(open) };
    assert.equal((await askToken(baseUrl, posted)).status, 200);
  }));

test('a client that does not authenticate is refused, and the code stays good', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const client = await newClient(baseUrl, { token_endpoint_auth_method: 'client_secret_basic' });
    const publicClient = await newClient(baseUrl);
    const secret = client.client_secret ?? '';
    const { client_id: _, ...form } = codeForm(client, await approve(relay, client.client_id));
    const { client_id } = client;
    await assertUnauthenticated(
      [
        ['invalid_request', {}, {}],
        ['invalid_client', { client_id }, {}],
        ['invalid_client', { client_id, client_secret: secret }, {}],
        ['invalid_client', { client_id: 'stranger' }, {}],
        ['invalid_client', {}, basic(client_id, 'wrong')],
        ['invalid_client', {}, basic('stranger', secret)],
        ['invalid_client', {}, basic(client_id, '')],
        ['invalid_client', {}, { authorization: 'Basic !!!' }],
        ['invalid_client', {}, { authorization: `Bearer ${secret}` }],
        ['invalid_request', { client_secret: secret }, basic(client_id, secret)],
        ['invalid_request', { client_id: publicClient.client_id }, basic(client_id, secret)],
        ['invalid_client', { client_id: publicClient.client_id, client_secret: 'made up' }, {}],
      ],
      (more, headers) => askToken(baseUrl, { ...form, ...more }, headers),
    );
    assert.equal((await askToken(baseUrl, form, basic(client_id, secret))).status, 200);
  }));

test('a token request that is not one complete, plain form in the body is refused', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const { form } = await approvedClient(relay);
    const plain = new URLSearchParams(form).toString();
    assert.equal(
      await tokenRefusal(baseUrl, JSON.stringify(form), { 'content-type': 'application/json' }),
      '415 invalid_request',
    );
    for (const again of ['client_id=x', 'grant_type=authorization_code', 'code=x', 'unknown=1&unknown=2']) {
      assert.equal(await tokenRefusal(baseUrl, `${plain}&${again}`), '400 invalid_request', again);
    }
    for (const name of ['grant_type', 'code', 'code_verifier']) {
      const { [name]: _, ...rest } = form;
      assert.equal(await tokenRefusal(baseUrl, rest), '400 invalid_request', name);
    }
    assert.equal(
      await tokenRefusal(baseUrl, { ...form, grant_type: 'password' }),
      '400 unsupported_grant_type',
    );
    // Secrets in a query would end up in logs.
    const inQuery = await postForm(`${baseUrl}/oauth/token?${plain}`, '');
    assert.equal(refusal(inQuery), '400 invalid_request');
    assert.equal((await send(`${baseUrl}/oauth/token?${plain}`)).status, 405);
    assert.equal((await askToken(baseUrl, plain)).status, 200);
  }));

test('a wrong verifier uses the code up', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const client = await newClient(baseUrl);
    for (const code_verifier of [`${VERIFIER}x`, 'short', `${VERIFIER}é`]) {
      const form = codeForm(client, await approve(relay, client.client_id));
      assert.equal(await tokenRefusal(baseUrl, { ...form, code_verifier }), '400 invalid_grant');
      assert.equal(await tokenRefusal(baseUrl, form), '400 invalid_grant');
    }
  }));

test('a code works for one minute, and only with its own redirect URI and resource', () =>
  withServer({}, async ({ relay, baseUrl, clock }) => {
    const client = await newClient(baseUrl);
    const form = async () => codeForm(client, await approve(relay, client.client_id));
    const other = { redirect_uri: 'http://127.0.0.1:7778/callback' };
    assert.equal(await tokenRefusal(baseUrl, { ...(await form()), ...other }), '400 invalid_grant');

    const once = await form();
    const elsewhere = { ...once, resource: 'https://other.example/mcp' };
    assert.equal(await tokenRefusal(baseUrl, elsewhere), '400 invalid_target');
    assert.equal((await askToken(baseUrl, { ...once, resource: `${baseUrl}/mcp/` })).status, 200);

    // OAuth 2.1 does not need the redirect URI, since PKCE replaces it.
    const { redirect_uri: _, ...without } = await form();
    assert.equal((await askToken(baseUrl, without)).status, 200);

    const late = await form();
    clock.advance(MINUTE);
    assert.equal(await tokenRefusal(baseUrl, late), '400 invalid_grant');
    const inTime = await form();
    clock.advance(MINUTE - 1);
    assert.equal((await askToken(baseUrl, inTime)).status, 200);
  }));

test('a second use of a code revokes all tokens that came from the first', () =>
  withServer({}, async ({ relay, baseUrl, server }) => {
    const { client, form } = await approvedClient(relay);
    const first = await exchanged(baseUrl, form);
    const refreshed = await exchanged(baseUrl, refreshForm(client, first.refresh_token));
    assert.equal(await mcpStatus(server.mcpUrl, refreshed.access_token), 200);
    assert.equal(await tokenRefusal(baseUrl, form), '400 invalid_grant');
    for (const { access_token, refresh_token } of [first, refreshed]) {
      assert.equal(await mcpStatus(server.mcpUrl, access_token), 401);
      assert.equal(await tokenRefusal(baseUrl, refreshForm(client, refresh_token)), '400 invalid_grant');
    }
  }));

test('if a code is used twice at the same moment, only one use succeeds', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const { form } = await approvedClient(relay);
    const answers = await Promise.all([askToken(baseUrl, form), askToken(baseUrl, form)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
  }));

test('another client can use neither a code nor a refresh token, and both stay valid if it tries', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const mine = await newClient(baseUrl);
    const theirs = await newClient(baseUrl, { client_name: 'Other' });
    const form = codeForm(mine, await approve(relay, mine.client_id));
    assert.equal(await tokenRefusal(baseUrl, { ...form, client_id: theirs.client_id }), '400 invalid_grant');
    const tokens = await exchanged(baseUrl, form);
    assert.equal(await tokenRefusal(baseUrl, refreshForm(theirs, tokens.refresh_token)), '400 invalid_grant');
    await exchanged(baseUrl, refreshForm(mine, tokens.refresh_token));
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
    assert.equal(
      await tokenRefusal(baseUrl, { ...form, resource: 'https://other.example/mcp' }),
      '400 invalid_target',
    );
    assert.equal(await tokenRefusal(baseUrl, refreshForm(client, tokens.access_token)), '400 invalid_grant');
    assert.equal(await tokenRefusal(baseUrl, refreshForm(client, 'made-up')), '400 invalid_grant');
    await exchanged(baseUrl, { ...form, scope: 'relay', resource: `${baseUrl}/mcp` });
  }));

test('a client that did not register the refresh grant gets no refresh token', () =>
  withServer({}, async ({ relay }) => {
    const { client, tokens } = await connect(relay, { grant_types: ['authorization_code'] });
    assert.equal('refresh_token' in tokens, false);
    assert.equal(
      await tokenRefusal(relay.baseUrl, refreshForm(client, 'made-up')),
      '400 unauthorized_client',
    );
  }));

test('while the state cannot be saved nothing is used up', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const client = await newClient(baseUrl);
    const broken = async (form: Record<string, string>) => {
      const answer = await whileUnsaved(relay, () => askToken(baseUrl, form));
      assert.equal(refusal(answer), '503 temporarily_unavailable');
    };
    const form = codeForm(client, await approve(relay, client.client_id));
    await broken(form);
    const tokens = await exchanged(baseUrl, form);
    await broken(refreshForm(client, tokens.refresh_token));
    const { clients } = await relay.server.local.listClients();
    assert.deepEqual(
      clients.map(({ approvals }) =>
        approvals.map(({ accessTokens, refreshTokens }) => [accessTokens, refreshTokens]),
      ),
      [[[1, 1]]],
    );
    await exchanged(baseUrl, refreshForm(client, tokens.refresh_token));
  }));
