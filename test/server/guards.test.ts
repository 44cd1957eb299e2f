import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { send } from '../support/http.ts';
import { API_KEY, withRelay } from '../support/world.ts';

const AUTHORIZED = { authorization: `Bearer ${API_KEY}`, accept: 'application/json, text/event-stream' };
const JSON_BODY = { ...AUTHORIZED, 'content-type': 'application/json' };
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

test('only its own Host names are answered', async () => {
  await withRelay(async ({ baseUrl }) => {
    const { port } = new URL(baseUrl);
    const statusFor = async (host: string) => (await send(`${baseUrl}/health`, { headers: { host } })).status;
    const answers: Record<string, number> = {};
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `LOCALHOST:${port}`,
      `[::1]:${port}`,
      'localhost',
      `localhost:${Number(port) + 1}`,
      `example.org:${port}`,
      `127.0.0.1.example.org:${port}`,
      `user@127.0.0.1:${port}`,
    ]) {
      answers[host.replaceAll(port, 'PORT')] = await statusFor(host);
    }
    assert.deepEqual(answers, {
      '127.0.0.1:PORT': 200,
      'localhost:PORT': 200,
      'LOCALHOST:PORT': 200,
      '[::1]:PORT': 200,
      localhost: 403,
      [`localhost:${Number(port) + 1}`]: 403,
      'example.org:PORT': 403,
      '127.0.0.1.example.org:PORT': 403,
      'user@127.0.0.1:PORT': 403,
    });
  });
});

test('a foreign Origin is refused everywhere but at the metadata documents', async () => {
  await withRelay(async ({ baseUrl }) => {
    const { port } = new URL(baseUrl);
    const statusFor = async (path: string, origin: string, method = 'GET') => {
      const body = method === 'POST' ? { body: LIST } : {};
      const headers = { ...JSON_BODY, origin };
      return (await send(`${baseUrl}${path}`, { method, headers, ...body })).status;
    };
    assert.equal(await statusFor('/health', 'https://example.org'), 403);
    assert.equal(await statusFor('/health', 'null'), 403);
    assert.equal(await statusFor('/health', `http://localhost:${port}`), 200);
    assert.equal(await statusFor('/health', `https://localhost:${port}`), 403);
    assert.equal(await statusFor('/mcp', 'https://example.org', 'POST'), 403);
    assert.equal(await statusFor('/mcp', `http://127.0.0.1:${port}`, 'POST'), 200);
    assert.equal(await statusFor('/auth/provider/login', 'https://example.org'), 403);
    const metadata = await send(`${baseUrl}/.well-known/oauth-protected-resource/mcp`, {
      headers: { origin: 'https://example.org' },
    });
    assert.equal(metadata.status, 200);
    assert.equal(metadata.headers['access-control-allow-origin'], '*');
  });
});

test('PUBLIC_BASE_URL adds its host and origin, and all URLs use it', async () => {
  const env = { PUBLIC_BASE_URL: 'https://relay.example.org' };
  await withRelay({ env, connect: false, client: false }, async ({ server }) => {
    const local = `http://127.0.0.1:${new URL((await server.local.startLogin({ switchAccount: false })).redirectUri).port}`;
    const health = await send(`${local}/health`, {
      headers: { host: 'relay.example.org', origin: 'https://relay.example.org' },
    });
    assert.equal(health.status, 200);
    assert.equal(JSON.parse(health.text).mcpUrl, 'https://relay.example.org/mcp');
    const metadata = await send(`${local}/.well-known/oauth-protected-resource`);
    assert.equal(JSON.parse(metadata.text).resource, 'https://relay.example.org/mcp');
  });
});

test('URLs in answers follow the Host that was dialled', async () => {
  await withRelay(async ({ baseUrl }) => {
    const host = `localhost:${new URL(baseUrl).port}`;
    const metadata = await send(`${baseUrl}/.well-known/oauth-protected-resource/mcp`, { headers: { host } });
    assert.deepEqual(JSON.parse(metadata.text), {
      resource: `http://${host}/mcp`,
      authorization_servers: [`http://${host}`],
      resource_name: 'relay for Spotify (unofficial)',
      bearer_methods_supported: ['header'],
      scopes_supported: ['relay'],
    });
    const challenge = await send(`${baseUrl}/mcp`, { method: 'POST', headers: { host }, body: LIST });
    assert.equal(
      challenge.headers['www-authenticate'],
      `Bearer resource_metadata="http://${host}/.well-known/oauth-protected-resource/mcp", scope="relay"`,
    );
  });
});

test('every answer carries the security headers', async () => {
  await withRelay(async ({ baseUrl }) => {
    for (const path of ['/', '/health', '/nowhere', '/mcp', '/auth/provider/callback']) {
      const { headers } = await send(`${baseUrl}${path}`);
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      assert.equal(headers['x-frame-options'], 'DENY', path);
      assert.equal(headers['referrer-policy'], 'same-origin', path);
      assert.equal(headers['cache-control'], 'no-store', path);
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/, path);
    }
    const page = await send(`${baseUrl}/`);
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; style-src 'sha256-/);
    assert.doesNotMatch(policy, /unsafe-inline/);
    assert.doesNotMatch(page.text, /<script/);
  });
});

test('what cannot be served is refused with the right status, and the server goes on', async () => {
  await withRelay(async ({ baseUrl }) => {
    const refusal = async (path: string, options: Parameters<typeof send>[1]) => {
      const { status, text, headers } = await send(`${baseUrl}${path}`, options);
      const { code, message, requestId } = JSON.parse(text).error;
      assert.equal(requestId ?? JSON.parse(text).error.data?.requestId, headers['x-request-id']);
      assert.ok(message.length > 10);
      return { status, code, ...(headers.allow ? { allow: headers.allow } : {}) };
    };
    assert.deepEqual(await refusal('/nowhere', {}), { status: 404, code: 'ROUTE_NOT_FOUND' });
    assert.deepEqual(await refusal('//health', {}), { status: 404, code: 'ROUTE_NOT_FOUND' });
    assert.deepEqual(await refusal('/x/../health', {}), { status: 404, code: 'ROUTE_NOT_FOUND' });
    assert.deepEqual(await refusal('/health', { method: 'POST', body: '{}' }), {
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
      allow: 'GET, HEAD',
    });
    assert.deepEqual(await refusal('/mcp', { method: 'PUT', headers: JSON_BODY, body: LIST }), {
      status: 405,
      code: -32000,
      allow: 'DELETE, GET, HEAD, POST',
    });
    assert.deepEqual(await refusal('/mcp', { method: 'POST', headers: JSON_BODY, body: '{"jsonrpc":' }), {
      status: 400,
      code: -32700,
    });
    const plain = { ...AUTHORIZED, 'content-type': 'text/plain' };
    assert.deepEqual(await refusal('/mcp', { method: 'POST', headers: plain, body: LIST }), {
      status: 415,
      code: -32000,
    });
    const large = Buffer.alloc(6 * 1024 * 1024, ' ');
    assert.deepEqual(await refusal('/mcp', { method: 'POST', headers: JSON_BODY, body: large }), {
      status: 413,
      code: -32000,
    });
    const chunked = { ...JSON_BODY, 'transfer-encoding': 'chunked' };
    assert.equal(
      (await send(`${baseUrl}/mcp`, { method: 'POST', headers: chunked, body: LIST })).status,
      200,
    );
    assert.equal((await send(`${baseUrl}/health`)).status, 200);
  });
});

test('bytes that are no HTTP do not stop the server', async () => {
  await withRelay(async ({ baseUrl }) => {
    const { port, hostname } = new URL(baseUrl);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () =>
        socket.write('\u0016\u0003\u0001 nonsense\r\n\r\n'),
      );
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', () => {});
    });
    assert.match(answer, /^HTTP\/1\.1 400/);
    assert.equal((await send(`${baseUrl}/health`)).status, 200);
  });
});

test('/mcp challenges without and with a bad credential', async () => {
  await withRelay(async ({ baseUrl }) => {
    const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp", scope="relay"`;
    const challenge = async (headers: Record<string, string>, method = 'POST') => {
      const answer = await send(`${baseUrl}/mcp`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(method === 'POST' ? { body: LIST } : {}),
      });
      const { jsonrpc, id, error } = JSON.parse(answer.text);
      assert.deepEqual({ jsonrpc, id, code: error.code }, { jsonrpc: '2.0', id: null, code: -32001 });
      return [answer.status, answer.headers['www-authenticate']];
    };
    assert.deepEqual(await challenge({}), [401, `Bearer ${metadata}`]);
    assert.deepEqual(await challenge({}, 'GET'), [401, `Bearer ${metadata}`]);
    const invalid = [401, `Bearer error="invalid_token", ${metadata}`];
    assert.deepEqual(await challenge({ authorization: 'Bearer wrong' }), invalid);
    assert.deepEqual(await challenge({ authorization: `Bearer ${API_KEY}x` }), invalid);
    assert.deepEqual(await challenge({ authorization: `Basic ${API_KEY}` }), invalid);
    assert.deepEqual(await challenge({ authorization: `Bearer ${API_KEY} ${API_KEY}` }), invalid);
  });
});

test('MCP_AUTH_MODE=oauth refuses the API key', async () => {
  await withRelayOffline({ MCP_AUTH_MODE: 'oauth' }, async (baseUrl, credential) => {
    const refused = await send(`${baseUrl}/mcp`, { method: 'POST', headers: JSON_BODY, body: LIST });
    assert.equal(refused.status, 401);
    const headers = { ...JSON_BODY, authorization: `Bearer ${credential}` };
    assert.equal((await send(`${baseUrl}/mcp`, { method: 'POST', headers, body: LIST })).status, 200);
  });
});

/** A server whose test client cannot connect by the API key. */
async function withRelayOffline(
  env: Record<string, string>,
  work: (baseUrl: string, localToken: string) => Promise<void>,
): Promise<void> {
  await withRelay({ env, connect: false, client: false }, async ({ server, baseUrl }) => {
    await work(baseUrl, (await server.local.mcpToken()).token);
  });
}

test('/local takes the token of the master key only, and nothing that a browser sent', async () => {
  await withRelay(async ({ baseUrl, localToken }) => {
    const statusFor = async (headers: Record<string, string>) =>
      (
        await send(`${baseUrl}/local/status`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{}',
        })
      ).status;
    const authorization = `Bearer ${localToken}`;
    assert.equal(await statusFor({ authorization }), 200);
    assert.equal(await statusFor({}), 401);
    assert.equal(await statusFor({ authorization: `Bearer ${API_KEY}` }), 401);
    assert.equal(await statusFor({ authorization, origin: baseUrl }), 403);
    assert.equal(await statusFor({ authorization, referer: `${baseUrl}/` }), 403);
  });
});
