import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { silentLog } from '../../src/base/log.ts';
import { send } from '../support/http.ts';
import { HAS_IPV6 } from '../support/loopback.ts';
import { postMcp } from '../support/mcpPost.ts';
import { API_KEY, withRelay } from '../support/world.ts';

const AUTHORIZED = { authorization: `Bearer ${API_KEY}`, accept: 'application/json, text/event-stream' };
const JSON_BODY = { ...AUTHORIZED, 'content-type': 'application/json' };
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

test('the server answers only to its own Host names', () =>
  withRelay(async ({ baseUrl }) => {
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
      '[::1]:PORT': HAS_IPV6 ? 200 : 403,
      localhost: 403,
      [`localhost:${Number(port) + 1}`]: 403,
      'example.org:PORT': 403,
      '127.0.0.1.example.org:PORT': 403,
      'user@127.0.0.1:PORT': 403,
    });
  }));

test('a foreign Origin is refused everywhere except at the metadata documents', () =>
  withRelay(async ({ baseUrl }) => {
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
  }));

test('PUBLIC_BASE_URL adds its host and origin, and all URLs use it', async () => {
  const env = { PUBLIC_BASE_URL: 'https://relay.example.org' };
  await withRelay({ env, connect: false, client: false }, async ({ server }) => {
    const local = `http://127.0.0.1:${new URL((await server.local.startLogin({ switchAccount: false })).redirectUri).port}`;
    const health = await send(`${local}/health`, {
      headers: { host: 'relay.example.org', origin: 'https://relay.example.org' },
    });
    assert.equal(health.status, 200);
    assert.equal(JSON.parse(health.text).mcpUrl, 'https://relay.example.org/mcp');
    for (const [host, status] of [
      ['relay.example.org:443', 200],
      ['relay.example.org:80', 403],
    ] as const) {
      assert.equal((await send(`${local}/health`, { headers: { host } })).status, status, host);
    }
    const metadata = await send(`${local}/.well-known/oauth-protected-resource`);
    assert.equal(JSON.parse(metadata.text).resource, 'https://relay.example.org/mcp');
  });
});

test('URLs in answers use the Host of the request', () =>
  withRelay(async ({ baseUrl }) => {
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
  }));

test('every answer carries the security headers', () =>
  withRelay(async ({ baseUrl, server }) => {
    for (const path of ['/', '/health', '/nowhere', '/mcp', '/auth/provider/callback']) {
      const { headers } = await send(`${baseUrl}${path}`);
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      assert.equal(headers['x-frame-options'], 'DENY', path);
      assert.equal(headers['referrer-policy'], 'same-origin', path);
      assert.equal(headers['cache-control'], 'no-store', path);
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/, path);
    }
    // Event streams too, answered with and without the SDK.
    for (const method of ['ping', 'tools/list', 'prompts/list']) {
      const { headers } = await postMcp({ server }, { jsonrpc: '2.0', id: 1, method });
      assert.equal(headers['content-type'], 'text/event-stream');
      assert.equal(headers['cache-control'], 'no-store, no-transform', method);
      assert.equal(headers['x-content-type-options'], 'nosniff', method);
    }
    const page = await send(`${baseUrl}/`);
    const policy = String(page.headers['content-security-policy']);
    assert.match(
      policy,
      /^default-src 'none'; style-src 'self'; img-src 'self'( http:\/\/127\.0\.0\.1:\d+)?; base-uri 'none'; /,
    );
    assert.doesNotMatch(policy, /unsafe-inline/);
    assert.doesNotMatch(
      page.text,
      /<style|<script(?! src="\/assets\/relay-[0-9a-f]{12}\.js\?[\w-]{12}" integrity="sha256-[^"]{44}" defer>)/,
    );
  }));

test('what cannot be served is refused with the right status, and the server keeps running', () =>
  withRelay(async ({ baseUrl }) => {
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
    // A compressed body is not read as JSON. It is refused for what it is (RFC 9110 15.5.16).
    const packed = {
      method: 'POST',
      headers: { ...JSON_BODY, 'content-encoding': 'gzip' },
      body: gzipSync(LIST),
    };
    assert.deepEqual(await refusal('/mcp', packed), { status: 415, code: -32000 });
    const { status, headers, text } = await send(`${baseUrl}/oauth/register`, packed);
    assert.deepEqual([status, headers['accept-encoding']], [415, 'identity']);
    assert.match(text, /compressed/);
    const identity = { ...packed.headers, 'content-encoding': 'Identity' };
    assert.equal(
      (await send(`${baseUrl}/mcp`, { method: 'POST', headers: identity, body: LIST })).status,
      200,
    );
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
  }));

test('a request below /oauth that is refused before it reaches a route gets an error in the form of OAuth', () =>
  withRelay({ client: false, env: { MCP_OAUTH_DCR_ENABLED: 'false' } }, async ({ baseUrl }) => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const asked: Array<[path: string, request: Parameters<typeof send>[1], status: number, text: string]> = [
      ['/oauth/token', {}, 405, 'This path does not allow that method.'],
      [
        '/oauth/token',
        { method: 'POST', headers: { ...form, origin: 'https://elsewhere.example' }, body: '' },
        403,
        'Requests from other web pages are refused.',
      ],
      [
        '/oauth/revoke',
        { method: 'POST', headers: { ...form, host: 'elsewhere.example' }, body: '' },
        403,
        'This server answers only under its own address.',
      ],
      [
        '/oauth/register',
        { method: 'POST', headers: JSON_BODY, body: '{}' },
        404,
        'There is nothing at this path.',
      ],
    ];
    for (const [path, request, status, error_description] of asked) {
      const answer = await send(`${baseUrl}${path}`, request);
      assert.deepEqual(
        [answer.status, JSON.parse(answer.text)],
        [status, { error: 'invalid_request', error_description }],
      );
    }
  }));

test('bytes that are not HTTP do not stop the server', () =>
  withRelay(async ({ baseUrl }) => {
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
  }));

test('/mcp answers a missing and a bad credential with a challenge', () =>
  withRelay(async ({ baseUrl }) => {
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
    // A credential of another scheme is no token (RFC 6750 3.1).
    assert.deepEqual(await challenge({ authorization: `Basic ${API_KEY}` }), [401, `Bearer ${metadata}`]);
    const invalid = [401, `Bearer error="invalid_token", ${metadata}`];
    assert.deepEqual(await challenge({ authorization: 'Bearer wrong' }), invalid);
    assert.deepEqual(await challenge({ authorization: `Bearer ${API_KEY}x` }), invalid);
    assert.deepEqual(await challenge({ authorization: `Bearer ${API_KEY} ${API_KEY}` }), invalid);
  }));

/** Sends bytes as they are and returns all that comes back until the server ends the connection. */
function exchangeBytes(baseUrl: string, bytes: string): Promise<string> {
  const { port, hostname } = new URL(baseUrl);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(bytes.replaceAll('HOST', `${hostname}:${port}`)),
    );
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', () => {});
  });
}

const CLOSE = 'connection: close\r\n\r\n';
const ODD: Array<[what: string, bytes: string, status: number]> = [
  ['the form of the target for proxies', `GET http://HOST/health HTTP/1.1\r\nhost: HOST\r\n${CLOSE}`, 200],
  ['the same with a foreign host twice', `GET http://x.org/health HTTP/1.1\r\nhost: x.org\r\n${CLOSE}`, 403],
  ['two hosts', `GET /health HTTP/1.1\r\nhost: HOST\r\nhost: HOST\r\n${CLOSE}`, 400],
  ['no host', `GET /health HTTP/1.1\r\n${CLOSE}`, 400],
  ['an empty host', `GET /health HTTP/1.1\r\nhost:\r\n${CLOSE}`, 403],
  ['a host with a dot at its end', `GET /health HTTP/1.1\r\nhost: localhost.:1\r\n${CLOSE}`, 403],
  ['a host with a zone', `GET /health HTTP/1.1\r\nhost: [::1%lo]:1\r\n${CLOSE}`, 403],
  [
    'two origins',
    `GET /health HTTP/1.1\r\nhost: HOST\r\norigin: http://HOST\r\norigin: null\r\n${CLOSE}`,
    403,
  ],
  ['a preflight', `OPTIONS /mcp HTTP/1.1\r\nhost: HOST\r\norigin: https://x.org\r\n${CLOSE}`, 403],
  ['OPTIONS of everything', `OPTIONS * HTTP/1.1\r\nhost: HOST\r\n${CLOSE}`, 404],
  ['a method that is none', `FETCH /health HTTP/1.1\r\nhost: HOST\r\n${CLOSE}`, 400],
  ['a method that nothing takes', `PROPFIND /health HTTP/1.1\r\nhost: HOST\r\n${CLOSE}`, 405],
  [
    'an upgrade',
    `GET /health HTTP/1.1\r\nhost: HOST\r\nconnection: upgrade, close\r\nupgrade: x\r\n\r\n`,
    200,
  ],
  ['HTTP 0.9', 'GET /health\r\n\r\n', 403],
  ['HTTP 1.0', 'GET /health HTTP/1.0\r\nhost: HOST\r\n\r\n', 200],
  ['HTTP 1.0 without a host', 'GET /health HTTP/1.0\r\n\r\n', 403],
  ['HTTP 2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  [
    'two lengths of the body',
    `POST /mcp HTTP/1.1\r\nhost: HOST\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['a length that is none', `POST /mcp HTTP/1.1\r\nhost: HOST\r\ncontent-length: 3x\r\n\r\nabc`, 400],
  [
    'a header folded over two lines',
    `GET /health HTTP/1.1\r\nhost: HOST\r\nx: a\r\n b\u0000\r\n${CLOSE}`,
    400,
  ],
  ['a very long header', `GET /health HTTP/1.1\r\nhost: HOST\r\nx: ${'a'.repeat(300_000)}\r\n${CLOSE}`, 431],
  ['a very long target', `GET /${'a'.repeat(300_000)} HTTP/1.1\r\nhost: HOST\r\n${CLOSE}`, 431],
  [
    'a foreign Origin after very many headers',
    `GET /health HTTP/1.1\r\nhost: HOST\r\n${'a:b\r\n'.repeat(2_500)}origin: null\r\n${CLOSE}`,
    403,
  ],
];

test('odd requests get the right status, with the usual headers and body', () =>
  withRelay({ connect: false, client: false }, async ({ baseUrl }) => {
    for (const [what, bytes, status] of ODD) {
      const answer = await exchangeBytes(baseUrl, bytes);
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), what);
      assert.match(answer, /^x-request-id: [0-9a-f-]{36}\r$/im, what);
      assert.match(answer, /^x-content-type-options: nosniff\r$/im, what);
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
      if (status !== 200) assert.equal(typeof (body.error.data?.code ?? body.error.code), 'string', what);
    }
    assert.equal((await send(`${baseUrl}/health`)).status, 200);
  }));

test('requests that are sent without waiting are answered in their order', () =>
  withRelay({ connect: false, client: false }, async ({ baseUrl }) => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: HOST\r\n`;
    const bytes = `${get('/health')}\r\n${get('/nowhere')}\r\n${get('/auth/status')}${CLOSE}`;
    const answers = await exchangeBytes(baseUrl, bytes);
    assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
  }));

test('a body that ends early is not an internal error', async () => {
  const faults: object[] = [];
  const log = { ...silentLog, error: (fields: object) => void faults.push(fields) };
  await withRelay({ connect: false, client: false, log }, async ({ baseUrl }) => {
    const { port, hostname } = new URL(baseUrl);
    const type = 'content-type: application/json\r\ncontent-length: 100\r\n';
    for (const path of ['/mcp', '/oauth/register']) {
      const socket = connect(Number(port), hostname);
      const key = `authorization: Bearer ${API_KEY}\r\n`;
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nexpect: 100-continue\r\n${key}${type}\r\n`,
      );
      await once(socket, 'data');
      socket.write('{"a":');
      socket.destroy();
      await once(socket, 'close');
    }
    for (let more = 0; more < 5; more++) await send(`${baseUrl}/health`);
    assert.deepEqual(faults, []);
  });
});
