/** Registrations as the clients in use send them, and the redirect URI that each then authorizes with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizeUrl, json, type Registered, register } from './clients.ts';
import { answerOf, ownerBrowser } from './ownerBrowser.ts';
import { basic, codeForm, exchanged, mcpStatus } from './tokens.ts';
import { withServer } from './withServer.ts';

interface RealClient {
  metadata: { redirect_uris: string[]; [field: string]: unknown };
  /** Redirect URIs that the registered client uses, one after the other. */
  authorizesWith: string[];
}

const CLIENTS: Record<string, RealClient> = {
  'VS Code': {
    metadata: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    authorizesWith: ['http://127.0.0.1:33418/', 'http://127.0.0.1:51234/', 'https://vscode.dev/redirect'],
  },
  Cursor: {
    metadata: {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    },
    authorizesWith: ['cursor://anysphere.cursor-mcp/oauth/callback', 'http://localhost:8787/callback'],
  },
  'Claude Code': {
    metadata: {
      client_name: 'Claude Code (relay)',
      redirect_uris: ['http://localhost:3118/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    authorizesWith: ['http://localhost:49321/callback'],
  },
  Codex: {
    metadata: {
      client_name: 'Codex',
      redirect_uris: ['http://127.0.0.1:45678/callback/4f2a9c'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    authorizesWith: ['http://127.0.0.1:45999/callback/4f2a9c'],
  },
  'a confidential client that names no method': {
    metadata: { client_name: 'Hosted', redirect_uris: ['https://hosted.example/oauth/callback'] },
    authorizesWith: ['https://hosted.example/oauth/callback'],
  },
};

for (const [name, { metadata, authorizesWith }] of Object.entries(CLIENTS)) {
  test(`${name} registers and connects`, () =>
    withServer({}, async ({ baseUrl, server }) => {
      const registered = await register(baseUrl, metadata);
      assert.equal(registered.status, 201, registered.text);
      const client = json(registered) as Registered;
      assert.deepEqual(client.redirect_uris, metadata.redirect_uris);
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
