/** Logins and tokens of the simulated Spotify. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeForm, logIn, send, token, withProvider } from './withProvider.ts';

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
