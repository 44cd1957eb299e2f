/** What the owner sees of the clients, adds to them and takes from them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizeUrl, newClient, REDIRECT } from '../oauth/clients.ts';
import { askToken, codeForm, connect, mcpStatus, refreshForm, tokenRefusal } from '../oauth/tokens.ts';
import { withServer } from '../oauth/withServer.ts';
import { DAY, MINUTE } from '../support/clock.ts';
import { send } from '../support/http.ts';
import { freePort } from '../support/loopback.ts';
import { approve } from '../support/ownerBrowser.ts';

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
              access: 'standard',
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

test('an error reaches the command line with its remedy as text and as a command', () =>
  withServer({}, async ({ door }) => {
    await assert.rejects(door.revokeClient({ client: 'nobody', forget: false }), {
      code: 'NOT_FOUND',
      remedy: 'Run `relay clients` to see the IDs.',
      remedyValue: { text: 'Run {command} to see the IDs.', command: ['clients'] },
    });
  }));

test('relay clients revoke ends access at once, for good', async () =>
  withServer({ env: { RELAY_PORT: await freePort() } }, async ({ relay }) => {
    const { client, tokens } = await connect(relay);
    const other = await connect(relay, { client_name: 'Other' });
    const { mcpUrl } = relay.server;
    assert.equal(await mcpStatus(mcpUrl, tokens.access_token), 200);
    const revoked = await relay.server.local.revokeClient({ client: client.client_id, forget: false });
    assert.deepEqual([revoked.approvals, revoked.forgotten], [1, false]);
    assert.equal(await mcpStatus(mcpUrl, tokens.access_token), 401);
    assert.equal(await mcpStatus(mcpUrl, other.tokens.access_token), 200);
    await relay.restart();
    assert.equal(await mcpStatus(mcpUrl, tokens.access_token), 401);
    assert.equal(
      await tokenRefusal(relay.baseUrl, refreshForm(client, tokens.refresh_token)),
      '400 invalid_grant',
    );
    // The client comes back with the ID that it still knows.
    const again = askToken(relay.baseUrl, codeForm(client, await approve(relay, client.client_id)));
    assert.equal((await again).status, 200);
  }));

test('relay clients revoke --forget drops the registration as well', () =>
  withServer({}, async ({ relay }) => {
    const { client, tokens } = await connect(relay);
    const revoked = await relay.server.local.revokeClient({ client: client.client_id, forget: true });
    assert.deepEqual([revoked.approvals, revoked.forgotten], [1, true]);
    assert.equal(await mcpStatus(relay.server.mcpUrl, tokens.access_token), 401);
    assert.equal(
      await tokenRefusal(relay.baseUrl, refreshForm(client, tokens.refresh_token)),
      '401 invalid_client',
    );
    assert.deepEqual(await relay.server.local.listClients(), { clients: [] });
  }));

test('revoking a client also ends a code that was not exchanged yet', () =>
  withServer({}, async ({ relay }) => {
    const client = await newClient(relay.baseUrl);
    const form = codeForm(client, await approve(relay, client.client_id));
    await relay.server.local.revokeClient({ client: client.client_id, forget: false });
    assert.equal(await tokenRefusal(relay.baseUrl, form), '400 invalid_grant');
  }));
