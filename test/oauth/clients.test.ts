import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemRandom } from '../../src/base/clock.ts';
import { freePort } from '../support/loopback.ts';
import type { Relay } from '../support/world.ts';
import { newClient, REDIRECT } from './clients.ts';
import { approve } from './ownerBrowser.ts';
import { askToken, codeForm, mcpStatus } from './tokens.ts';
import { withServer } from './withServer.ts';

const SECRET = 'a-secret-of-the-owner-0123456789-0123';

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

test('the client of the environment and those of the file connect like others, and stay when revoked', async () => {
  const env = {
    MCP_OAUTH_CLIENT_ID: 'legacy',
    MCP_OAUTH_CLIENT_SECRET: SECRET,
    MCP_OAUTH_CLIENT_REDIRECT_URI: REDIRECT,
  };
  await withClientsFile(env, async (relay) => {
    const { baseUrl, server } = relay;
    const { clients } = await server.local.listClients();
    assert.deepEqual(
      clients.map(({ clientId, name, source, public: isPublic }) => [clientId, name, source, isPublic]),
      [
        ['legacy', null, 'environment', false],
        ['by:file+%25', 'From the file', 'file', false],
      ],
    );
    for (const client_id of ['legacy', 'by:file+%25']) {
      const { client_id: _, ...form } = codeForm(
        { client_id, redirect_uris: [REDIRECT] },
        await approve(relay, client_id),
      );
      // Encoded as RFC 6749 2.3.1 requires; the ID has a colon, which cannot be sent otherwise.
      const pair = `${encodeURIComponent(client_id)}:${encodeURIComponent(SECRET)}`;
      const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
      const answer = await askToken(baseUrl, form, { authorization });
      assert.equal(answer.status, 200, answer.text);
      const { access_token } = JSON.parse(answer.text);
      assert.equal(await mcpStatus(server.mcpUrl, access_token), 200);
      const { forgotten, approvals } = await server.local.revokeClient({ client: client_id, forget: true });
      assert.deepEqual([forgotten, approvals], [false, 1]);
      assert.equal(await mcpStatus(server.mcpUrl, access_token), 401);
    }
    assert.equal((await server.local.listClients()).clients.length, 2);
  });
});

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

test('the tokens of a client that has left the settings open nothing', async () =>
  withClientsFile({ RELAY_PORT: await freePort() }, async (relay) => {
    const client = { client_id: 'by:file+%25', redirect_uris: [REDIRECT] };
    const form = codeForm(client, await approve(relay, client.client_id));
    const answer = await askToken(relay.baseUrl, { ...form, client_secret: SECRET });
    const { access_token } = JSON.parse(answer.text);
    assert.equal(await mcpStatus(relay.server.mcpUrl, access_token), 200);
    await writeFile(join(relay.home, 'oauth-clients.json'), '{"clients":[]}');
    await relay.restart();
    assert.equal(await mcpStatus(relay.server.mcpUrl, access_token), 401);
  }));

/** A relay with one client in `oauth-clients.json`, which has the hash of the client's secret. */
async function withClientsFile(
  env: Record<string, string>,
  work: (relay: Relay) => Promise<void>,
): Promise<void> {
  await withServer({ env }, async ({ relay }) => {
    const clientSecretSha256 = createHash('sha256').update(SECRET).digest('hex');
    const client = {
      clientId: 'by:file+%25',
      clientName: 'From the file',
      clientSecretSha256,
      redirectUris: [REDIRECT],
    };
    await writeFile(join(relay.home, 'oauth-clients.json'), JSON.stringify({ clients: [client] }));
    await relay.restart();
    await work(relay);
  });
}
