/** `POST /oauth/revoke` (RFC 7009): a client gives back what it holds. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE } from '../support/clock.ts';
import { type Answer, send } from '../support/http.ts';
import { newClient, type Registered } from './clients.ts';
import {
  assertUnauthenticated,
  basic,
  connect,
  exchanged,
  mcpStatus,
  postForm,
  refreshForm,
  refusal,
  type Tokens,
  tokenRefusal,
} from './tokens.ts';
import { whileUnsaved, withServer } from './withServer.ts';

const revoke = (baseUrl: string, form: Record<string, string> | string, headers?: Record<string, string>) =>
  postForm(`${baseUrl}/oauth/revoke`, form, headers);

/** Checks for a 200 with an empty body, which RFC 7009 2.2 requires whatever the token was. */
function assertDone(answer: Answer): void {
  assert.deepEqual([answer.status, answer.text], [200, '']);
  assert.equal(answer.headers['cache-control'], 'no-store');
}

for (const [what, form] of [
  ['the access token', ({ access_token }: Tokens) => ({ token: access_token })],
  ['the refresh token', ({ refresh_token }: Tokens) => ({ token: refresh_token })],
  [
    'a token under a wrong hint',
    ({ access_token }: Tokens) => ({ token: access_token, token_type_hint: 'refresh_token' }),
  ],
  [
    'a token under a hint that nobody knows',
    ({ access_token }: Tokens) => ({ token: access_token, token_type_hint: 'saml' }),
  ],
] as const) {
  test(`${what} ends the whole family at once, for good`, () =>
    withServer({}, async ({ relay, baseUrl, server, clock }) => {
      const { client, tokens } = await connect(relay);
      clock.advance(MINUTE);
      const other = await connect(relay, { client_name: 'Other' });
      const pair = await exchanged(baseUrl, refreshForm(client, tokens.refresh_token));
      assertDone(await revoke(baseUrl, { ...form(pair), client_id: client.client_id }));
      for (const { access_token, refresh_token } of [tokens, pair]) {
        assert.equal(await mcpStatus(server.mcpUrl, access_token), 401);
        assert.equal(await tokenRefusal(baseUrl, refreshForm(client, refresh_token)), '400 invalid_grant');
      }
      assert.equal(await mcpStatus(server.mcpUrl, other.tokens.access_token), 200);
      const { clients } = await server.local.listClients();
      // The client is still registered: it may ask again with its ID.
      assert.deepEqual(
        clients.map(({ name, approvals }) => [name, approvals.length]),
        [
          ['Story client', 0],
          ['Other', 1],
        ],
      );
      assertDone(await revoke(baseUrl, { ...form(pair), client_id: client.client_id }));
    }));
}

test('an unknown token and one of another client get the same answer and end nothing', () =>
  withServer({}, async ({ relay, baseUrl, server }) => {
    const { tokens } = await connect(relay);
    const stranger = await newClient(baseUrl, { client_name: 'Other' });
    const {
      date: _,
      'x-request-id': __,
      ...known
    } = (await revoke(baseUrl, { token: tokens.access_token, client_id: stranger.client_id })).headers;
    for (const token of [tokens.refresh_token, 'made-up']) {
      const answer = await revoke(baseUrl, { token, client_id: stranger.client_id });
      assertDone(answer);
      const { date: _, 'x-request-id': __, ...headers } = answer.headers;
      assert.deepEqual(headers, known);
    }
    assert.equal(await mcpStatus(server.mcpUrl, tokens.access_token), 200);
  }));

test('a client that does not authenticate is refused as at the token endpoint', () =>
  withServer({}, async ({ relay, baseUrl, server }) => {
    const { tokens } = await connect(relay);
    const confidential = await newClient(baseUrl, { token_endpoint_auth_method: 'client_secret_basic' });
    const { client_id, client_secret: secret = '' }: Registered = confidential;
    await assertUnauthenticated(
      [
        ['invalid_request', {}, {}],
        ['invalid_client', { client_id: 'stranger' }, {}],
        ['invalid_client', { client_id }, {}],
        ['invalid_client', { client_id, client_secret: secret }, {}],
        ['invalid_client', {}, basic(client_id, 'wrong')],
        ['invalid_client', {}, { authorization: `Bearer ${secret}` }],
        ['invalid_request', { client_secret: secret }, basic(client_id, secret)],
      ],
      (more, headers) => revoke(baseUrl, { token: tokens.access_token, ...more }, headers),
    );
    assertDone(await revoke(baseUrl, { token: 'x' }, basic(client_id, secret)));
    assert.equal(await mcpStatus(server.mcpUrl, tokens.access_token), 200);
  }));

test('a request that is not a plain form, or repeats a parameter, is refused', () =>
  withServer({}, async ({ relay, baseUrl, server }) => {
    const { client, tokens } = await connect(relay);
    const form = { token: tokens.access_token, client_id: client.client_id };
    const plain = new URLSearchParams(form).toString();
    for (const again of ['token=x', 'client_id=x', 'token_type_hint=a&token_type_hint=b', 'x=1&x=2']) {
      assert.equal(refusal(await revoke(baseUrl, `${plain}&${again}`)), '400 invalid_request', again);
    }
    const { client_id } = client;
    assert.equal(refusal(await revoke(baseUrl, { client_id })), '400 invalid_request');
    const asJson = { 'content-type': 'application/json' };
    assert.equal(refusal(await revoke(baseUrl, plain, asJson)), '415 invalid_request');
    const get = await send(`${baseUrl}/oauth/revoke?${plain}`);
    assert.deepEqual([get.status, get.headers.allow], [405, 'POST']);
    const foreign = await revoke(baseUrl, form, { origin: 'https://example.org' });
    assert.equal(foreign.status, 403);
    assert.equal(await mcpStatus(server.mcpUrl, tokens.access_token), 200);
  }));

test('while the state cannot be saved, the client gets temporarily_unavailable', () =>
  withServer({}, async ({ relay, baseUrl, server }) => {
    const { client, tokens } = await connect(relay);
    const form = { token: tokens.refresh_token, client_id: client.client_id };
    const unsaved = await whileUnsaved(relay, () => revoke(baseUrl, form));
    assert.equal(refusal(unsaved), '503 temporarily_unavailable');
    assertDone(await revoke(baseUrl, form));
    assert.equal(await mcpStatus(server.mcpUrl, tokens.access_token), 401);
  }));
