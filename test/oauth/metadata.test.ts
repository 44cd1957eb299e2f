import assert from 'node:assert/strict';
import { test } from 'node:test';
import { send } from '../support/http.ts';
import { NAMES } from '../support/loopback.ts';
import { json, register } from './clients.ts';
import { withServer } from './withServer.ts';

const AS = '/.well-known/oauth-authorization-server';

const METHODS = ['none', 'client_secret_basic', 'client_secret_post'];

function expected(base: string) {
  return {
    issuer: base,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    registration_endpoint: `${base}/oauth/register`,
    revocation_endpoint: `${base}/oauth/revoke`,
    scopes_supported: ['relay'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: METHODS,
    revocation_endpoint_auth_methods_supported: METHODS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${base}/`,
  };
}

test('both documents are built for the host that was dialled', () =>
  withServer({}, async ({ baseUrl }) => {
    const { port } = new URL(baseUrl);
    for (const name of NAMES) {
      const host = `${name}:${port}`;
      const ask = (path: string) => send(`${baseUrl}${path}`, { headers: { host } });
      assert.deepEqual(json(await ask(AS)), expected(`http://${host}`));
      for (const suffix of ['', '/mcp']) {
        assert.deepEqual(json(await ask(`/.well-known/oauth-protected-resource${suffix}`)), {
          resource: `http://${host}/mcp`,
          authorization_servers: [`http://${host}`],
          resource_name: 'relay for Spotify (unofficial)',
          bearer_methods_supported: ['header'],
          scopes_supported: ['relay'],
        });
      }
    }
  }));

test('with PUBLIC_BASE_URL both documents name that address, whatever was dialled', async () => {
  const env = { PUBLIC_BASE_URL: 'https://relay.example.org', RELAY_PORT: '0' };
  await withServer({ env }, async ({ server }) => {
    assert.deepEqual(json(await send(`${server.localUrl}${AS}`)), expected('https://relay.example.org'));
  });
});

test('pages of any origin may read the metadata, and clients may name any protocol version', () =>
  withServer({}, async ({ baseUrl }) => {
    const headers = { origin: 'https://example.org', 'mcp-protocol-version': '2024-11-05' };
    const answer = await send(`${baseUrl}${AS}`, { headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['access-control-allow-origin'], '*');
    assert.match(String(answer.headers['content-type']), /^application\/json/);
    const preflight = await send(`${baseUrl}${AS}`, { method: 'OPTIONS', headers });
    assert.equal(preflight.status, 204);
    // This is no OpenID provider.
    assert.equal((await send(`${baseUrl}/.well-known/openid-configuration`)).status, 404);
  }));

test('with registration off the endpoint is neither advertised nor there', () =>
  withServer({ env: { MCP_OAUTH_DCR_ENABLED: 'false' } }, async ({ baseUrl }) => {
    const { registration_endpoint: _, ...rest } = expected(baseUrl);
    assert.deepEqual(json(await send(`${baseUrl}${AS}`)), rest);
    assert.equal((await register(baseUrl, { redirect_uris: ['http://localhost/cb'] })).status, 404);
  }));
