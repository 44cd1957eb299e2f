import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort, NAMES } from '../support/loopback.ts';
import { authorizeUrl, newClient } from './clients.ts';
import { answerOf, ownerBrowser } from './ownerBrowser.ts';
import { codeForm, connect, exchanged, mcpStatus } from './tokens.ts';
import { withServer } from './withServer.ts';

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
