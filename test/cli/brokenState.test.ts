/** If something is wrong, `relay status` still prints a line for each part, and says what to do about each problem. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { openOffline } from '../../src/server/offline.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { makeState } from '../support/homes.ts';

const parts = { openOffline };
const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');

/** A home whose state is sealed with `keyOf(1)`. */
async function sealedHome(context: TestContext): Promise<string> {
  const home = temporaryHome(context);
  await makeState({ RELAY_HOME: home, RELAY_ENCRYPTION_KEY: keyOf(1) });
  return home;
}

function status(home: string, env: Record<string, string>) {
  return relay(['status'], { env: { RELAY_HOME: home, ...env }, parts, columns: 1_000 });
}

test('a state that opens is reported as it is, and no byte of it changes', async (context) => {
  const home = await sealedHome(context);
  const file = readFileSync(join(home, 'relay.db'));
  const { code, out, err } = await status(home, { RELAY_ENCRYPTION_KEY: keyOf(1) });
  assert.deepEqual([code, err], [4, '']);
  assert.match(
    out,
    /^off {2}server {4}not running\n +> relay serve\nbad {2}account .*\n.*\nok {3}key {7}kept in RELAY_ENCRYPTION_KEY\nok {3}database {2}schema \d+, \d+ KiB, saved just now\n/,
  );
  assert.equal(readFileSync(join(home, 'relay.db')).equals(file), true);
});

test('a wrong key is reported, and database and jobs are still shown', async (context) => {
  const home = await sealedHome(context);
  const { code, out, err } = await status(home, { RELAY_ENCRYPTION_KEY: keyOf(2) });
  assert.deepEqual([code, err], [3, '']);
  assert.match(
    out,
    /^bad {2}key {7}The master key is not the one that encrypted the state\.\n {15}> .*relay login/m,
  );
  assert.match(out, /^ok {3}database {2}schema/m);
  assert.match(out, /^ok {3}jobs {6}none active$/m);
});

test('a lost key is reported, and not replaced by a new one', async (context) => {
  const home = await sealedHome(context);
  const { code, out, err } = await status(home, { RELAY_KEYCHAIN: 'file' });
  assert.deepEqual([code, err], [3, '']);
  assert.match(
    out,
    /^bad {2}key {7}The master key that encrypted the state was not found\. There is no .*master\.key\.$/m,
  );
  assert.deepEqual((await status(home, { RELAY_KEYCHAIN: 'file' })).out, out);
});

test('a damaged state is reported with relay restore as the remedy; the other parts are not known', async (context) => {
  const home = await sealedHome(context);
  const path = join(home, 'relay.db');
  writeFileSync(path, readFileSync(path).subarray(0, 9_000));
  const { code, out, err } = await status(home, { RELAY_ENCRYPTION_KEY: keyOf(1) });
  assert.deepEqual([code, err], [1, '']);
  const lines = out.split('\n').filter((line) => /^\S/.test(line));
  assert.match(lines[3] ?? '', /^bad {2}database {2}The state file .*relay\.db cannot be used: /);
  assert.deepEqual(lines.toSpliced(3, 1), [
    'off  server    not running',
    'off  account   not known',
    'off  key       not known',
    'off  MCP       not known',
    'off  limits    not known',
    'off  jobs      not known',
    'off  errors    not known',
  ]);
  assert.match(out, /^bad {2}database .*\n {15}> .*relay restore/m);
  const json = await relay(['status', '--json'], { env: { RELAY_HOME: home }, parts });
  assert.deepEqual([json.code, JSON.parse(json.out).database.status], [1, 'degraded']);
});

/** A home whose state a newer program has written. */
async function newerHome(context: TestContext): Promise<string> {
  const home = await sealedHome(context);
  const { default: initSqlJs } = await import('sql.js');
  const SQL = await initSqlJs();
  const db = new SQL.Database(readFileSync(join(home, 'relay.db')));
  db.exec("pragma user_version = 99; update meta set value = 98 where name = 'oldest_compatible'");
  writeFileSync(join(home, 'relay.db'), db.export());
  return home;
}

test('with --json, a state of a newer program is a problem in the report, and exit 5', async (context) => {
  const home = await newerHome(context);
  const { code, out, err } = await relay(['status', '--json'], {
    env: { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: keyOf(1) },
    parts,
  });
  assert.deepEqual([code, err], [5, '']);
  assert.match((await relay(['status', '--help'])).out, /\b5 state of a newer relay\n/);
  const { problem, entries, database: facts } = JSON.parse(out);
  assert.equal(problem.code, 'STATE_TOO_NEW');
  const { status, schemaVersion, schemaState } = facts;
  assert.deepEqual([status, schemaVersion, schemaState], ['degraded', 99, 'ahead']);
  const database = entries.find(({ part }: { part: string }) => part === 'database');
  assert.deepEqual(database, {
    part: 'database',
    state: 'bad',
    summary: problem.message,
    remedy: problem.remedy,
  });
});
