import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { ClientSummary } from '../../src/domain/localApi.ts';
import type { LocalApi } from '../../src/server/calls.ts';
import { relay } from '../support/cli.ts';
import { manualClock } from '../support/clock.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';

const URI = 'http://127.0.0.1/callback';

const CLIENT: ClientSummary = {
  clientId: 'abc123',
  name: 'Claude Code',
  source: 'registered',
  public: true,
  redirectUris: [URI],
  createdAt: '2026-11-01T00:00:00.000Z',
  lastUsedAt: '2026-11-19T10:00:00.000Z',
  approvals: [
    {
      approvedAt: '2026-11-02T00:00:00.000Z',
      access: 'standard',
      accessTokens: 1,
      refreshTokens: 1,
      expiresAt: '2026-12-19T10:00:00.000Z',
    },
  ],
};
const NEVER: ClientSummary = {
  ...CLIENT,
  clientId: 'legacy',
  name: null,
  source: 'environment',
  createdAt: null,
  lastUsedAt: null,
  approvals: [],
};

const BROWSER = {
  id: '3f9c21aa',
  label: 'Firefox on Linux',
  origin: 'http://127.0.0.1:4980',
  createdAt: '2026-11-01T10:00:00.000Z',
  lastUsedAt: '2026-11-19T10:00:00.000Z',
  expiresAt: '2026-12-19T10:00:00.000Z',
};

/** A server with these clients and browsers, at a moment when all times are recent. */
async function serverWith(context: TestContext, answers: Partial<LocalApi>) {
  const listBrowsers = async () => ({ browsers: [BROWSER] });
  const server = await startFakeLocal(context, { answers: { listBrowsers, ...answers } });
  const clock = manualClock(Date.UTC(2026, 10, 20, 12));
  const run = (...args: string[]) => relay(['clients', ...args], { env: server.env, clock });
  return { ...server, run };
}

test('clients lists each client with its approvals, and the browsers that approve', async (context) => {
  const hidden = { ...NEVER, clientId: 'x', name: '\u001b[31mred\u202e' };
  const clients = [CLIENT, NEVER, hidden];
  const { run } = await serverWith(context, { listClients: async () => ({ clients }) });
  const { code, out, err } = await run();
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^CLIENT +ID +FROM +APPROVED +LAST USED\nClaude Code +abc123 +registered +/);
  assert.match(out, /^- +legacy +environment +no +never$/m);
  assert.match(out, /^\[31mred +x /m);
  assert.match(out, /^Firefox on Linux +3f9c21aa +http:\/\/127\.0\.0\.1:4980 +26 h ago +/m);
  assert.deepEqual(JSON.parse((await run('list', '--json')).out), { clients, browsers: [BROWSER] });
});

test('clients says where clients come from when there are none, or how to set one up', async (context) => {
  const browsers = { listBrowsers: async () => ({ browsers: [] }) };
  const none = await serverWith(context, { ...browsers, listClients: async () => ({ clients: [] }) });
  assert.match(
    (await none.run()).out,
    /^There are no clients\. Most clients register themselves .*\n\nNo browser approves without the owner code\.\n$/,
  );
  const listClients = async () => ({ clients: [], registrationOff: true as const });
  const closed = await serverWith(context, { ...browsers, listClients });
  assert.match((await closed.run()).out, /Set the client up with `relay clients add`/);
});

test('clients revoke takes the ID of a browser too', async (context) => {
  const forgetBrowsers = async () => ({ forgotten: [BROWSER] });
  const { run, calls } = await serverWith(context, { forgetBrowsers });
  assert.deepEqual(await run('revoke', BROWSER.id), {
    code: 0,
    out: 'Forgot Firefox on Linux (http://127.0.0.1:4980). Next time, the approval page asks for the owner code.\n',
    err: '',
  });
  assert.deepEqual(calls.at(-1), { call: 'forgetBrowsers', body: { id: BROWSER.id } });
});

test('clients add prints the ID alone; a secret comes from stdin and is not printed', async (context) => {
  const added = { ...NEVER, clientId: 'new-id', name: 'Bot', source: 'added' as const };
  const server = await startFakeLocal(context, { answers: { addClient: async () => added } });
  const { env } = server;
  assert.deepEqual(await relay(['clients', 'add', 'Bot', '--redirect-uri', URI, 'app://x'], { env }), {
    code: 0,
    out: 'new-id\n',
    err: 'Added Bot and printed its client ID. The client has no access until you approve it.\n',
  });
  const secret = 'a-secret-0123456789-0123456789-0123';
  const confidential = ['clients', 'add', 'Bot', '--redirect-uri', URI, '--confidential', '--json'];
  const result = await relay(confidential, { env, stdin: `${secret}\n` });
  assert.deepEqual(result, { code: 0, out: `${JSON.stringify({ client: added })}\n`, err: '' });
  assert.deepEqual(server.calls, [
    { call: 'addClient', body: { name: 'Bot', redirectUris: [URI, 'app://x'], secret: null } },
    { call: 'addClient', body: { name: 'Bot', redirectUris: [URI], secret } },
  ]);
  assert.equal((await relay(confidential, { env })).code, 2);
  assert.equal((await relay(['clients', 'add', 'Bot'], { env })).code, 2);
});

test('clients revoke says what ended, and that the client may ask again', async (context) => {
  const again = 'It can ask again. To remove its registration as well, add --forget.\n';
  const inSettings = 'It is in the settings and can ask again. Remove it there to prevent that.\n';
  const cases: Array<[client: ClientSummary, approvals: number, forget: boolean, out: string, err: string]> =
    [
      [CLIENT, 1, false, 'Revoked Claude Code: its access has ended.\n', again],
      [CLIENT, 0, true, 'Forgot Claude Code: it had no access.\n', ''],
      [NEVER, 0, false, 'Revoked legacy: it had no access.\n', inSettings],
    ];
  for (const [client, approvals, forget, out, err] of cases) {
    const revokeClient = async () => ({ client, approvals, forgotten: forget });
    const { run, calls } = await serverWith(context, { revokeClient });
    const name = client.name ?? client.clientId;
    assert.deepEqual(await run('revoke', name, ...(forget ? ['--forget'] : [])), { code: 0, out, err });
    assert.deepEqual(calls.at(-1), { call: 'revokeClient', body: { client: name, forget } });
  }
});
