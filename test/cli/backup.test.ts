/** `relay backup` and `relay restore` as commands, with a real state file. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { silentLog } from '../../src/base/log.ts';
import { RelayError } from '../../src/domain/errors.ts';
import { MIGRATIONS } from '../../src/generated/sql.ts';
import { openOffline } from '../../src/server/offline.ts';
import { acquireHome } from '../../src/store/home/lock.ts';
import { openStore } from '../../src/store/store.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { manualClock } from '../support/clock.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';
import { makeState } from '../support/homes.ts';

const parts = { openOffline };
const newest = MIGRATIONS.at(-1)?.version ?? 0;
const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
const sizeOf = (path: string) => `${Math.round(statSync(path).size / 1024)} KiB`;
const newKey = () => randomBytes(32).toString('base64');

/** A home with a state whose API key is sealed, and a path for a copy elsewhere. */
async function desk(context: TestContext, env: NodeJS.ProcessEnv = { RELAY_KEYCHAIN: 'file' }) {
  const folder = temporaryHome(context);
  const home = join(folder, 'my home');
  const all = { RELAY_HOME: home, ...env };
  const run = (args: string[], more: NodeJS.ProcessEnv = {}) =>
    relay(args, { env: { ...all, ...more }, parts });
  const key = `${await makeState(all)}\n`;
  return {
    folder,
    home,
    env: all,
    run,
    key,
    state: join(home, 'relay.db'),
    copy: join(folder, 'a copy.backup'),
  };
}

test('backup says where the copy is and what has to be kept beside it', async (context) => {
  const { home, run, state, copy } = await desk(context);
  writeFileSync(join(home, 'config.json'), '{}');
  const before = readdirSync(home);
  assert.deepEqual(await run(['backup', copy]), {
    code: 0,
    out: `Copied the state to ${copy} (${sizeOf(state)}).\n`,
    err: `The copy does not include the key that decrypts the login. Keep ${join(home, 'master.key')} too.\nAlso not in the copy: ${join(home, 'config.json')}.\n`,
  });
  assert.deepEqual(readFileSync(copy), readFileSync(state));
  assert.deepEqual(readdirSync(home), before);
});

test('backup --json prints one document, and --force replaces an earlier copy', async (context) => {
  const { run, state, copy } = await desk(context, { RELAY_ENCRYPTION_KEY: newKey() });
  const taken = `relay: ${copy} already exists.\n  Give another name, or replace an earlier copy with --force.\n`;
  assert.equal((await run(['backup', copy])).code, 0);
  assert.deepEqual(await run(['backup', copy]), { code: 2, out: '', err: taken });
  const { code, out, err } = await run(['backup', copy, '--force', '--json']);
  assert.deepEqual([code, err], [0, '']);
  assert.deepEqual(JSON.parse(out), {
    path: copy,
    sizeBytes: statSync(state).size,
    keptPlaylists: 0,
    schemaVersion: newest,
    savedAt: new Date(Math.round(statSync(state).mtimeMs)).toISOString(),
    keySource: 'environment',
    demo: false,
    memory: null,
    memoryProblem: null,
  });
});

test('backup says which key to keep, without reading the keychain, and names no file that does not exist', async (context) => {
  const { run, copy } = await desk(context, { RELAY_ENCRYPTION_KEY: newKey() });
  const entry = `the entry master-key-[0-9a-f]{16} of "relay" in this system's keychain`;
  for (const [RELAY_KEYCHAIN, key] of [
    ['os', entry],
    ['file', `RELAY_ENCRYPTION_KEY or ${entry}`],
  ] as const) {
    const { err } = await run(['backup', copy, '--force'], { RELAY_ENCRYPTION_KEY: '', RELAY_KEYCHAIN });
    assert.match(err, new RegExp(`decrypts the login\\. Keep ${key} too\\.\n$`));
  }
});

/** The answer of a running server that has saved its state. */
const saved = (path: string) => async () => ({
  path,
  savedAt: '2026-11-01T00:00:00.000Z',
  schemaVersion: newest,
  sizeBytes: 1,
  keySource: 'keychain' as const,
});

test('backup has a running server save first, and copies the file that the server names; if it cannot save, there is no copy', async (context) => {
  const { state, copy } = await desk(context);
  const { env, calls } = await startFakeLocal(context, { answers: { saveState: saved(state) } });
  const { code, err } = await relay(['backup', copy], { env });
  assert.equal(code, 0);
  assert.match(err, /^The copy .* in this system's keychain too\.\n$/);
  assert.deepEqual(calls, [{ call: 'saveState', body: {} }]);
  assert.deepEqual(readFileSync(copy), readFileSync(state));

  rmSync(copy);
  const full = new RelayError('STORE_ERROR', 'The disk is full.', { remedy: 'Free some space.' });
  const other = await startFakeLocal(context, { answers: { saveState: () => Promise.reject(full) } });
  const told = 'relay: The disk is full.\n  Free some space.\n';
  assert.deepEqual(await relay(['backup', copy], { env: other.env }), { code: 1, out: '', err: told });
  assert.equal(existsSync(copy), false);
});

test('backup copies the state of a running demo only if there is no real state, and says that the copy is the demo’s', async (context) => {
  const { state, copy } = await desk(context);
  const demo = await startFakeLocal(context, { demo: true, answers: { saveState: saved(state) } });
  const first = await relay(['backup', copy], { env: demo.env });
  assert.equal(first.code, 0);
  assert.match(
    first.err,
    /^Using the running demo\.\nThis is the state of the demo\. To restore it: relay --demo restore .*\n/,
  );

  writeFileSync(join(demo.home, 'relay.db'), readFileSync(state));
  const second = await relay(['backup', copy, '--force', '--json'], { env: demo.env });
  assert.deepEqual([second.code, second.err, JSON.parse(second.out).demo], [0, '', false]);
  assert.equal(demo.calls.length, 1);
});

test('restore brings the state back, keeps the present one, and says what comes next', async (context) => {
  const { home, run, key, state, copy } = await desk(context);
  await run(['backup', copy]);
  const { out: later } = await run(['key', 'rotate', '--yes']);
  const present = digest(state);
  const { code, out, err } = await run(['restore', copy]);
  const kept = readdirSync(home).find((name) => name.includes('.before-restore-')) ?? '';
  assert.deepEqual(
    [code, out, err],
    [
      0,
      `Restored ${state} from ${copy}, a copy made just now: 0 remembered tracks, 0 jobs.\n`,
      `The previous state is kept in ${join(home, kept)}.
The current API key stays valid.
If Spotify refuses the login from the copy: relay login
MCP clients must be approved again, and browsers need the owner code again.
Start the server with: relay serve
`,
    ],
  );
  assert.notEqual(later, key);
  // The copy holds the API key from before the rotation. Restoring does not make it valid again.
  assert.equal((await run(['key'])).out, `${later.split('\n')[0]}\n`);
  assert.equal(digest(join(home, kept)), present);
  assert.deepEqual(readdirSync(home).sort(), ['master.key', 'relay.db', kept].sort());
});

test('on a terminal restore says what will be replaced and asks, unless --yes is given', async (context) => {
  const { home, env, run, state, copy } = await desk(context);
  await run(['backup', copy]);
  const terminal = { stdin: true, stderr: true };
  const before = digest(state);
  const declined = await relay(['restore', copy], { env, parts, stdin: '\n', terminal });
  assert.deepEqual([declined.code, declined.out], [130, '']);
  assert.match(declined.err, new RegExp(`The state in ${home}, last saved .*, will be replaced by ${copy}:`));
  assert.match(declined.err, /Restore\? \[y\/N\] /);
  assert.match(declined.err, /Nothing was changed\./);
  assert.equal(digest(state), before);

  const agreed = await relay(['restore', copy], { env, parts, stdin: 'y\n', terminal });
  assert.equal(agreed.code, 0);
  const unasked = await relay(['restore', copy, '--yes'], { env, parts, stdin: '', terminal });
  assert.equal(unasked.code, 0);
  assert.doesNotMatch(unasked.err, /\[y\/N\]/);
});

test('restore --json prints one document', async (context) => {
  const { run, state, copy } = await desk(context);
  await run(['backup', copy]);
  const { out, err } = await run(['restore', copy, '--json']);
  const { keptPath, ...rest } = JSON.parse(out);
  assert.equal(err, '');
  assert.match(keptPath, /relay\.db\.before-restore-\d{8}T\d{6}Z$/);
  assert.deepEqual(rest, {
    path: state,
    from: copy,
    savedAt: new Date(Math.round(statSync(copy).mtimeMs)).toISOString(),
    schemaVersion: newest,
    sizeBytes: statSync(state).size,
    aliases: 0,
    jobs: {},
    keptPlaylists: 0,
    heldJobs: 0,
    keyProblem: null,
    kept: { apiKey: 'present', login: 'copy' },
    memory: {},
    keptBeside: [],
  });
});

test('restore creates a missing home, with the key from the environment', async (context) => {
  const env = { RELAY_ENCRYPTION_KEY: newKey() };
  const { folder, run, key, copy } = await desk(context, env);
  await run(['backup', copy]);
  const home = join(folder, 'another', 'machine');
  const { code, err } = await run(['restore', copy], { RELAY_HOME: home });
  assert.equal(code, 0);
  assert.doesNotMatch(err, /is kept/);
  assert.deepEqual(readdirSync(home), ['relay.db']);
  assert.equal(statSync(home).mode & 0o777, 0o700);
  assert.equal((await run(['key'], { RELAY_HOME: home })).out, key);
});

const later = { version: newest + 1, name: 'later', oldestCompatible: newest + 1, sql: 'select 1;' };

// What makes a copy unsound is tested with the store; here, what the command makes of it.
const REFUSED: Array<
  [what: string, spoil: (copy: string) => void | Promise<void>, code: number, words: RegExp]
> = [
  [
    'text',
    (copy) => writeFileSync(copy, 'my diary'),
    1,
    /a copy\.backup is not a sound relay backup: it is not an SQLite database\.$/m,
  ],
  ['cut short', (copy) => truncateSync(copy, 9_000), 1, /it is truncated: it has 9000 of \d+ bytes/],
  [
    'of a newer program',
    async (copy) => {
      const home = `${copy}.home`;
      const clock = manualClock();
      const store = await openStore({ home, clock, log: silentLog, migrations: [...MIGRATIONS, later] });
      await store.close();
      writeFileSync(copy, readFileSync(join(home, 'relay.db')));
    },
    5,
    /has schema \d+; this program knows/,
  ],
];

for (const [what, spoil, code, words] of REFUSED) {
  test(`restore refuses a file that is ${what}, and changes no byte of the state`, async (context) => {
    const { home, run, state, copy } = await desk(context);
    await run(['backup', copy]);
    await spoil(copy);
    const before = [digest(state), digest(copy), ...readdirSync(home)];
    const result = await run(['restore', copy, '--force']);
    assert.deepEqual([result.code, result.out], [code, '']);
    assert.match(result.err, words);
    assert.match(result.err, /The state of this home is unchanged\./);
    assert.deepEqual([digest(state), digest(copy), ...readdirSync(home)], before);
  });
}

test('restore refuses a path that is not a file, and the state file itself', async (context) => {
  const { folder, home, run, state } = await desk(context);
  mkdirSync(join(folder, 'directory'));
  const cases: Array<[file: string, message: string]> = [
    [join(folder, 'none'), `There is no file ${join(folder, 'none')}.`],
    [join(folder, 'directory'), `${join(folder, 'directory')} is not a file.`],
    ['/dev/null', '/dev/null is not a file.'],
    [state, `${state} is the state file itself: there is nothing to restore.`],
  ];
  for (const [file, message] of cases) {
    const { code, err } = await run(['restore', file]);
    assert.deepEqual([code, err.split('\n')[0]], [2, `relay: ${message}`]);
  }
  assert.deepEqual(readdirSync(home).sort(), ['master.key', 'relay.db']);
});

test('restore refuses while another command uses the home, and names that command', async (context) => {
  const { home, run, state, copy } = await desk(context);
  await run(['backup', copy]);
  const before = digest(state);
  const lock = await acquireHome(home, 'relay login');
  assert.deepEqual(await run(['restore', copy, '--force']), {
    code: 1,
    out: '',
    err: `relay: Another relay command is using this home: relay login, pid ${process.pid}.\n  Nothing was changed. Stop it first, then restore again.\n`,
  });
  await lock.release();
  assert.equal(digest(state), before);
});

test('a restore that is interrupted before it replaces the state changes nothing', async (context) => {
  const { env, home, run, state, copy } = await desk(context);
  await run(['backup', copy]);
  await run(['key', 'rotate', '--yes']);
  const before = digest(state);
  const stop = new AbortController();
  stop.abort(new RelayError('INTERRUPTED', 'Interrupted.'));
  const { code } = await relay(['restore', copy], { env, signal: stop.signal });
  assert.equal(code, 130);
  assert.deepEqual([digest(state), readdirSync(home).length], [before, 2]);
});
