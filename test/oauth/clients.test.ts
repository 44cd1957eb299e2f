import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemRandom } from '../../src/base/clock.ts';
import { send } from '../support/http.ts';
import { freePort } from '../support/loopback.ts';
import { answerOf, approve } from '../support/ownerBrowser.ts';
import { authorizeUrl, newClient, REDIRECT } from './clients.ts';
import { basic, codeForm, exchanged, mcpStatus } from './tokens.ts';
import { withServer } from './withServer.ts';

const SECRET = 'a-secret-of-the-owner-0123456789-0123';

const ENVIRONMENT = {
  MCP_OAUTH_CLIENT_ID: 'legacy',
  MCP_OAUTH_CLIENT_SECRET: SECRET,
  MCP_OAUTH_CLIENT_REDIRECT_URI: REDIRECT,
};

/** An entry of `oauth-clients.json`, which has the hash of the secret. */
const IN_FILE = {
  clientId: 'by:file+%25',
  clientName: 'From the file',
  clientSecretSha256: createHash('sha256').update(SECRET).digest('hex'),
  redirectUris: [REDIRECT],
};

test('an ID never begins with a dash, which a command line takes for an option', async () => {
  // In base64url the value 62 is a dash.
  const bytes = (count: number) => {
    const some = systemRandom.bytes(count);
    return count === 16 ? some.fill(0xf8, 0, 1) : some;
  };
  const random = { ...systemRandom, bytes };
  await withServer({ random }, async ({ baseUrl, server }) => {
    const { client_id } = await newClient(baseUrl);
    const added = await server.local.addClient({ name: 'Mine', redirectUris: [REDIRECT], secret: null });
    for (const id of [client_id, added.clientId]) assert.match(id, /^\w[\w-]{21}$/);
  });
});

test('clients of the environment, of the file and of the owner connect like others, stay when revoked, and end with their entry', async () =>
  withServer({ env: { ...ENVIRONMENT, RELAY_PORT: await freePort() } }, async ({ relay, home }) => {
    const file = join(home, 'oauth-clients.json');
    await writeFile(file, JSON.stringify({ clients: [IN_FILE] }));
    await relay.restart();
    const { local, mcpUrl } = relay.server;
    const { clients } = await local.listClients();
    assert.deepEqual(
      clients.map(({ clientId, name, source, public: isPublic }) => [clientId, name, source, isPublic]),
      [
        ['legacy', null, 'environment', false],
        ['by:file+%25', 'From the file', 'file', false],
      ],
    );
    const tokenOf = async (client_id: string) => {
      // The owner knows these clients, so an error goes back to them.
      const wrong = await send(authorizeUrl(relay.baseUrl, { client_id, response_type: 'x' }));
      assert.equal(answerOf(wrong).error, 'unsupported_response_type');
      const { client_id: _, ...form } = codeForm(
        { client_id, redirect_uris: [REDIRECT] },
        await approve(relay, client_id),
      );
      // Encoded as RFC 6749 2.3.1 requires; the ID has a colon, which cannot be sent otherwise.
      const headers = basic(encodeURIComponent(client_id), encodeURIComponent(SECRET));
      const { access_token } = await exchanged(relay.baseUrl, form, headers);
      assert.equal(await mcpStatus(mcpUrl, access_token), 200);
      return access_token;
    };
    for (const client of ['legacy', 'by:file+%25']) {
      const token = await tokenOf(client);
      const { forgotten, approvals } = await local.revokeClient({ client, forget: true });
      assert.deepEqual([forgotten, approvals], [false, 1]);
      assert.equal(await mcpStatus(mcpUrl, token), 401);
    }
    assert.equal((await local.listClients()).clients.length, 2);
    const added = await local.addClient({ name: 'Mine', redirectUris: [REDIRECT], secret: SECRET });
    await tokenOf(added.clientId);
    const last = await tokenOf('by:file+%25');
    await writeFile(file, '{"clients":[]}');
    await relay.restart();
    assert.equal(await mcpStatus(mcpUrl, last), 401);
  }));

test('a client ID in the settings and among the registered ones is a start error with a way out', () =>
  withServer({}, async ({ relay }) => {
    const { client_id } = await newClient(relay.baseUrl);
    await writeFile(
      join(relay.home, 'oauth-clients.json'),
      JSON.stringify({ clients: [{ clientId: client_id, redirectUris: [REDIRECT] }] }),
    );
    await assert.rejects(relay.restart(), {
      remedy: `Choose another ID in MCP_OAUTH_CLIENT_ID or in the clients file, or remove the registered client with \`relay clients revoke --forget ${client_id}\`.`,
      code: 'SETTINGS_INVALID',
      message: `The OAuth client ID "${client_id}" is both in the settings and among the registered clients.`,
    });
  }));
