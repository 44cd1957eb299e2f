/** In a home without a state, such as a mistyped path, commands that only read create nothing. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { openOffline } from '../../src/server/offline.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { exampleReport } from '../support/reports.ts';

const parts = { openOffline };
const RELAY_KEYCHAIN = 'file';

const refused = (home: string) => ({
  code: 1,
  out: '',
  err: `relay: There is no state in ${home} yet.\n  Run \`relay serve\` first, or choose another home with --home.\n`,
});

test('status says that there is no state, is exit 4, and makes no home', async (context) => {
  const home = join(temporaryHome(context), 'mistyped');
  const env = { RELAY_HOME: home, RELAY_KEYCHAIN };
  const text = await relay(['status'], { env, parts, columns: 200 });
  assert.deepEqual([text.code, text.err], [4, '']);
  assert.equal(
    text.out,
    `off  server    not running
               > relay serve
bad  account   no Spotify account connected
               > relay login
off  key       not needed yet
off  database  no state in ${home} yet
               > relay serve, or name another home with --home
ok   MCP       API key and OAuth, 0 approved clients
ok   limits    nothing blocked, 0 requests in 24 hours
ok   jobs      none active
ok   errors    none unresolved
`,
  );
  const { code, out } = await relay(['status', '--json'], { env, parts });
  const { entries, ...report } = JSON.parse(out);
  assert.equal(code, 4);
  assert.deepEqual(
    entries.map((entry: { part: string; state: string }) => [entry.part, entry.state]),
    [
      ['server', 'off'],
      ['account', 'bad'],
      ['key', 'off'],
      ['database', 'off'],
      ['mcp', 'ok'],
      ['rate_limits', 'ok'],
      ['jobs', 'ok'],
      ['errors', 'ok'],
    ],
  );
  const { entries: _, ...example } = exampleReport();
  assert.deepEqual(report, {
    ...example,
    home,
    server: null,
    database: {
      ...example.database,
      path: join(home, 'relay.db'),
      schemaVersion: 0,
      expectedVersion: report.database.expectedVersion,
      sizeBytes: 0,
    },
    mcp: { ...example.mcp, apiKeySet: false },
  });
  assert.equal(existsSync(home), false);
});

const REFUSED = [
  ...['clients', 'clients revoke Cursor', 'clients add Mine --redirect-uri http://127.0.0.1/callback'],
  ...['key', 'key rotate --yes', 'logout', 'backup /nowhere/copy'],
];

for (const words of REFUSED) {
  test(`${words} refuses, and makes no home`, async (context) => {
    const home = join(temporaryHome(context), 'mistyped');
    const env = { RELAY_HOME: home, RELAY_KEYCHAIN };
    assert.deepEqual(await relay(words.split(' '), { env, parts }), refused(home));
    assert.equal(existsSync(home), false);
  });
}

test('what needs a server is exit 4 without one', async (context) => {
  const env = { RELAY_HOME: temporaryHome(context) };
  const asked = [
    'call echo',
    'undo',
    'history',
    'open',
    'jobs',
    'export A',
    'import a.txt',
    'playlists',
    'keep',
  ];
  for (const words of asked) {
    const none = { code: 4, out: '', err: 'relay: No server is running.\n  Start one with `relay serve`.\n' };
    assert.deepEqual(await relay(words.split(' '), { env }), none, words);
  }
});

test('commands that only read add nothing to a home without a state', async (context) => {
  const home = temporaryHome(context);
  mkdirSync(join(home, 'demo'));
  writeFileSync(join(home, 'config.json'), '{"port":5000}');
  const env = { RELAY_HOME: home, RELAY_KEYCHAIN };
  assert.equal((await relay(['status'], { env, parts })).code, 4);
  assert.deepEqual(await relay(['clients'], { env, parts }), refused(home));
  assert.deepEqual(readdirSync(home).sort(), ['config.json', 'demo']);
});
