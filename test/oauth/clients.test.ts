import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemRandom } from '../../src/base/clock.ts';
import { DAY, MINUTE } from '../support/clock.ts';
import { send } from '../support/http.ts';
import { freePort } from '../support/loopback.ts';
import type { Relay } from '../support/world.ts';
import { authorizeUrl, newClient, REDIRECT } from './clients.ts';
import { approve } from './ownerBrowser.ts';
import { askToken, codeForm, connect, mcpStatus } from './tokens.ts';
import { withServer } from './withServer.ts';

const SECRET = 'a-secret-of-the-owner-0123456789-0123';

test('the owner sees every client, what was approved and when it was used', () =>
  withServer({}, async ({ relay, clock }) => {
    const started = new Date(clock.now()).toISOString();
    const { client } = await connect(relay, { client_name: 'Used' });
    const approvedAt = new Date(clock.now()).toISOString();
    clock.advance(1000);
    await newClient(relay.baseUrl, { client_name: 'Waiting', token_endpoint_auth_method: undefined });
    const { clients } = await relay.server.local.listClients();
    assert.deepEqual(
      clients.map(({ clientId: _, ...rest }) => rest),
      [
        {
          name: 'Used',
          source: 'registered',
          public: true,
          redirectUris: [REDIRECT],
          createdAt: started,
          lastUsedAt: approvedAt,
          approvals: [
            {
              approvedAt,
              readOnly: false,
              accessTokens: 1,
              refreshTokens: 1,
              expiresAt: '2026-12-20T12:00:00.000Z',
            },
          ],
        },
        {
          name: 'Waiting',
          source: 'registered',
          public: false,
          redirectUris: [REDIRECT],
          createdAt: new Date(clock.now()).toISOString(),
          lastUsedAt: null,
          approvals: [],
        },
      ],
    );
    assert.equal(clients[0]?.clientId, client.client_id);
    const { mcp, entries } = await relay.server.local.status();
    const rest = { apiKeySet: true, registrationOpen: true, browsers: 0 };
    assert.deepEqual(mcp, { authMode: 'bearer', clients: 1, ...rest });
    assert.equal(entries.find(({ part }) => part === 'mcp')?.summary, 'API key and OAuth, 1 approved client');
  }));

test('a use of a token updates the time of the last use, at most once a minute', () =>
  withServer({}, async ({ relay, clock }) => {
    const { tokens } = await connect(relay);
    const lastUsed = async () => (await relay.server.local.listClients()).clients[0]?.lastUsedAt;
    const first = await lastUsed();
    clock.advance(MINUTE - 1);
    await mcpStatus(relay.server.mcpUrl, tokens.access_token);
    assert.equal(await lastUsed(), first);
    clock.advance(1);
    await mcpStatus(relay.server.mcpUrl, tokens.access_token);
    assert.equal(await lastUsed(), new Date(clock.now()).toISOString());
  }));

test('a client can be added by hand, with a secret', () =>
  withServer({ env: { MCP_OAUTH_DCR_ENABLED: 'false' } }, async ({ relay }) => {
    const { local } = relay.server;
    const added = await local.addClient({ name: 'By hand', redirectUris: [REDIRECT], secret: SECRET });
    assert.deepEqual([added.source, added.public, added.name], ['added', false, 'By hand']);
    const client = { client_id: added.clientId, redirect_uris: [REDIRECT] };
    const form = codeForm(client, await approve(relay, added.clientId));
    const token = await askToken(relay.baseUrl, { ...form, client_secret: SECRET });
    assert.equal(token.status, 200, token.text);

    for (const wrong of [{ redirectUris: ['javascript:x'] }, { redirectUris: [] }, { secret: 'short' }]) {
      const client = { name: 'Wrong', redirectUris: [REDIRECT], secret: null, ...wrong };
      await assert.rejects(local.addClient(client), { code: 'USAGE' });
    }
  }));

test('revoking does not count approvals that have ended already', () =>
  withServer({}, async ({ relay, clock }) => {
    const { local } = relay.server;
    const [{ client }, { client_id }] = [await connect(relay), await newClient(relay.baseUrl)];
    await approve(relay, client_id);
    const revoked = async (id: string) => (await local.revokeClient({ client: id, forget: false })).approvals;
    assert.equal(await revoked(client_id), 1, 'its code could still be exchanged');
    await approve(relay, client_id);
    clock.advance(MINUTE);
    assert.equal(await revoked(client_id), 0, 'it never came for its code');
    clock.advance(30 * DAY);
    assert.equal(await revoked(client.client_id), 0, 'its tokens have expired');
    const again = await connect(relay);
    assert.equal(await revoked(again.client.client_id), 1);
  }));

test('while no client may register itself, nobody is told that clients do', async () => {
  for (const isOpen of [true, false]) {
    await withServer({ env: { MCP_OAUTH_DCR_ENABLED: String(isOpen) } }, async ({ baseUrl, server }) => {
      const { clientId } = await server.local.addClient({
        name: 'A',
        redirectUris: [REDIRECT],
        secret: null,
      });
      await server.local.revokeClient({ client: clientId, forget: true });
      assert.deepEqual(await server.local.listClients(), {
        clients: [],
        ...(isOpen ? {} : { registrationOff: true }),
      });
      const { text } = await send(authorizeUrl(baseUrl, { client_id: clientId }));
      assert.match(text, /relay does not know this client/);
      assert.equal(text.includes('register again'), isOpen);
      assert.equal(text.includes('relay clients add'), !isOpen);

      const added = await server.local.addClient({ name: 'B', redirectUris: [REDIRECT], secret: null });
      const other = { client_id: added.clientId, redirect_uri: 'https://other.example/' };
      const wrong = (await send(authorizeUrl(baseUrl, other))).text;
      assert.match(wrong, /an address that it did not register/);
      assert.equal(wrong.includes('remove the connection to relay and add it again'), isOpen);
      // Adding the connection again does not help a client that the owner set up.
      assert.match(wrong, /If you set up the client yourself, add it again with <code>relay clients add/);
    });
  }
});

test('a client that would be sent back to relay itself cannot be added, since it could never be approved', async () => {
  const publicUrl = 'https://relay.example.org';
  const port = String(await freePort());
  const settings: Record<string, string>[] = [{}, { RELAY_PORT: port, PUBLIC_BASE_URL: publicUrl }];
  for (const env of settings) {
    await withServer({ env }, async ({ server: { local, localUrl, baseUrl } }) => {
      const add = (uri: string) => local.addClient({ name: 'Loop', redirectUris: [uri], secret: null });
      const own = ['127.0.0.1', 'localhost', '[::1]'].map(
        (name) => `http://${name}:${new URL(localUrl).port}`,
      );
      for (const origin of [...own, baseUrl]) {
        await assert.rejects(add(`${origin}/callback`), {
          code: 'USAGE',
          message: 'A redirect URI cannot be used. It leads to this server itself.',
        });
      }
      for (const uri of ['http://127.0.0.1/callback', REDIRECT, 'https://bot.example.org/callback']) {
        assert.deepEqual((await add(uri)).redirectUris, [uri]);
      }
    });
  }
});

test('a name that several clients have means the approved one', () =>
  withServer({}, async ({ relay }) => {
    const { local } = relay.server;
    const called = (name: string) => newClient(relay.baseUrl, { client_name: name });
    const keep = { forget: false };
    const [one, other] = [await called('Cursor'), await called('cursor')];
    const several = {
      code: 'USAGE',
      message: '2 clients are named "CURSOR".',
      remedy: `Use one of the IDs instead: ${[one, other].map(({ client_id }) => client_id).join(', ')}.`,
    };
    const sorted = ({ remedy, ...rest }: { code: string; message: string; remedy?: string }) => ({
      ...rest,
      ids: remedy?.match(/[\w-]{22}/g)?.sort(),
    });
    const isAmbiguous = (error: { code: string; message: string; remedy?: string }) => {
      const { code, message, remedy } = error;
      assert.deepEqual(sorted({ code, message, ...(remedy ? { remedy } : {}) }), sorted(several));
      return true;
    };
    await assert.rejects(local.revokeClient({ client: 'CURSOR', ...keep }), isAmbiguous);
    const form = async (client: typeof one) => codeForm(client, await approve(relay, client.client_id));
    await askToken(relay.baseUrl, await form(other));
    const revoked = await local.revokeClient({ client: 'CURSOR', ...keep });
    assert.deepEqual([revoked.client.clientId, revoked.approvals], [other.client_id, 1]);
    // The revoked client is still the only one that was ever approved, so the name still means it.
    const again = await local.revokeClient({ client: 'CURSOR', ...keep });
    assert.deepEqual([again.client.clientId, again.approvals], [other.client_id, 0]);
    for (const client of [one, other]) await askToken(relay.baseUrl, await form(client));
    await assert.rejects(local.revokeClient({ client: 'CURSOR', ...keep }), isAmbiguous);
    assert.equal((await local.revokeClient({ client: one.client_id, forget: true })).forgotten, true);
    assert.equal(
      (await local.revokeClient({ client: 'CURSOR', forget: true })).client.clientId,
      other.client_id,
    );
    await assert.rejects(local.revokeClient({ client: 'CURSOR', ...keep }), { code: 'NOT_FOUND' });
  }));

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

test('a server does not start with an unusable clients file, and starts once it is corrected', () =>
  withServer({}, async ({ relay }) => {
    const path = join(relay.home, 'oauth-clients.json');
    await writeFile(path, '[]');
    await assert.rejects(relay.restart(), {
      code: 'SETTINGS_INVALID',
      remedy: `Correct ${path} with an editor.`,
    });
    await writeFile(path, '{"clients": []}');
    await relay.restart();
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

test('an error reaches the command line with its remedy as text and as a command', () =>
  withServer({}, async ({ door }) => {
    await assert.rejects(door.revokeClient({ client: 'nobody', forget: false }), {
      code: 'NOT_FOUND',
      remedy: 'Run `relay clients` to see the IDs.',
      remedyValue: { text: 'Run {command} to see the IDs.', command: ['clients'] },
    });
  }));
