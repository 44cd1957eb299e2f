import assert from 'node:assert/strict';
import test from 'node:test';
import { RelayError } from '../../src/domain/errors.ts';
import type { ClientSummary } from '../../src/domain/localApi.ts';
import { relay } from '../support/cli.ts';
import { pluck } from '../support/entries.ts';
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
      readOnly: false,
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

test('clients lists each client with its approvals', async (context) => {
  const hidden = { ...NEVER, clientId: 'x', name: '\u001b[31mred\u202e' };
  const listClients = async () => ({ clients: [CLIENT, NEVER, hidden] });
  const { env } = await startFakeLocal(context, { answers: { listClients } });
  assert.deepEqual(await relay(['clients'], { env }), {
    code: 0,
    out: `NAME         ID      FROM         APPROVED    LAST USED
Claude Code  abc123  registered   2026-11-02  2026-11-19
-            legacy  environment  no          never
[31mred      x       environment  no          never
`,
    err: '',
  });
  const json = await relay(['clients', 'list', '--json'], { env });
  assert.deepEqual(JSON.parse(json.out), { clients: [CLIENT, NEVER, hidden] });
});

test('clients says where clients come from when there are none', async (context) => {
  const { env } = await startFakeLocal(context, { answers: { listClients: async () => ({ clients: [] }) } });
  assert.deepEqual(await relay(['clients'], { env }), {
    code: 0,
    out: '',
    err: 'There are no clients. Most clients register themselves when they first connect, and then ask for approval.\n',
  });
});

test('clients says how to set one up while no client may register itself', async (context) => {
  const listClients = async () => ({ clients: [], registrationOff: true as const });
  const { env } = await startFakeLocal(context, { answers: { listClients } });
  assert.deepEqual(await relay(['clients'], { env }), {
    code: 0,
    out: '',
    err: 'There are no clients. relay lets no client register itself (MCP_OAUTH_DCR_ENABLED is false). Set the client up with `relay clients add`, and enter the client ID in its settings.\n',
  });
  const json = await relay(['clients', '--json'], { env });
  assert.deepEqual(JSON.parse(json.out), { clients: [] });
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
  let answer = { client: CLIENT, approvals: 1, forgotten: false };
  const server = await startFakeLocal(context, { answers: { revokeClient: async () => answer } });
  const { env } = server;
  assert.deepEqual(await relay(['clients', 'revoke', 'Claude Code'], { env }), {
    code: 0,
    out: 'Revoked Claude Code: its access has ended.\n',
    err: 'It can ask again. To remove its registration as well, add --forget.\n',
  });
  answer = { client: CLIENT, approvals: 0, forgotten: true };
  assert.deepEqual(await relay(['clients', 'revoke', 'Claude Code', '--forget'], { env }), {
    code: 0,
    out: 'Forgot Claude Code: it had no access.\n',
    err: '',
  });
  answer = { client: NEVER, approvals: 0, forgotten: false };
  assert.deepEqual(await relay(['clients', 'revoke', 'legacy'], { env }), {
    code: 0,
    out: 'Revoked legacy: it had no access.\n',
    err: 'It is in the settings and can ask again. Remove it there to prevent that.\n',
  });
  assert.deepEqual(server.calls, [
    { call: 'revokeClient', body: { client: 'Claude Code', forget: false } },
    { call: 'revokeClient', body: { client: 'Claude Code', forget: true } },
    { call: 'revokeClient', body: { client: 'legacy', forget: false } },
  ]);
});

test('an ID that begins with a dash, as older IDs may, is not read as an option', async (context) => {
  const revokeClient = async () => ({ client: CLIENT, approvals: 1, forgotten: true });
  const server = await startFakeLocal(context, { answers: { revokeClient } });
  const id = '-abcdefghijklmnopqrstu';
  for (const args of [
    [id],
    ['--', id],
    [id, '--forget'],
    ['--forget', id],
    ['--forget', '--', `-${id.slice(1)}`],
    ['--json', '--', '-x'],
    [`-V${id.slice(2)}`],
  ]) {
    assert.equal((await relay(['clients', 'revoke', ...args], { env: server.env })).code, 0, args.join(' '));
  }
  assert.deepEqual(pluck(server.calls, 'body'), [
    { client: id, forget: false },
    { client: id, forget: false },
    { client: id, forget: true },
    { client: id, forget: true },
    { client: id, forget: true },
    { client: '-x', forget: false },
    { client: `-V${id.slice(2)}`, forget: false },
  ]);
  const { env } = server;
  assert.deepEqual(await relay(['clients', 'revoke', 'Cursor', '--forgot'], { env }), {
    code: 2,
    out: '',
    err: 'relay: Unknown option "--forgot".\n  Did you mean --forget? See `relay clients revoke --help`.\n',
  });
});

test('an unknown client is exit 1', async (context) => {
  const revokeClient = async () => {
    throw new RelayError('NOT_FOUND', 'There is no client "x".', {
      remedy: 'See `relay clients` for the IDs.',
    });
  };
  const { env } = await startFakeLocal(context, { answers: { revokeClient } });
  assert.deepEqual(await relay(['clients', 'revoke', 'x'], { env }), {
    code: 1,
    out: '',
    err: 'relay: There is no client "x".\n  See `relay clients` for the IDs.\n',
  });
});
