import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Log, silentLog } from '../../src/base/log.ts';
import { createQuietLog } from '../../src/server/log/quietLog.ts';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { askToken, connect, mcpStatus } from '../oauth/tokens.ts';
import { withServer } from '../oauth/withServer.ts';
import { createBrowser } from '../support/browser.ts';
import { MINUTE, manualClock } from '../support/clock.ts';
import { send } from '../support/http.ts';
import { withRelay } from '../support/world.ts';

function recorded(): { log: Log; warnings: Array<[message: string, fields: object]> } {
  const warnings: Array<[string, object]> = [];
  return {
    warnings,
    log: { ...silentLog, warn: (fields, message) => void warnings.push([message, fields]) },
  };
}

test('three lines a minute of one message are written; the next line says how many were left out', () => {
  const clock = manualClock();
  const { log, warnings } = recorded();
  const quiet = createQuietLog(log, clock);
  for (let n = 1; n <= 10; n++) quiet.warn({ n }, 'one');
  quiet.warn({}, 'other');
  clock.advance(MINUTE - 1);
  quiet.warn({ n: 11 }, 'one');
  clock.advance(1);
  for (let n = 12; n <= 15; n++) quiet.warn({ n }, 'one');
  assert.deepEqual(warnings, [
    ['one', { n: 1 }],
    ['one', { n: 2 }],
    ['one', { n: 3 }],
    ['other', {}],
    ['one', { n: 12, more: 8 }],
    ['one', { n: 13 }],
    ['one', { n: 14 }],
  ]);
});

test('refused credentials are in the log, a few a minute, without what was sent', async () => {
  const { log, warnings } = recorded();
  await withServer({ log }, async ({ relay, clock }) => {
    const { mcpUrl } = relay.server;
    const { client } = await connect(relay);
    const other = await newClient(relay.baseUrl, { token_endpoint_auth_method: 'client_secret_post' });
    warnings.length = 0;
    // Every client begins without a credential, so the answer to that does not count as a refusal.
    await mcpStatus(mcpUrl, null);
    for (let n = 0; n < 5; n++) await mcpStatus(mcpUrl, 'made-up-token');
    clock.advance(MINUTE);
    await mcpStatus(mcpUrl, 'made-up-token');
    const wrong = { client_id: other.client_id, client_secret: 'made-up-secret' };
    await askToken(relay.baseUrl, wrong);
    await askToken(relay.baseUrl, { client_id: 'stranger\n' });
    await askToken(relay.baseUrl, {}, { authorization: 'Basic !!!' });
    const { client_id } = client;
    const refresh = { grant_type: 'refresh_token', refresh_token: 'made-up-refresh', client_id };
    for (let n = 0; n < 4; n++) await askToken(relay.baseUrl, refresh);
    const told = warnings.map(([message, { requestId: _, ...fields }]: [string, { requestId?: string }]) => [
      message,
      fields,
    ]);
    const refused = 'credential refused';
    const noToken = [
      'no token issued',
      { clientId: client_id, reason: 'refresh_unknown', approvalEnded: false },
    ];
    assert.deepEqual(told, [
      [refused, { path: '/mcp' }],
      [refused, { path: '/mcp' }],
      [refused, { path: '/mcp' }],
      [refused, { path: '/mcp', more: 2 }],
      ['client authentication refused', { clientId: other.client_id, reason: 'client_secret_wrong' }],
      ['client authentication refused', { clientId: null, reason: 'client_unknown' }],
      ['client authentication refused', { clientId: null, reason: 'client_credentials_malformed' }],
      noToken,
      noToken,
      noToken,
    ]);
  });
});

test('a login that was declined is one sentence in the log', async () => {
  const { log, warnings } = recorded();
  await withRelay({ log, connect: false, client: false }, async ({ baseUrl, provider }) => {
    provider.denyNextLogin();
    warnings.length = 0;
    await createBrowser().open(`${baseUrl}/auth/provider/login`);
  });
  const [[message, fields] = []] = warnings;
  const { requestId, ...said } = { ...fields } as Record<string, unknown>;
  assert.deepEqual(
    [warnings.length, message, typeof requestId, said],
    [
      1,
      'provider login failed',
      'string',
      { failure: 'LOGIN_FAILED', reason: 'The login was declined on the Spotify page.' },
    ],
  );
});

test('requests that need no credential cannot flood the log', async () => {
  const { log, warnings } = recorded();
  await withServer({ log }, async ({ baseUrl }) => {
    const { client_id } = await newClient(baseUrl);
    const address = authorizeUrl(baseUrl, { client_id });
    const form = `${new URL(address).searchParams}&csrf_token=made-up`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (let n = 0; n < 8; n++) {
      await send(authorizeUrl(baseUrl, { client_id: 'nobody' }));
      await send(`${baseUrl}/oauth/authorize`, { method: 'POST', headers, body: form });
      await send(`${baseUrl}/auth/provider/callback?state=made-up&code=made-up`);
    }
  });
  const counts = new Map<string, number>();
  for (const [message] of warnings) counts.set(message, (counts.get(message) ?? 0) + 1);
  assert.deepEqual(Object.fromEntries(counts), {
    'authorization request refused': 3,
    'approval form refused: unknown form token': 3,
    'provider login failed': 3,
  });
});
