import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY } from '../support/clock.ts';
import {
  authorizeUrl,
  codeFor,
  codeForm,
  logIn,
  REDIRECT_URI,
  token,
  USUAL_SCOPES,
  VERIFIER,
} from './login.ts';
import { send, visit } from './web.ts';
import { withProvider } from './withProvider.ts';

const TEN_MINUTES = 10 * 60_000;

test('a login ends on the redirect URI with a code and the state, and the code gives tokens', () =>
  withProvider(async ({ provider }) => {
    const { status, location } = await visit(authorizeUrl(provider));
    assert.equal(status, 302);
    assert.equal(`${location?.origin}${location?.pathname}`, REDIRECT_URI);
    assert.equal(location?.searchParams.get('state'), 'the-state');
    const reply = await token(provider, codeForm(provider, location?.searchParams.get('code') ?? ''));
    const { access_token, refresh_token, ...rest } = reply.json;
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: USUAL_SCOPES });
    assert.notEqual(access_token, refresh_token);
    assert.equal((await send(`${provider.apiUrl}/me`, 'GET', access_token)).json.id, 'demo.listener');
  }));

/** Requests that end on a page and never on the redirect URI. */
const REFUSED_BY_PAGE: [string, Record<string, string | null>, string][] = [
  ['an unknown client', { client_id: 'someone' }, 'INVALID_CLIENT: Invalid client'],
  ['no client', { client_id: null }, 'INVALID_CLIENT: Invalid client'],
  ['no redirect URI', { redirect_uri: null }, 'INVALID_CLIENT: Invalid redirect URI'],
  ['another site', { redirect_uri: 'https://example.org/callback' }, 'INVALID_CLIENT: Invalid redirect URI'],
  ['localhost', { redirect_uri: 'http://localhost:4980/cb' }, 'INVALID_CLIENT: Insecure redirect URI'],
  ['plain http', { redirect_uri: 'http://example.org/cb' }, 'INVALID_CLIENT: Insecure redirect URI'],
];

for (const [what, changes, message] of REFUSED_BY_PAGE) {
  test(`/authorize shows a page for ${what}`, () =>
    withProvider(async ({ provider }) => {
      const { status, location, text } = await visit(authorizeUrl(provider, changes));
      assert.deepEqual(
        { status, location, shown: text.includes(message) },
        { status: 400, location: null, shown: true },
      );
    }));
}

const REFUSED_BY_REDIRECT: [string, Record<string, string | null>, string][] = [
  ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ['an unknown scope', { scope: 'user-read-private everything' }, 'invalid_scope'],
  ['no challenge', { code_challenge: null }, 'invalid_request'],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a challenge that is not a SHA-256 hash', { code_challenge: 'short' }, 'invalid_request'],
];

for (const [what, changes, error] of REFUSED_BY_REDIRECT) {
  test(`/authorize sends back ${error} for ${what}`, () =>
    withProvider(async ({ provider }) => {
      const { location } = await visit(authorizeUrl(provider, changes));
      assert.deepEqual(Object.fromEntries(location?.searchParams ?? []), { error, state: 'the-state' });
    }));
}

test('a denied login ends with access_denied, and the next one succeeds', () =>
  withProvider(async ({ provider }) => {
    provider.denyNextLogin();
    const { location } = await visit(authorizeUrl(provider));
    assert.equal(location?.search, '?error=access_denied&state=the-state');
    assert.notEqual(await codeFor(provider), '');
  }));

test('the consent page says that it is a demo and can be answered once', () =>
  withProvider(
    async ({ provider }) => {
      const decide = async (ticket: string, decision: string) => {
        const body = new URLSearchParams({ ticket, decision });
        const response = await fetch(`${provider.url}/authorize`, {
          method: 'POST',
          body,
          redirect: 'manual',
        });
        return { status: response.status, location: response.headers.get('location') ?? '' };
      };
      const open = async () => {
        const { text } = await visit(authorizeUrl(provider));
        assert.match(text, /Demo\./);
        return /name="ticket" value="(\w+)"/.exec(text)?.[1] ?? '';
      };
      const ticket = await open();
      assert.match((await decide(ticket, 'approve')).location, /\?code=[\w-]+&state=the-state$/);
      assert.deepEqual(await decide(ticket, 'approve'), { status: 400, location: '' });
      assert.match((await decide(await open(), 'deny')).location, /\?error=access_denied&state=the-state$/);
    },
    { approve: 'page' },
  ));

test('a loopback URI registered without a port matches any port, one with a port only that port', () =>
  withProvider(
    async ({ provider }) => {
      const goes = async (redirect_uri: string) =>
        (await visit(authorizeUrl(provider, { redirect_uri }))).status;
      assert.equal(await goes('http://127.0.0.1:5555/callback'), 302);
      assert.equal(await goes('http://127.0.0.1/callback'), 302);
      assert.equal(await goes('http://127.0.0.1:5555/callback/'), 400);
      assert.equal(await goes('http://[::1]:7777/fixed'), 302);
      assert.equal(await goes('http://[::1]:7778/fixed'), 400);
      assert.equal(await goes('https://example.org/cb'), 302);
    },
    {
      redirectUris: [
        'http://127.0.0.1/callback',
        'http://[::1]:7777/fixed',
        'https://example.org/cb',
        REDIRECT_URI,
      ],
    },
  ));

/** Changes to a correct token request, and the provider's answer. */
const BAD_EXCHANGES: [string, Record<string, string>, string, string][] = [
  ['an unknown code', { code: 'nonsense' }, 'invalid_grant', 'Invalid authorization code'],
  ['another verifier', { code_verifier: 'x'.repeat(50) }, 'invalid_grant', 'code_verifier was incorrect'],
  ['a short verifier', { code_verifier: 'x' }, 'invalid_grant', 'code_verifier was incorrect'],
  ['another redirect URI', { redirect_uri: 'http://127.0.0.1:1/x' }, 'invalid_grant', 'Invalid redirect URI'],
  ['an unknown client', { client_id: 'someone' }, 'invalid_client', 'Invalid client'],
];

for (const [what, changes, error, error_description] of BAD_EXCHANGES) {
  test(`a code is not redeemed with ${what}`, () =>
    withProvider(async ({ provider }) => {
      const form = { ...codeForm(provider, await codeFor(provider)), ...changes };
      const { status, json } = await token(provider, form);
      assert.deepEqual({ status, json }, { status: 400, json: { error, error_description } });
    }));
}

test('a code works once and for ten minutes', () =>
  withProvider(async ({ provider, clock }) => {
    const code = await codeFor(provider);
    assert.equal((await token(provider, codeForm(provider, code))).status, 200);
    const again = await token(provider, codeForm(provider, code));
    assert.deepEqual(again.json, { error: 'invalid_grant', error_description: 'Invalid authorization code' });
    const late = await codeFor(provider);
    clock.move(TEN_MINUTES);
    const expired = await token(provider, codeForm(provider, late));
    assert.deepEqual(expired.json, {
      error: 'invalid_grant',
      error_description: 'Authorization code expired',
    });
  }));

test('a client with a secret may use Basic, with or without PKCE', () =>
  withProvider(
    async ({ provider }) => {
      const basic = (secret: string) => ({
        authorization: `Basic ${Buffer.from(`${provider.clientId}:${secret}`).toString('base64')}`,
      });
      const without = { code_challenge: null, code_challenge_method: null };
      const form = (code: string) => ({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI });
      assert.equal(
        (await token(provider, form(await codeFor(provider, without)), basic('s3cret:&'))).status,
        200,
      );
      const pkce = { ...form(await codeFor(provider)), code_verifier: VERIFIER };
      assert.equal((await token(provider, pkce, basic('s3cret:&'))).status, 200);
      const noVerifier = await token(provider, form(await codeFor(provider)), basic('s3cret:&'));
      assert.equal(noVerifier.json.error, 'invalid_request');
      const wrong = await token(provider, form(await codeFor(provider, without)), basic('guess'));
      assert.deepEqual(wrong.json, { error: 'invalid_client', error_description: 'Invalid client secret' });
      const none = await token(provider, codeForm(provider, await codeFor(provider, without)));
      assert.equal(none.json.error, 'invalid_grant');
    },
    { clientSecret: 's3cret:&' },
  ));

const refreshForm = (clientId: string, refresh_token: string) => ({
  grant_type: 'refresh_token',
  refresh_token,
  client_id: clientId,
});

test('a refresh gives an access token and no new refresh token', () =>
  withProvider(async ({ provider }) => {
    const { refresh_token } = await logIn(provider, 'user-top-read');
    const reply = await token(provider, refreshForm(provider.clientId, refresh_token));
    const { access_token, ...rest } = reply.json;
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'user-top-read' });
    assert.equal((await send(`${provider.apiUrl}/me/top/tracks`, 'GET', access_token)).status, 200);
    assert.equal((await token(provider, refreshForm(provider.clientId, refresh_token))).status, 200);
  }));

test('with rotation, a refresh voids the refresh token that it used', () =>
  withProvider(
    async ({ provider }) => {
      const first = (await logIn(provider)).refresh_token;
      const second = (await token(provider, refreshForm(provider.clientId, first))).json.refresh_token;
      assert.notEqual(second, first);
      const reused = await token(provider, refreshForm(provider.clientId, first));
      assert.deepEqual(reused.json, { error: 'invalid_grant', error_description: 'Refresh token revoked' });
      assert.equal((await token(provider, refreshForm(provider.clientId, second))).status, 200);
    },
    { rotateRefreshTokens: true },
  ));

test('a login ends six months after the consent, refreshed or not', () =>
  withProvider(
    async ({ provider, clock }) => {
      const first = (await logIn(provider)).refresh_token;
      clock.move(180 * DAY);
      const second = (await token(provider, refreshForm(provider.clientId, first))).json.refresh_token;
      clock.move(2 * DAY);
      const late = await token(provider, refreshForm(provider.clientId, second));
      const body = { error: 'invalid_grant', error_description: 'Refresh token expired' };
      assert.deepEqual({ status: late.status, json: late.json }, { status: 400, json: body });
    },
    { rotateRefreshTokens: true },
  ));

test('revoked, expired and unknown refresh tokens have different errors', () =>
  withProvider(async ({ provider }) => {
    const { refresh_token } = await logIn(provider);
    const said = async (text: string) => {
      return (await token(provider, refreshForm(provider.clientId, text))).json.error_description;
    };
    assert.equal(await said('garbage'), 'Invalid refresh token');
    provider.revokeRefreshTokens();
    assert.equal(await said(refresh_token), 'Refresh token revoked');
    const other = (await logIn(provider)).refresh_token;
    provider.revokeRefreshTokens('Refresh token expired');
    assert.equal(await said(other), 'Refresh token expired');
  }));

test('an access token expires with time or on demand', () =>
  withProvider(
    async ({ provider, clock }) => {
      const { access_token } = await logIn(provider);
      const me = async () => (await send(`${provider.apiUrl}/me`, 'GET', access_token)).status;
      clock.move(59_000);
      assert.equal(await me(), 200);
      clock.move(1_000);
      assert.equal(await me(), 401);
      const other = (await logIn(provider)).access_token;
      provider.expireAccessTokens();
      assert.equal((await send(`${provider.apiUrl}/me`, 'GET', other)).status, 401);
    },
    { accessTokenSeconds: 60 },
  ));

test('/api/token accepts forms with a known grant type only', () =>
  withProvider(async ({ provider }) => {
    const client = { client_id: provider.clientId };
    assert.equal((await token(provider, client)).json.error, 'unsupported_grant_type');
    const odd = await token(provider, { ...client, grant_type: 'password' });
    assert.equal(odd.json.error, 'unsupported_grant_type');
    const json = await send(`${provider.url}/api/token`, 'POST', null, client);
    assert.deepEqual(
      { status: json.status, error: json.json.error },
      { status: 400, error: 'invalid_request' },
    );
  }));
