import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OAuthClient } from '../../src/oauth/client.ts';
import { checkAuthorizeRequest } from '../../src/oauth/policy/authorize.ts';
import { DAY } from '../support/clock.ts';
import { send } from '../support/http.ts';
import { answerOf, approve } from '../support/ownerBrowser.ts';
import { authorizeUrl, CHALLENGE, newClient, REDIRECT, VERIFIER } from './clients.ts';
import { codeForm, connect, exchanged } from './tokens.ts';
import { withServer } from './withServer.ts';

/** Requests that end on a page, since the address to redirect to cannot be trusted. */
const ON_A_PAGE: Array<[what: string, parameters: Record<string, string | string[] | null>]> = [
  ['no client', {}],
  ['an unknown client', { client_id: 'stranger' }],
  ['an unregistered redirect URI', { client_id: 'OURS', redirect_uri: 'http://127.0.0.1:7777/other' }],
  ['another host', { client_id: 'OURS', redirect_uri: 'https://evil.example/callback' }],
  ['another loopback name', { client_id: 'OURS', redirect_uri: 'http://localhost:7777/callback' }],
  ['a fragment', { client_id: 'OURS', redirect_uri: `${REDIRECT}#x` }],
  ['a script', { client_id: 'OURS', redirect_uri: 'javascript:alert(1)' }],
  ['two redirect URIs', { client_id: 'OURS', redirect_uri: [REDIRECT, 'https://evil.example/'] }],
  ['the same redirect URI twice', { client_id: 'OURS', redirect_uri: [REDIRECT, REDIRECT] }],
  ['two clients', { client_id: ['OURS', 'stranger'] }],
];

test('without a trustworthy client and redirect URI there is a page and no redirect', () =>
  withServer({}, async ({ baseUrl }) => {
    const { client_id } = await newClient(baseUrl);
    for (const [what, parameters] of ON_A_PAGE) {
      const url = authorizeUrl(baseUrl, parameters).replaceAll('OURS', client_id);
      const answer = await send(url);
      assert.equal(answer.status, 400, what);
      assert.equal(answer.headers.location, undefined, what);
      assert.match(String(answer.headers['content-type']), /^text\/html/, what);
      assert.match(answer.text, /This client cannot be connected/, what);
      assert.doesNotMatch(answer.text, /evil\.example|javascript:|<form/, what);
    }
  }));

test('a registered redirect URI that relay would refuse to register now is not redirected to', () => {
  for (const uri of ['https://app.example/cb', 'ms-msdt:/id', 'intent://x/', 'myapp://x', 'javascript:x//']) {
    const client = { redirectUris: [uri], source: 'added' } as unknown as OAuthClient;
    for (const asked of ['', `&redirect_uri=${encodeURIComponent(uri)}`]) {
      const parameters = new URLSearchParams(`client_id=old${asked}`);
      const check = checkAuthorizeRequest(parameters, () => client, { resource: '', origins: [] });
      assert.ok(!check.ok);
      assert.equal(check.returnTo !== null, uri.startsWith('https:'), uri);
    }
  }
});

const BY_REDIRECT: Array<[error: string, parameters: Record<string, string | string[] | null>]> = [
  ['invalid_request', { response_type: null }],
  ['unsupported_response_type', { response_type: 'token' }],
  ['invalid_request', { response_mode: 'fragment' }],
  ['invalid_request', { code_challenge: null, code_challenge_method: null }],
  ['invalid_request', { code_challenge: VERIFIER, code_challenge_method: 'plain' }],
  ['invalid_request', { code_challenge_method: null }],
  ['invalid_request', { code_challenge: `${CHALLENGE}x` }],
  ['invalid_request', { scope: ['relay', 'relay'] }],
  ['invalid_request', { unknown: ['a', 'b'] }],
  ['invalid_request', { state: ['a', 'b'] }],
  ['invalid_request', { state: 'a\nb' }],
  ['invalid_request', { state: 'café' }],
  ['invalid_target', { resource: 'https://other.example/mcp' }],
  ['invalid_target', { resource: 'BASE' }],
  ['invalid_target', { resource: 'BASE/mcp/other' }],
  ['invalid_target', { resource: 'BASE/mcp#x' }],
  ['invalid_target', { resource: 'http://127.0.0.1:1/mcp' }],
  ['invalid_target', { resource: 'http://user@127.0.0.1/mcp' }],
  ['invalid_target', { resource: 'mailto:some one' }],
];

test('a malformed request goes back to a client that was approved, with state and issuer; of any other it ends on a page', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const { client } = await connect(relay);
    const stranger = await newClient(baseUrl);
    for (const [error, parameters] of BY_REDIRECT) {
      const given = JSON.parse(JSON.stringify(parameters).replaceAll('BASE', baseUrl));
      const ask = ({ client_id }: typeof client) => send(authorizeUrl(baseUrl, { client_id, ...given }));
      const redirected = await ask(client);
      const { error_description, ...rest } = answerOf(redirected);
      assert.ok(error_description, JSON.stringify(given));
      // A state that is repeated or malformed does not go back.
      const state = 'state' in given ? {} : { state: 'some state' };
      assert.deepEqual(rest, { error, ...state, iss: baseUrl }, JSON.stringify(given));
      assert.ok(String(redirected.headers.location).startsWith(`${REDIRECT}?`));
      const page = await ask(stranger);
      assert.deepEqual([page.status, page.headers.location], [400, undefined], JSON.stringify(given));
      assert.ok(page.text.includes(`Error: <code>${error}</code>`), page.text);
      assert.doesNotMatch(page.text, /<form/);
    }
  }));

test('relay remembers that a client was approved for as long as the client is registered', () =>
  withServer({}, async ({ relay, clock }) => {
    const { client } = await connect(relay);
    const { client_id } = client;
    const waiting = await newClient(relay.baseUrl);
    // This client is approved and never comes for its code.
    await approve(relay, waiting.client_id);
    clock.advance(100 * DAY);
    // An approval deletes earlier ones whose code was never exchanged.
    await connect(relay, { client_name: 'Other' });
    await relay.restart();
    for (const id of [client_id, waiting.client_id]) {
      const answer = await send(authorizeUrl(relay.baseUrl, { client_id: id, response_type: 'x' }));
      assert.equal(answerOf(answer).error, 'unsupported_response_type');
    }
  }));

test('a query in the redirect URI stays, and the issuer is the host that was dialled', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const redirect = 'https://app.example/callback?tenant=a%20b';
    const { client_id } = await newClient(baseUrl, { redirect_uris: [redirect] });
    await approve(relay, client_id, { redirect_uri: redirect });
    const host = `localhost:${new URL(baseUrl).port}`;
    const url = authorizeUrl(baseUrl, { client_id, redirect_uri: redirect, response_type: 'x' });
    const answer = await send(url, { headers: { host } });
    assert.equal(answerOf(answer).iss, `http://${host}`);
    assert.ok(String(answer.headers.location).startsWith(`${redirect}&error=unsupported_response_type&`));
  }));

test('a client gets its code at any port of its loopback address, as Claude Code and VS Code need it', () =>
  withServer({}, async ({ relay, baseUrl }) => {
    const redirect_uris = ['https://vscode.dev/redirect', 'http://127.0.0.1:33418/', 'http://localhost/cb'];
    const client = await newClient(baseUrl, { redirect_uris });
    for (const redirect_uri of ['http://127.0.0.1:51234/', 'http://localhost:49321/cb', redirect_uris[0]]) {
      const code = await approve(relay, client.client_id, { redirect_uri: redirect_uri ?? null });
      await exchanged(baseUrl, { ...codeForm(client, code), redirect_uri: redirect_uri ?? '' });
    }
  }));
