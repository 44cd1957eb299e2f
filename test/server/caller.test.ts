/** What `/mcp` says to a caller without a credential, or with a wrong one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, mcpStatus } from '../oauth/tokens.ts';
import { withServer } from '../oauth/withServer.ts';
import { send } from '../support/http.ts';
import { API_KEY } from '../support/world.ts';

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

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
