/** Registrations as the clients in use send them, and the redirect URI that each then authorizes with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizeUrl, json, type Registered, register } from './clients.ts';
import { answerOf, ownerBrowser } from './ownerBrowser.ts';
import { basic, codeForm, exchanged, mcpStatus } from './tokens.ts';
import { withServer } from './withServer.ts';

/** What most of them send besides their name and redirect URIs. */
const USUAL = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
};
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
const CURSOR = ['cursor://anysphere.cursor-mcp/oauth/callback', 'http://localhost:8787/callback'];

/** Name, redirect URIs, other metadata, and the redirect URIs that the registered client uses, one after the other. */
const CLIENTS: ReadonlyArray<
  [name: string, redirectUris: string[], metadata: object, authorizesWith: string[]]
> = [
  [
    'Visual Studio Code',
    ['https://vscode.dev/redirect', 'http://127.0.0.1/', 'http://127.0.0.1:33418/'],
    { ...USUAL, grant_types: [...USUAL.grant_types, DEVICE_CODE] },
    ['http://127.0.0.1:33418/', 'http://127.0.0.1:51234/', 'https://vscode.dev/redirect'],
  ],
  ['Cursor', CURSOR, { ...USUAL, application_type: 'web' }, CURSOR],
  ['Claude Code', ['http://localhost:3118/callback'], USUAL, ['http://localhost:49321/callback']],
  ['Codex', ['http://127.0.0.1:45678/callback/4f2a9c'], USUAL, ['http://127.0.0.1:45999/callback/4f2a9c']],
  ['A confidential client', ['https://hosted.example/callback'], {}, ['https://hosted.example/callback']],
];

for (const [name, redirect_uris, metadata, authorizesWith] of CLIENTS) {
  test(`${name} registers and connects`, () =>
    withServer({}, async ({ baseUrl, server }) => {
      const registered = await register(baseUrl, { client_name: name, redirect_uris, ...metadata });
      assert.equal(registered.status, 201, registered.text);
      const client = json(registered) as Registered;
      assert.deepEqual(client.redirect_uris, redirect_uris);
      const browser = ownerBrowser(baseUrl);
      for (const redirect_uri of authorizesWith) {
        const request = { client_id: client.client_id, redirect_uri, resource: `${baseUrl}/mcp` };
        const page = await browser.open(authorizeUrl(baseUrl, request));
        const answer = await browser.submit(page, 'approve', { owner_code: server.ownerCode ?? '' });
        assert.ok(String(answer.headers.location).startsWith(`${redirect_uri}?code=`), redirect_uri);
        const { client_id, ...form } = codeForm(client, answerOf(answer).code ?? '');
        const secret = client.client_secret;
        const [own, headers] =
          secret === undefined ? [{ client_id }, {}] : [{}, basic(client.client_id, secret)];
        const token = await exchanged(baseUrl, { ...form, ...own, redirect_uri }, headers);
        assert.equal(await mcpStatus(server.mcpUrl, token.access_token), 200);
      }
    }));
}
