/** status, logout and key: what they ask of the program that owns the state, and what they print. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { Parts } from '../../src/cli/context.ts';
import { RelayError } from '../../src/domain/errors.ts';
import type { StatusReport } from '../../src/domain/localApi.ts';
import type { LocalApi } from '../../src/server/calls.ts';
import { acquireHome } from '../../src/store/home/lock.ts';
import { writeServerFile } from '../../src/store/home/serverFile.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { pluck } from '../support/entries.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';
import { CONNECTED, exampleReport } from '../support/reports.ts';

function offline(answers: Partial<LocalApi>) {
  const ends: string[] = [];
  const openOffline = async () => ({
    local: answers as LocalApi,
    close: async () => {
      ends.push('closed');
    },
  });
  return { parts: { openOffline } satisfies Partial<Parts>, ends };
}

const REVOKE = 'Spotify still lists the app. To revoke its access: https://www.spotify.com/account/apps/\n';

test('status asks the running server, and is exit 0 only with an account and a state that can be saved', async (context) => {
  const again = { ...CONNECTED, reauthorizationRequired: true };
  const database = { ...exampleReport().database, status: 'degraded' as const };
  const reports: Array<[report: StatusReport, code: number]> = [
    [exampleReport({ account: CONNECTED }), 0],
    [exampleReport({ account: CONNECTED, database }), 1],
    [exampleReport({ account: again }), 3],
    [exampleReport(), 3],
  ];
  for (const [report, code] of reports) {
    const server = await startFakeLocal(context, { answers: { status: async () => report } });
    const shown = await relay(['status'], { env: server.env, columns: 200 });
    assert.deepEqual([shown.code, shown.err, server.calls], [code, '', [{ call: 'status', body: {} }]]);
    assert.match(shown.out, /^ok {3}server {4}pid 42/);
  }
});

test('status without a server opens the state itself, closes it, and is exit 4', async (context) => {
  const { parts, ends } = offline({
    status: async () => exampleReport({ server: null, account: CONNECTED }),
  });
  const { code, out } = await relay(['status', '--json'], {
    env: { RELAY_HOME: temporaryHome(context) },
    parts,
  });
  assert.equal(code, 4);
  const report = exampleReport({ server: null, account: CONNECTED });
  const entries = report.entries.map((entry) => ({ ...entry, remedy: entry.remedy && 'relay login' }));
  assert.deepEqual(JSON.parse(out), { ...report, entries });
  assert.deepEqual(ends, ['closed']);
});

test('the owner code is shown on a terminal only', async (context) => {
  const status = async () => exampleReport({ ownerCode: 'brown-fox' });
  const { env } = await startFakeLocal(context, { answers: { status } });
  const terminal = { stdout: true };
  assert.match((await relay(['status'], { env, terminal })).out, /Owner code: brown-fox\n$/);
  const piped = await relay(['status'], { env });
  assert.doesNotMatch(piped.out, /brown-fox/);
  assert.equal(piped.err, 'The owner code is shown on a terminal only.\n');
  assert.equal(JSON.parse((await relay(['status', '--json'], { env, terminal })).out).ownerCode, null);
});

test('a running demo is used, and named, when no server runs', async (context) => {
  const { env } = await startFakeLocal(context, {
    demo: true,
    answers: { showKey: async () => ({ key: 'demo-key', fromEnvironment: false, accepted: true }) },
  });
  assert.deepEqual(await relay(['key'], { env }), {
    code: 0,
    out: 'demo-key\n',
    err: 'Using the running demo.\n',
  });
});

test('a server of another version is reported', async (context) => {
  const { env } = await startFakeLocal(context, {
    version: '0.9.0',
    answers: { logout: async () => ({ wasConnected: false, name: null, libraryDeleted: false }) },
  });
  assert.deepEqual(await relay(['logout'], { env }), {
    code: 0,
    out: 'No account was connected.\n',
    err: 'The running server is version 0.9.0, this is 1.2.3: end it with "relay stop" and start it again.\n',
  });
});

test('the server.json of a killed server counts as no server', async (context) => {
  const home = temporaryHome(context);
  const { pid } = spawnSync(process.execPath, ['--version']);
  const baseUrl = 'http://127.0.0.1:4980';
  await writeServerFile(home, {
    pid,
    startedAt: '2026-11-01T00:00:00.000Z',
    version: '1.2.3',
    baseUrl,
    socket: '/nowhere/relay.sock',
  });
  const { parts } = offline({
    showKey: async () => ({ key: 'kept', fromEnvironment: false, accepted: true }),
  });
  const result = await relay(['key', 'show'], { env: { RELAY_HOME: home }, parts });
  assert.deepEqual(result, { code: 0, out: 'kept\n', err: '' });
});

test('a running server is asked although its master key cannot be read here', async (context) => {
  const showKey = async () => ({ key: 'kept', fromEnvironment: false, accepted: true });
  const { env } = await startFakeLocal(context, { answers: { showKey } });
  const locked = { ...env, RELAY_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') };
  assert.deepEqual(await relay(['key'], { env: locked }), { code: 0, out: 'kept\n', err: '' });
});

test('logout says whose login is forgotten, and where to revoke it', async (context) => {
  const logout = async () => ({ wasConnected: true, name: 'Ann', libraryDeleted: true });
  const { env } = await startFakeLocal(context, { answers: { logout } });
  assert.deepEqual(await relay(['logout'], { env }), {
    code: 0,
    out: 'Forgot the login of Ann. The copy of the library is deleted.\n',
    err: REVOKE,
  });
  assert.deepEqual(await relay(['logout', '--json'], { env }), {
    code: 0,
    out: '{"wasConnected":true,"name":"Ann","libraryDeleted":true,"erased":false,"revokeUrl":"https://www.spotify.com/account/apps/"}\n',
    err: '',
  });
  // Spotify knows nothing of the demo.
  const demo = await relay(['--demo', 'logout'], {
    env: { RELAY_HOME: temporaryHome(context) },
    parts: offline({ logout }).parts,
  });
  assert.equal(demo.err, '');
});

test('the help of logout names everything that --erase deletes', async () => {
  const help = (await relay(['logout', '--help'])).out.replace(/\s+/g, ' ');
  for (const what of ['matches', 'jobs', 'changes', 'kept playlists', 'versions of playlists', 'plays']) {
    assert.ok(help.includes(what), what);
  }
});

test('key prints the key alone; key rotate prints a new key', async (context) => {
  let accepted = true;
  const { env, calls } = await startFakeLocal(context, {
    answers: {
      showKey: async () => ({ key: 'old', fromEnvironment: false, accepted }),
      rotateKey: async () => ({ key: 'new' }),
    },
  });
  assert.deepEqual(await relay(['key'], { env }), { code: 0, out: 'old\n', err: '' });
  assert.deepEqual(await relay(['key', 'show', '--json'], { env }), {
    code: 0,
    out: '{"key":"old","fromEnvironment":false,"accepted":true}\n',
    err: '',
  });
  const noClients = { ...env, HOME: temporaryHome(context) };
  assert.deepEqual(await relay(['key', 'rotate', '--yes'], { env: noClients }), {
    code: 0,
    out: 'new\n',
    err: `The line above is the new key. The old one no longer works, and browsers need the owner code again.
Give the new key to every other client that sent the old one. Clients that you approved need no key.
`,
  });
  assert.deepEqual(pluck(calls, 'call'), ['showKey', 'showKey', 'showKey', 'rotateKey']);
  // The server says so, since it may have been started with other settings than this command has.
  accepted = false;
  const none = 'The server does not accept API keys: mcpAuthMode (MCP_AUTH_MODE) is oauth.\n';
  assert.deepEqual(await relay(['key'], { env: noClients }), { code: 0, out: 'old\n', err: none });
  const rotated = await relay(['key', 'rotate', '--yes'], { env: noClients });
  assert.ok(rotated.err.endsWith(`need the owner code again.\n${none}`), rotated.err);
});

test('an error of the server arrives with its code, its words and its remedy', async (context) => {
  const { env } = await startFakeLocal(context, {
    answers: {
      showKey: async () => ({ key: 'old', fromEnvironment: true, accepted: true }),
      rotateKey: async () => {
        throw new RelayError('SETTINGS_INVALID', 'The key comes from MCP_API_KEY.', {
          remedy: 'Change it there.',
        });
      },
    },
  });
  assert.deepEqual(await relay(['key', 'rotate', '--yes'], { env }), {
    code: 2,
    out: '',
    err: 'relay: The key comes from MCP_API_KEY.\n  Change it there.\n',
  });
});

test('the exit code of an error while opening the state is that of its code', async (context) => {
  for (const [thrown, code] of [
    ['KEY_MISMATCH', 3],
    ['STATE_TOO_NEW', 5],
    ['STATE_DAMAGED', 1],
    ['ALREADY_RUNNING', 1],
  ] as const) {
    const openOffline = () => Promise.reject(new RelayError(thrown, 'It does not open.'));
    const env = { RELAY_HOME: temporaryHome(context) };
    const result = await relay(['status'], { env, parts: { openOffline } });
    assert.deepEqual(result, { code, out: '', err: 'relay: It does not open.\n' });
  }
});

test('a server that is about to start is waited for, and the command asks that server', async (context) => {
  const showKey = async () => ({ key: 'relay_key', fromEnvironment: false, accepted: true });
  const { home, env } = await startFakeLocal(context, { answers: { showKey } });
  const path = join(home, 'server.json');
  const file = readFileSync(path);
  const asked = { code: 0, out: 'relay_key\n', err: '' };

  rmSync(path);
  const lock = await acquireHome(home, 'relay serve');
  const sleep = async () => writeFileSync(path, file);
  assert.deepEqual(await relay(['key'], { env, clock: { ...systemClock, sleep } }), asked);
  await lock.release();
});

test('a command that is interrupted closes what it opened and is exit 130', async (context) => {
  const stop = new AbortController();
  const { parts, ends } = offline({
    status: () => {
      stop.abort(new RelayError('INTERRUPTED', 'Interrupted.'));
      return new Promise(() => {});
    },
  });
  const env = { RELAY_HOME: temporaryHome(context) };
  const result = await relay(['status'], { env, parts, signal: stop.signal });
  assert.deepEqual([result, ends], [{ code: 130, out: '', err: 'relay: Interrupted.\n' }, ['closed']]);
});

test('on a terminal, key rotate says what stops working and asks; without a terminal it needs --yes', async (context) => {
  let rotated = 0;
  const { env } = await startFakeLocal(context, {
    answers: {
      showKey: async () => ({ key: 'old', fromEnvironment: false, accepted: true }),
      rotateKey: async () => {
        rotated += 1;
        return { key: 'new' };
      },
    },
  });
  const noClients = { HOME: temporaryHome(context), ...env };
  const piped = await relay(['key', 'rotate'], { env: noClients });
  assert.deepEqual([piped.code, piped.out, rotated], [2, '', 0]);
  assert.match(piped.err, /\n {2}To generate a new key anyway: `relay key rotate --yes`\n$/);
  const terminal = { stdin: true, stdout: true, stderr: true };
  const no = await relay(['key', 'rotate'], { env: noClients, terminal, stdin: 'n\n' });
  assert.deepEqual([no.code, no.out, rotated], [130, '', 0]);
  assert.match(no.err, /every client that sends it needs the new one\.\nGenerate a new key\? \[y\/N\] /);
  const yes = await relay(['key', 'rotate'], { env: noClients, terminal, stdin: 'y\n' });
  assert.deepEqual([yes.code, yes.out, rotated], [0, 'new\n', 1]);
});
