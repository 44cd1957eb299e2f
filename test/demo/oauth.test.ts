/** Logins and tokens of the simulated Spotify. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY } from '../support/clock.ts';
import {
  authorizeUrl,
  codeForm,
  logIn,
  REDIRECT_URI,
  send,
  token,
  USUAL_SCOPES,
  visit,
  withProvider,
} from './withProvider.ts';

test('a login ends on the redirect URI with a code and the state, and the code gives tokens once', () =>
  withProvider(async ({ provider, clock }) => {
    const { status, location } = await visit(authorizeUrl(provider));
    assert.deepEqual([status, `${location?.origin}${location?.pathname}`], [302, REDIRECT_URI]);
    assert.equal(location?.searchParams.get('state'), 'the-state');
    const form = await codeForm(provider);
    const { access_token, refresh_token, ...rest } = (await token(provider, form)).json;
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: USUAL_SCOPES });
    assert.notEqual(access_token, refresh_token);
    assert.equal((await send(`${provider.apiUrl}/me`, 'GET', access_token)).json.id, 'demo.listener');
    assert.equal((await token(provider, form)).json.error_description, 'Invalid authorization code');
    const late = await codeForm(provider);
    clock.move(10 * 60_000);
    assert.equal((await token(provider, late)).json.error_description, 'Authorization code expired');
  }));

/** Changes to a correct request, and what the page says or the redirect carries. */
const REFUSED: Array<[changes: Record<string, string | null>, page: string | null, error: string | null]> = [
  [{ client_id: 'someone' }, 'INVALID_CLIENT: Invalid client', null],
  [{ redirect_uri: 'https://example.org/callback' }, 'INVALID_CLIENT: Invalid redirect URI', null],
  [{ redirect_uri: 'http://localhost:4980/cb' }, 'INVALID_CLIENT: Insecure redirect URI', null],
  [{ response_type: 'token' }, null, 'unsupported_response_type'],
  [{ scope: 'user-read-private everything' }, null, 'invalid_scope'],
  [{ code_challenge: null }, null, 'invalid_request'],
  [{ code_challenge_method: 'plain' }, null, 'invalid_request'],
];

test('/authorize shows a page for a client or redirect URI it does not know, and else redirects with the error', () =>
  withProvider(async ({ provider }) => {
    for (const [changes, page, error] of REFUSED) {
      const { status, location, text } = await visit(authorizeUrl(provider, changes));
      const what = JSON.stringify(changes);
      assert.equal(status, page === null ? 302 : 400, what);
      if (page !== null) assert.ok(text.includes(page), what);
      const sent = location && Object.fromEntries(location.searchParams);
      assert.deepEqual(sent, error && { error, state: 'the-state' }, what);
    }
    provider.denyNextLogin();
    const { location } = await visit(authorizeUrl(provider));
    assert.equal(location?.search, '?error=access_denied&state=the-state');
  }));

/** Changes to a correct token request, and the answer. */
const BAD_EXCHANGES: Array<[changes: Record<string, string>, error: string, description: string]> = [
  [{ code_verifier: 'x'.repeat(50) }, 'invalid_grant', 'code_verifier was incorrect'],
  [{ redirect_uri: 'http://127.0.0.1:1/x' }, 'invalid_grant', 'Invalid redirect URI'],
  [{ client_id: 'someone' }, 'invalid_client', 'Invalid client'],
];

test('a code is redeemed only by the client that asked for it, with its verifier and redirect URI', () =>
  withProvider(async ({ provider }) => {
    for (const [changes, error, error_description] of BAD_EXCHANGES) {
      const { status, json } = await token(provider, { ...(await codeForm(provider)), ...changes });
      assert.deepEqual({ status, json }, { status: 400, json: { error, error_description } });
    }
  }));

const refreshForm = (client_id: string, refresh_token: string) => ({
  grant_type: 'refresh_token',
  refresh_token,
  client_id,
});

test('a refresh gives an access token, and with rotation a new refresh token that voids the old one', async () => {
  await withProvider(async ({ provider }) => {
    const { refresh_token } = await logIn(provider, 'user-top-read');
    const { access_token, ...rest } = (await token(provider, refreshForm(provider.clientId, refresh_token)))
      .json;
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'user-top-read' });
    assert.equal((await send(`${provider.apiUrl}/me/top/tracks`, 'GET', access_token)).status, 200);
  });
  await withProvider(
    async ({ provider }) => {
      const refresh = async (text: string) =>
        (await token(provider, refreshForm(provider.clientId, text))).json;
      const first = (await logIn(provider)).refresh_token;
      const second = (await refresh(first)).refresh_token;
      assert.notEqual(second, first);
      const revoked = { error: 'invalid_grant', error_description: 'Refresh token revoked' };
      assert.deepEqual(await refresh(first), revoked);
      assert.equal((await refresh(second)).error, undefined);
    },
    { rotateRefreshTokens: true },
  );
});

test('logins end: after six months, when revoked, and access tokens when they expire', () =>
  withProvider(async ({ provider, clock }) => {
    const said = async (text: string) =>
      (await token(provider, refreshForm(provider.clientId, text))).json.error_description;
    const me = async (access: string) => (await send(`${provider.apiUrl}/me`, 'GET', access)).status;
    const first = await logIn(provider);
    assert.deepEqual(
      [await said('garbage'), await said(first.refresh_token)],
      ['Invalid refresh token', undefined],
    );
    clock.move(3_599_000);
    assert.equal(await me(first.access_token), 200);
    clock.move(1_000);
    assert.equal(await me(first.access_token), 401);
    clock.move(182 * DAY);
    assert.equal(await said(first.refresh_token), 'Refresh token expired');
    const second = await logIn(provider);
    provider.expireAccessTokens();
    assert.equal(await me(second.access_token), 401);
    provider.revokeRefreshTokens();
    assert.equal(await said(second.refresh_token), 'Refresh token revoked');
  }));
