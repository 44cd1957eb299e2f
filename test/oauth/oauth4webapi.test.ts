/** An independent, strict client library checks relay's answers by the RFCs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as oauth from 'oauth4webapi';
import { ownerBrowser } from '../support/ownerBrowser.ts';
import type { Relay } from '../support/world.ts';
import { REDIRECT } from './clients.ts';
import { mcpStatus } from './tokens.ts';
import { withServer } from './withServer.ts';

/** The library allows plain http only with this option; the server is on loopback. */
const LOOPBACK = { [oauth.allowInsecureRequests]: true };

type Method = 'none' | 'client_secret_basic' | 'client_secret_post';

interface Session {
  as: oauth.AuthorizationServer;
  client: oauth.Client;
  auth: oauth.ClientAuth;
}

async function discover({ server, baseUrl }: Relay): Promise<oauth.AuthorizationServer> {
  const mcpUrl = new URL(server.mcpUrl);
  const resource = await oauth.processResourceDiscoveryResponse(
    mcpUrl,
    await oauth.resourceDiscoveryRequest(mcpUrl, LOOPBACK),
  );
  const [issuer = ''] = resource.authorization_servers ?? [];
  assert.equal(issuer, baseUrl);
  const answer = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...LOOPBACK });
  return oauth.processDiscoveryResponse(new URL(issuer), answer);
}

async function registered(relay: Relay, method: Method): Promise<Session> {
  const as = await discover(relay);
  const metadata = {
    client_name: 'Referee',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: method,
  };
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(as, metadata, LOOPBACK),
  );
  const secret = String(client.client_secret);
  const auth = {
    none: () => oauth.None(),
    client_secret_basic: () => oauth.ClientSecretBasic(secret),
    client_secret_post: () => oauth.ClientSecretPost(secret),
  }[method]();
  return { as, client, auth };
}

/** Sends the owner's browser to the approval page. Returns the answer, and what the client has to remember of the request. */
async function authorize(relay: Relay, { as, client }: Session, decision: 'approve' | 'deny' = 'approve') {
  const state = oauth.generateRandomState();
  const verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(as.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...{ scope: 'relay', state, resource: relay.server.mcpUrl },
  }).toString();
  const browser = ownerBrowser(relay.baseUrl);
  const page = await browser.open(url.href);
  const answer = await browser.submit(page, decision, { owner_code: relay.server.ownerCode ?? '' });
  const location = new URL(String(answer.headers.location));
  return { verifier, location, parameters: () => oauth.validateAuthResponse(as, client, location, state) };
}

async function exchange(session: Session, { parameters, verifier }: Awaited<ReturnType<typeof authorize>>) {
  const { as, client, auth } = session;
  const credentials = [parameters(), REDIRECT, verifier] as const;
  const answer = await oauth.authorizationCodeGrantRequest(as, client, auth, ...credentials, LOOPBACK);
  return oauth.processAuthorizationCodeResponse(as, client, answer);
}

async function refresh({ as, client, auth }: Session, token: string | undefined) {
  const request = oauth.refreshTokenGrantRequest(as, client, auth, token ?? '', LOOPBACK);
  return oauth.processRefreshTokenResponse(as, client, await request);
}

const isInvalidGrant = (error: unknown) =>
  error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant' && error.status === 400;

for (const method of ['none', 'client_secret_basic', 'client_secret_post'] as const) {
  test(`${method}: discovery, registration, code, refresh, reuse, replay and revocation`, () =>
    withServer({}, async ({ relay, clock }) => {
      const session = await registered(relay, method);
      const tokens = await exchange(session, await authorize(relay, session));
      assert.deepEqual([tokens.token_type, tokens.expires_in, tokens.scope], ['bearer', 3600, 'relay']);
      assert.equal(await mcpStatus(relay.server.mcpUrl, tokens.access_token), 200);

      const second = await refresh(session, tokens.refresh_token);
      clock.advance(60_001);
      await assert.rejects(refresh(session, tokens.refresh_token), isInvalidGrant);
      await assert.rejects(refresh(session, second.refresh_token), isInvalidGrant);

      const again = await authorize(relay, session);
      const fresh = await exchange(session, again);
      const refreshed = await refresh(session, fresh.refresh_token);
      await assert.rejects(exchange(session, again), isInvalidGrant);
      for (const one of [fresh, refreshed]) {
        assert.equal(await mcpStatus(relay.server.mcpUrl, one.access_token), 401);
        await assert.rejects(refresh(session, one.refresh_token), isInvalidGrant);
      }

      const { refresh_token = '', access_token } = await exchange(session, await authorize(relay, session));
      const { as, client, auth } = session;
      const answer = await oauth.revocationRequest(as, client, auth, refresh_token, LOOPBACK);
      await oauth.processRevocationResponse(answer);
      assert.equal(await mcpStatus(relay.server.mcpUrl, access_token), 401);
    }));
}

test('the library accepts the issuer in the answer and no other, and reads refusals and the challenge of /mcp', () =>
  withServer({}, async ({ relay }) => {
    const session = await registered(relay, 'none');
    const { location, parameters } = await authorize(relay, session);
    location.searchParams.set('iss', 'http://127.0.0.1:1');
    assert.throws(parameters);
    const denied = await authorize(relay, session, 'deny');
    assert.throws(denied.parameters, { name: 'AuthorizationResponseError', error: 'access_denied' });
    const url = new URL(relay.server.mcpUrl);
    const headers = new Headers({ 'content-type': 'application/json' });
    const request = oauth.protectedResourceRequest('made-up', 'POST', url, headers, '{}', LOOPBACK);
    await assert.rejects(request, (error) => {
      assert.ok(error instanceof oauth.WWWAuthenticateChallengeError);
      const told = error.cause.map(({ scheme, parameters: { error, scope } }) => [scheme, error, scope]);
      assert.deepEqual(told, [['bearer', 'invalid_token', 'relay']]);
      return true;
    });
  }));
