import assert from 'node:assert/strict';
import { test } from 'node:test';
import { send } from '../support/http.ts';
import { freePort, NAMES } from '../support/loopback.ts';
import { API_KEY } from '../support/world.ts';
import { authorizeUrl, newClient } from './clients.ts';
import { answerOf, approve, ownerBrowser } from './ownerBrowser.ts';
import { askToken, codeForm, connect, exchanged, mcpStatus, refreshForm, tokenRefusal } from './tokens.ts';
import { withServer } from './withServer.ts';

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

test('a token opens /mcp under every name of this server, and nothing else', () =>
  withServer({}, async ({ relay, baseUrl, server }) => {
    const { tokens } = await connect(relay);
    const { port } = new URL(baseUrl);
    for (const name of NAMES) {
      assert.equal(await mcpStatus(server.mcpUrl, tokens.access_token, `${name}:${port}`), 200, name);
    }
    assert.equal(await mcpStatus(server.mcpUrl, tokens.refresh_token), 401);
    const inQuery = `${server.mcpUrl}?access_token=${tokens.access_token}`;
    assert.equal(await mcpStatus(inQuery, null), 401);
  }));

test('a token of one relay is useless at another', () =>
  withServer({}, async (one) => {
    const { tokens } = await connect(one);
    await withServer({}, async (other) => {
      assert.equal(await mcpStatus(other.server.mcpUrl, tokens.access_token), 401);
    });
  }));

test('a token is good only at the address that it was approved for, even if relay keeps its state', () =>
  withServer({}, async ({ relay }) => {
    const { tokens } = await connect(relay);
    const before = relay.server.mcpUrl;
    // Another port is another address.
    await relay.restart();
    assert.notEqual(relay.server.mcpUrl, before);
    assert.equal(await mcpStatus(relay.server.mcpUrl, tokens.access_token), 401);
  }));

test('a token survives a restart', async () =>
  withServer({ env: { RELAY_PORT: await freePort() } }, async ({ relay }) => {
    const { tokens } = await connect(relay);
    await relay.restart();
    assert.equal(await mcpStatus(relay.server.mcpUrl, tokens.access_token), 200);
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

test('the challenge leads to the documents, and says invalid_token only if a token was sent', () =>
  withServer({}, async ({ baseUrl, server }) => {
    const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp", scope="relay"`;
    const ask = (headers: Record<string, string>) =>
      send(server.mcpUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: LIST,
      });
    const without = await ask({});
    assert.equal(without.status, 401);
    assert.equal(without.headers['www-authenticate'], `Bearer ${metadata}`);
    const { id, error } = JSON.parse(without.text);
    assert.deepEqual([id, error.code], [null, -32001]);
    for (const authorization of ['Bearer made-up', 'bearer made up']) {
      const wrong = await ask({ authorization });
      assert.equal(wrong.status, 401);
      assert.equal(wrong.headers['www-authenticate'], `Bearer error="invalid_token", ${metadata}`);
    }
    for (const authorization of ['Basic eDp5', 'Bearer', 'Bearermade-up', 'Digest username="x"']) {
      const { status, headers, text } = await ask({ authorization });
      assert.equal(status, 401, authorization);
      assert.equal(headers['www-authenticate'], `Bearer ${metadata}`, authorization);
      assert.deepEqual(JSON.parse(text), JSON.parse(without.text));
    }
  }));

test('bearer mode takes key and tokens, oauth mode tokens only', async () => {
  await withServer({}, async ({ relay }) => {
    const { tokens } = await connect(relay);
    assert.equal(await mcpStatus(relay.server.mcpUrl, API_KEY), 200);
    assert.equal((await relay.server.local.showKey()).accepted, true);
    assert.equal(await mcpStatus(relay.server.mcpUrl, tokens.access_token), 200);
  });
  await withServer({ env: { MCP_AUTH_MODE: 'oauth' } }, async ({ relay }) => {
    const { tokens } = await connect(relay);
    assert.equal(await mcpStatus(relay.server.mcpUrl, API_KEY), 401);
    assert.equal((await relay.server.local.showKey()).accepted, false);
    assert.equal(await mcpStatus(relay.server.mcpUrl, tokens.access_token), 200);
  });
});

test('a refusal names the API key only where the key is a credential', async () => {
  const told = async (mode: string) => {
    const messages: string[] = [];
    await withServer({ env: { MCP_AUTH_MODE: mode } }, async ({ server }) => {
      for (const sent of [null, 'Bearer made-up']) {
        const authorization: Record<string, string> = sent === null ? {} : { authorization: sent };
        const headers = { 'content-type': 'application/json', ...authorization };
        const answer = await send(server.mcpUrl, { method: 'POST', headers, body: LIST });
        messages.push(JSON.parse(answer.text).error.message);
      }
    });
    return messages;
  };
  assert.deepEqual(await told('bearer'), [
    "A credential is required: an OAuth token from this server, or 'Authorization: Bearer <key>' with the key that 'relay key' prints.",
    "The credential is wrong or has expired: authorize again, or run 'relay key' to see the current key.",
  ]);
  assert.deepEqual(await told('oauth'), [
    'A credential is required: an OAuth token from this server.',
    'The credential is wrong or has expired: authorize again.',
  ]);
});

test('with PUBLIC_BASE_URL codes and tokens are for that address', async () => {
  const publicUrl = 'https://relay.example.org';
  await withServer({ env: { PUBLIC_BASE_URL: publicUrl } }, async ({ server }) => {
    const local = server.localUrl;
    // A proxy in front of relay would pass these requests on with the public host.
    const host = 'relay.example.org';
    const client = await newClient(local);
    const browser = ownerBrowser(local);
    const url = authorizeUrl(local, { client_id: client.client_id, resource: `${publicUrl}/mcp` });
    const page = await browser.open(url, { host });
    assert.match(String(page.headers['set-cookie']), /^relay_form=[^;]+;.*; Secure$/);
    const owner = { owner_code: server.ownerCode ?? '' };
    const answer = await browser.submit(page, 'approve', owner, { host, origin: publicUrl });
    assert.equal(answer.headers['set-cookie'], undefined);
    const { code, iss } = answerOf(answer);
    assert.equal(iss, publicUrl);
    const tokens = await exchanged(local, codeForm(client, code ?? ''));
    assert.equal(await mcpStatus(`${local}/mcp`, tokens.access_token, host), 200);
    const here = authorizeUrl(local, { client_id: client.client_id, resource: `${local}/mcp` });
    assert.equal(answerOf(await browser.open(here)).error, 'invalid_target');
  });
});
