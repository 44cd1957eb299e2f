import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf } from '../../src/base/digest.ts';
import { isRegisteredRedirectUri } from '../../src/oauth/policy/redirectUri.ts';
import { DAY, MINUTE } from '../support/clock.ts';
import { send } from '../support/http.ts';
import { approve } from '../support/ownerBrowser.ts';
import type { Relay } from '../support/world.ts';
import { authorizeUrl, json, newClient, REDIRECT, register } from './clients.ts';
import { connect, postForm, refusal } from './tokens.ts';
import { stateText, withServer } from './withServer.ts';

const clientNames = async ({ server }: Relay) =>
  (await server.local.listClients()).clients.map(({ name }) => name);

test('a public client gets an ID and the metadata that was accepted; one that names no method gets a secret too', () =>
  withServer({}, async ({ baseUrl, clock }) => {
    const answer = await register(baseUrl, {
      client_name: 'Story client',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      scope: 'openid profile',
      software_id: 'ignored',
    });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers['cache-control'], 'no-store');
    const { client_id, ...rest } = json(answer);
    assert.match(String(client_id), /^[\w-]{22}$/);
    assert.deepEqual(rest, {
      client_id_issued_at: clock.now() / 1000,
      client_name: 'Story client',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'relay',
    });
    const confidential = json(await register(baseUrl, { redirect_uris: [REDIRECT] }));
    assert.match(String(confidential.client_secret), /^[\w-]{43}$/);
    const { client_secret_expires_at, token_endpoint_auth_method } = confidential;
    assert.deepEqual([client_secret_expires_at, token_endpoint_auth_method], [0, 'client_secret_basic']);
  }));

const BAD_URIS = [
  'java\nscript:alert(1)',
  'https://example.org/a b',
  'https://example.org/\r\nset-cookie:x=1',
  `https://example.org/${'x'.repeat(2000)}`,
  ...`
    javascript:alert(1) JavaScript:alert(1)//http://127.0.0.1/ data:text/html,x file:///etc/passwd blob:https://example.org/1
    about:blank vbscript:x view-source:https://example.org/ ws://127.0.0.1/ MS-MSDT:/id search-ms:query=x ms-settings:
    shell:startup intent://x/ mailto:x@example.org x-apple.systempreferences:com.apple.x microsoft.windows.camera:
    myapp://callback 1.example:/cb com.:/cb com.example.app:/cb#x com.example.app://user@host/cb com.example.app://@host/cb
    cursor://user:pass@anysphere.cursor-mcp/oauth/callback
    http://example.org/cb http://127.0.0.1.example.org/cb http://localhost@example.org/cb http://:@127.0.0.1/cb
    https://trusted.example@evil.example/cb https://@example.org/cb https://example.org/cb#fragment https://example.org/cb#
    https:example.org/cb https://example.org\\@evil.example/ //example.org/cb /cb`
    .trim()
    .split(/\s+/),
].map((uri) => [uri]);
const NO_URIS = [undefined, [], 'http://127.0.0.1/cb', [7], ['http://127.0.0.1/cb', 'javascript:alert(1)']];

test('what cannot be a safe redirect URI refuses the whole registration', () =>
  withServer({}, async ({ baseUrl, clock }) => {
    for (const redirect_uris of [...BAD_URIS, ...NO_URIS]) {
      // Each try counts for the limit of registrations.
      clock.advance(MINUTE);
      const answer = await register(baseUrl, { redirect_uris });
      assert.equal(refusal(answer), '400 invalid_redirect_uri', JSON.stringify(redirect_uris));
    }
  }));

test('no client is sent back to a page of relay itself', async () => {
  const env = { PUBLIC_BASE_URL: 'https://relay.example.org' };
  await withServer({ env }, async ({ server: { local, localUrl } }) => {
    const { port } = new URL(localUrl);
    const own = [
      ...['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'].map((name) => `http://${name}:${port}`),
      ...['', ':443', '.'].map((rest) => `https://Relay.example.org${rest}`),
    ];
    for (const origin of own) {
      const answer = await register(localUrl, { redirect_uris: [REDIRECT, `${origin}/cb?x=1`] });
      assert.equal(refusal(answer), '400 invalid_redirect_uri', origin);
    }
    const mine = { name: 'Loop', redirectUris: ['https://relay.example.org/cb'], secret: null };
    await assert.rejects(local.addClient(mine), { code: 'USAGE', message: /It leads to this server itself/ });
    // A loopback URI is registered for every port, so without a check it would also stand for relay's own port.
    const path = '/auth/provider/login';
    const redirect_uris = [`http://127.0.0.1${path}`, 'https://relay.example.org:8443/cb'];
    const { client_id } = await newClient(localUrl, { redirect_uris });
    const asked = (redirect_uri: string) => send(authorizeUrl(localUrl, { client_id, redirect_uri }));
    const refused = await asked(`http://127.0.0.1:${port}${path}`);
    assert.deepEqual([refused.status, refused.headers.location], [400, undefined]);
    assert.match(refused.text, /This client cannot be connected/);
    assert.doesNotMatch(refused.text, /<form/);
    assert.equal((await asked(`http://127.0.0.1:${Number(port) - 1}${path}`)).status, 200);
    assert.equal((await asked('https://relay.example.org:8443/cb')).status, 200);
  });
});

test('an app may be called back through a reversed domain name, or the scheme of a known client', () =>
  withServer({}, async ({ baseUrl }) => {
    const redirect_uris = `
      com.example.app:/oauth/callback org.example-1.app://callback?x=1 claude://callback
      cursor://anysphere.cursor-mcp/oauth/callback vscode://publisher.extension/cb vscode-insiders://publisher.extension/cb
      windsurf://cb goose://oauth/callback kiro://kiro.oauth/callback lmstudio://oauth
      raycast://oauth?package_name=Extension warp://mcp/oauth2callback zed://cb`
      .trim()
      .split(/\s+/);
    assert.deepEqual((await newClient(baseUrl, { redirect_uris })).redirect_uris, redirect_uris);
  }));

const BAD_METADATA: unknown[] = [
  null,
  [],
  'text',
  { redirect_uris: [REDIRECT], client_name: 7 },
  { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'private_key_jwt' },
  { redirect_uris: [REDIRECT], grant_types: ['client_credentials'] },
  { redirect_uris: [REDIRECT], grant_types: ['refresh_token'] },
  { redirect_uris: [REDIRECT], response_types: ['token'] },
];

test('metadata that cannot be served, is not JSON, of another type or too large is refused in the form of OAuth', () =>
  withServer({}, async ({ baseUrl }) => {
    const post = async (type: string, body: string) =>
      refusal(await postForm(`${baseUrl}/oauth/register`, body, { 'content-type': type }));
    for (const body of ['{', ...BAD_METADATA.map((metadata) => JSON.stringify(metadata))])
      assert.equal(await post('application/json', body), '400 invalid_client_metadata', body);
    assert.equal(await post('text/plain', '{}'), '415 invalid_client_metadata');
    const large = `"${'x'.repeat(1024 * 1024)}"`;
    assert.equal(await post('application/json', large), '413 invalid_client_metadata');
    const uris = (count: number, length: number) =>
      Array.from({ length: count }, (_, n) => `http://127.0.0.1/${n}${'x'.repeat(length)}`);
    await newClient(baseUrl, { redirect_uris: uris(20, 100) });
    await newClient(baseUrl, { redirect_uris: [...uris(1, 1_900), ...uris(1, 1_900)] });
    const over = await register(baseUrl, { redirect_uris: uris(20, 110) });
    assert.equal(refusal(over), '400 invalid_redirect_uri');
  }));

test('twenty registrations a minute from one address, then 429 until the minute is over', () =>
  withServer({}, async ({ baseUrl, clock }) => {
    for (let count = 0; count < 20; count++) await newClient(baseUrl);
    clock.advance(20_000);
    const refused = await register(baseUrl, { redirect_uris: [REDIRECT] });
    assert.equal(refusal(refused), '429 temporarily_unavailable');
    assert.equal(refused.headers['retry-after'], '40');
    clock.advance(40_000);
    await newClient(baseUrl);
  }));

test('at most 200 registrations: the oldest that never got a token makes room, one with a token stays', () =>
  withServer({}, async ({ relay, baseUrl, clock }) => {
    const names = () => clientNames(relay);
    await connect(relay, { client_name: 'used' });
    clock.advance(MINUTE);
    await newClient(baseUrl, { client_name: 'oldest unused' });
    clock.advance(MINUTE);
    for (let count = 0; count < 198; count++) {
      if (count % 20 === 19) clock.advance(MINUTE);
      await newClient(baseUrl, { client_name: `other ${count}` });
    }
    assert.equal((await names()).length, 200);
    clock.advance(MINUTE);
    await newClient(baseUrl, { client_name: 'newcomer' });
    const left = await names();
    const ends = [left.length, left[0], left.at(-1), left.includes('oldest unused')];
    assert.deepEqual(ends, [200, 'used', 'newcomer', false]);
  }));

test('a client that held a token is kept for twelve months after its last use, its expired tokens are not', () =>
  withServer({}, async ({ relay, clock }) => {
    const { tokens } = await connect(relay, { client_name: 'once used' });
    const names = () => clientNames(relay);
    const isStored = async () => (await stateText(relay)).includes(hashOf(tokens.refresh_token));
    assert.equal(await isStored(), true);
    clock.advance(30 * DAY);
    await connect(relay, { client_name: 'another' });
    assert.equal(await isStored(), false);
    clock.advance(335 * DAY);
    assert.deepEqual((await names()).sort(), ['another', 'once used']);
    clock.advance(1);
    assert.deepEqual(await names(), ['another']);
  }));

test('a registration that was never approved is dropped after a day', () =>
  withServer({}, async ({ relay, baseUrl, clock }) => {
    const names = () => clientNames(relay);
    const approved = await newClient(baseUrl, { client_name: 'approved' });
    // The client never comes for its code.
    await approve(relay, approved.client_id);
    const idle = await newClient(baseUrl, { client_name: 'idle' });
    clock.advance(DAY);
    assert.deepEqual((await names()).sort(), ['approved', 'idle']);
    assert.equal((await send(authorizeUrl(baseUrl, { client_id: idle.client_id }))).status, 200);
    clock.advance(1);
    assert.deepEqual(await names(), ['approved']);
    const page = await send(authorizeUrl(baseUrl, { client_id: idle.client_id }));
    assert.deepEqual([page.status, page.text.includes('relay does not know this client')], [400, true]);
    await newClient(baseUrl, { client_name: 'next' });
    const state = await stateText(relay);
    assert.deepEqual(
      [approved, idle].map(({ client_id }) => state.includes(client_id)),
      [true, false],
    );
  }));

const MATCHES: Array<[registered: string, requested: string, matches: boolean]> = [
  ['https://example.org/cb', 'https://example.org/cb', true],
  ['https://example.org/cb', 'https://example.org/cb/', false],
  ['https://example.org/cb', 'https://example.org/cb?x=1', false],
  ['https://example.org/cb', 'https://example.org:444/cb', false],
  ['https://example.org/cb', 'https://EXAMPLE.org/cb', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:51234/cb', true],
  ['http://127.0.0.1:33418/', 'http://127.0.0.1:50000/', true],
  ['http://127.0.0.1:33418', 'http://127.0.0.1:50000/', true],
  ['http://localhost/callback', 'http://localhost:3118/callback', true],
  ['http://[::1]/cb', 'http://[::1]:9/cb', true],
  ['http://127.0.0.1/cb', 'http://localhost/cb', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:1/cb?next=x', false],
  ['http://127.0.0.1/cb?a=1', 'http://127.0.0.1:1/cb?a=1', true],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:1/cb#x', false],
  ['http://127.0.0.1/', 'http://127.0.0.1:1@evil.example/', false],
  ['http://127.0.0.1/', 'http://127.0.0.1.evil.example/', false],
  ['http://127.0.0.1/cb', 'https://127.0.0.1/cb', false],
  ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor://anysphere.cursor-mcp/oauth/callback', true],
  ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor://other/oauth/callback', false],
];

test('redirect URIs match exactly, except for the port of a loopback URI', () => {
  for (const [registered, requested, matches] of MATCHES) {
    assert.equal(isRegisteredRedirectUri([registered], requested), matches, `${registered} ~ ${requested}`);
  }
});
