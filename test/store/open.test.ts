import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, readlink, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import initSqlJs from 'sql.js';
import { silentLog } from '../../src/base/log.ts';
import { MIGRATIONS } from '../../src/generated/sql.ts';
import type { Migration } from '../../src/store/sql/migrate.ts';
import { openStore } from '../../src/store/store.ts';
import { testDisk } from './testDisk.ts';
import { inspectStateFile, manualClock, NOON, temporaryHome, testStore } from './testStore.ts';

const hasSqlite3 = spawnSync('sqlite3', ['--version']).status === 0;
const withoutSqlite3 = !hasSqlite3 && process.env.CI !== 'true' ? 'sqlite3 is not installed' : false;
const newest = MIGRATIONS.at(-1)?.version ?? 0;
const oldest = MIGRATIONS[0]?.version ?? 0;

/** The program of a later release. */
const later = (oldestCompatible: number): Migration[] => [
  ...MIGRATIONS,
  { version: newest + 1, name: 'later', oldestCompatible, sql: 'create table later (id integer) strict;' },
];

const open = (home: string, migrations?: readonly Migration[]) =>
  openStore({ home, clock: manualClock(), log: silentLog, ...(migrations ? { migrations } : {}) });

/** A home with one row in its state. */
async function usedHome(t: TestContext): Promise<{ home: string; path: string }> {
  const home = temporaryHome(t);
  const store = await open(home);
  await store.durable(() => store.run("insert into meta (name, value) values ('test_row', 'kept')"));
  await store.close();
  return { home, path: join(home, 'relay.db') };
}

const row = (store: Awaited<ReturnType<typeof open>>) =>
  store.get<{ value: string }>("select value from meta where name = 'test_row'")?.value;

test('a fresh home has its file at once, with the newest schema', async (t) => {
  const home = join(temporaryHome(t), 'made', 'here');
  const store = await testStore(t, { home });
  assert.deepEqual(store.state(), {
    path: join(home, 'relay.db'),
    status: 'ok',
    failure: null,
    schemaVersion: newest,
    expectedVersion: newest,
    schemaState: 'current',
    sizeBytes: (await readFile(join(home, 'relay.db'))).length,
    lastSavedAt: NOON,
    unsavedChanges: false,
  });
  assert.deepEqual(await readdir(home), ['relay.db']);
});

test('fresh homes opened one after the other share the schema and nothing else', async (t) => {
  const used = await usedHome(t);
  const store = await testStore(t);
  assert.deepEqual([store.state().schemaVersion, row(store)], [newest, undefined]);
  assert.deepEqual(store.get('pragma foreign_keys'), { foreign_keys: 1 });
  assert.equal(row(await testStore(t, { home: used.home })), 'kept');
});

test('other SQLite programs read the file while the store is open', { skip: withoutSqlite3 }, async (t) => {
  const store = await testStore(t);
  await store.durable(() => store.run("insert into meta (name, value) values ('test_row', 'kept')"));
  const asked = [
    'pragma integrity_check',
    'pragma journal_mode',
    "select value from meta where name = 'test_row'",
  ];
  const answer = spawnSync('sqlite3', [store.state().path, asked.join(';')], { encoding: 'utf8' });
  assert.equal(answer.stdout, 'ok\ndelete\nkept\n');
});

test('opening again reads what was saved and writes nothing', async (t) => {
  const { home, path } = await usedHome(t);
  const before = await readFile(path);
  const disk = testDisk();
  const store = await testStore(t, { home, disk: disk.disk });
  assert.equal(row(store), 'kept');
  await store.close();
  assert.equal(disk.saves(), 0);
  assert.deepEqual(await readFile(path), before);
});

const refusals: Array<{ name: string; spoil: (path: string) => Promise<void>; problem: RegExp }> = [
  { name: 'empty', spoil: (path) => truncate(path, 0), problem: /it is empty/ },
  { name: 'of text', spoil: (path) => writeFile(path, 'my diary'), problem: /it is not an SQLite database/ },
  { name: 'cut within the header', spoil: (path) => truncate(path, 60), problem: /it is truncated/ },
  {
    name: 'cut after its first pages',
    spoil: (path) => truncate(path, 8_192),
    problem: /it is truncated: it has 8192 of \d+ bytes/,
  },
  {
    name: 'overwritten in the middle',
    async spoil(path) {
      const bytes = await readFile(path);
      await writeFile(path, bytes.fill(0x5a, 4_096, bytes.length));
    },
    problem: /SQLite reports damage/,
  },
  {
    name: 'of another program',
    async spoil(path) {
      const { Database } = await initSqlJs();
      const other = new Database();
      other.exec('create table song (title text); pragma application_id = 7; pragma user_version = 3');
      await writeFile(path, other.export());
      other.close();
    },
    problem: /it belongs to another program/,
  },
];

for (const { name, spoil, problem } of refusals) {
  test(`a file that is ${name} is named in the error, and no byte of it changes`, async (t) => {
    const { home, path } = await usedHome(t);
    await spoil(path);
    const before = await readFile(path);
    await assert.rejects(open(home), (error: { code: string; message: string; remedy: string }) => {
      assert.equal(error.code, 'STATE_DAMAGED');
      assert.ok(error.message.includes(path), error.message);
      assert.match(error.message, problem);
      assert.match(error.remedy, /relay restore FILE/);
      return true;
    });
    assert.deepEqual(await readFile(path), before);
    assert.deepEqual(await readdir(home), ['relay.db']);
  });
}

test('a file that another program left in write-ahead mode opens', { skip: withoutSqlite3 }, async (t) => {
  const { home, path } = await usedHome(t);
  spawnSync('sqlite3', [path, 'pragma journal_mode = wal']);
  assert.deepEqual([...(await readFile(path)).subarray(18, 20)], [2, 2]);
  const store = await testStore(t, { home });
  await store.durable(() => store.run("update meta set value = 'changed' where name = 'test_row'"));
  assert.deepEqual([...(await readFile(path)).subarray(18, 20)], [1, 1]);
  assert.equal(row(store), 'changed');
});

test('a file by a newer program opens, and counts as ahead, if this program can still use its schema', async (t) => {
  const { home, path } = await usedHome(t);
  await (await open(home, later(newest))).close();
  const store = await testStore(t, { home });
  const { schemaVersion, expectedVersion, schemaState } = store.state();
  assert.deepEqual([schemaVersion, expectedVersion, schemaState], [newest + 1, newest, 'ahead']);
  await store.durable(() => store.run("update meta set value = 'changed' where name = 'test_row'"));
  await store.close();
  const newer = await open(home, later(newest));
  assert.equal(newer.state().schemaState, 'current');
  assert.equal(row(newer), 'changed');
  await newer.close();
  assert.equal((await inspectStateFile(path)).schemaVersion, newest + 1);
});

test('a file that needs a newer program is refused and left byte for byte', async (t) => {
  const { home, path } = await usedHome(t);
  await (await open(home, later(newest + 1))).close();
  const before = await readFile(path);
  await assert.rejects(open(home), {
    code: 'STATE_TOO_NEW',
    message: `The state file ${path} has schema ${newest + 1}; this program knows ${newest} and the file needs at least ${newest + 1}.`,
  });
  assert.deepEqual(await readFile(path), before);
});

test('a file of an earlier schema is refused, says what to do, and is left byte for byte', async (t) => {
  const { home, path } = await usedHome(t);
  const { Database } = await initSqlJs();
  const earlier = new Database(await readFile(path));
  earlier.exec(`pragma user_version = ${oldest - 1}`);
  await writeFile(path, earlier.export());
  earlier.close();
  const before = await readFile(path);
  await assert.rejects(open(home), (error: { code: string; message: string; remedy: string }) => {
    assert.equal(error.code, 'STATE_DAMAGED');
    assert.ok(error.message.includes(path), error.message);
    assert.match(error.remedy, /--home/);
    return true;
  });
  assert.deepEqual(await readFile(path), before);
  assert.deepEqual(await readdir(home), ['relay.db']);
});

test('an older file is migrated with its rows, once', async (t) => {
  const { home } = await usedHome(t);
  const migrations = later(1);
  const first = await open(home, migrations);
  assert.deepEqual([first.state().schemaVersion, row(first)], [newest + 1, 'kept']);
  await first.close();
  const disk = testDisk();
  const second = await openStore({ home, clock: manualClock(), log: silentLog, migrations, disk: disk.disk });
  await second.close();
  assert.equal(disk.saves(), 0);
});

test('a migration that fails leaves the file as it was', async (t) => {
  const { home, path } = await usedHome(t);
  const before = await readFile(path);
  for (const sql of ['create table half (id integer); create table meta (x);', 'nonsense']) {
    const broken = [...MIGRATIONS, { version: newest + 1, name: 'broken', oldestCompatible: 1, sql }];
    await assert.rejects(open(home, broken), { code: 'STATE_DAMAGED' });
  }
  assert.deepEqual(await readFile(path), before);
});

test('a migration may rebuild a table that others refer to, and may not leave dangling references', async (t) => {
  const home = temporaryHome(t);
  const step = (version: number, sql: string) => ({
    version,
    name: `step ${version}`,
    oldestCompatible: 1,
    sql,
  });
  const tables = step(
    newest + 1,
    `create table song (id integer primary key);
     create table line (song_id integer references song (id) on delete cascade);
     insert into song values (1); insert into line values (1);`,
  );
  const rebuild = step(
    newest + 2,
    `create table song_new (id integer primary key, title text); insert into song_new (id) select id from song;
     drop table song; alter table song_new rename to song;`,
  );
  const dangling = step(newest + 2, 'insert into line values (7);');
  await (await open(home, [...MIGRATIONS, tables])).close();
  await assert.rejects(open(home, [...MIGRATIONS, tables, dangling]), { code: 'STATE_DAMAGED' });
  const store = await testStore(t, { home, migrations: [...MIGRATIONS, tables, rebuild] });
  assert.deepEqual(store.all('select * from line'), [{ song_id: 1 }]);
  assert.throws(() => store.run('insert into line values (7)'), /FOREIGN KEY/);
});

test('a full disk does not keep an older file from being read', async (t) => {
  const { home } = await usedHome(t);
  const disk = testDisk();
  disk.fail('ENOSPC');
  const store = await testStore(t, { home, disk: disk.disk, migrations: later(1) });
  assert.deepEqual([store.state().status, row(store)], ['degraded', 'kept']);
});

test('a fresh home that cannot hold the first file is refused', async (t) => {
  const home = temporaryHome(t);
  const disk = testDisk();
  disk.fail('ENOSPC');
  await assert.rejects(openStore({ home, clock: manualClock(), log: silentLog, disk: disk.disk }), {
    code: 'HOME_UNUSABLE',
    message: `The state file ${join(home, 'relay.db')} cannot be created. The state cannot be saved to ${join(home, 'relay.db')}: the disk is full.`,
  });
  assert.deepEqual(await readdir(home), []);
});

test('temporary files of dead processes are removed, those of living ones stay', async (t) => {
  const { home } = await usedHome(t);
  const dead = `relay.db.${spawnSync(process.execPath, ['-e', '']).pid}-0a0b0c0d-0.tmp`;
  const samePid = `relay.db.${process.pid}-00000000-0.tmp`;
  const living = `relay.db.${process.ppid}-0a0b0c0d-0.tmp`;
  for (const name of [dead, samePid, living, 'relay.db.bak']) await writeFile(join(home, name), 'half');
  await testStore(t, { home });
  assert.deepEqual((await readdir(home)).sort(), ['relay.db', 'relay.db.bak', living].sort());
});

test('a symbolic link stays a link', async (t) => {
  const { home, path } = await usedHome(t);
  const elsewhere = temporaryHome(t);
  await mkdir(join(elsewhere, 'home'));
  await symlink(path, join(elsewhere, 'home', 'relay.db'));
  const store = await testStore(t, { home: join(elsewhere, 'home') });
  await store.durable(() => store.run("update meta set value = 'changed' where name = 'test_row'"));
  assert.equal(await readlink(join(elsewhere, 'home', 'relay.db')), path);
  const original = await testStore(t, { home });
  assert.equal(row(original), 'changed');
});

test('a fresh state checks foreign keys, and marks its file as a state of relay', async (t) => {
  const store = await testStore(t);
  assert.deepEqual(store.get('pragma foreign_keys'), { foreign_keys: 1 });
  assert.deepEqual(store.get('pragma application_id'), { application_id: 0x726c6179 });
});
