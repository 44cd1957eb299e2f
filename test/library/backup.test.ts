/** What the library remembers goes with `relay backup` and comes back with `relay restore`. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Database } from 'sql.js';
import { systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { libraryFile } from '../../src/library/files/files.ts';
import { openOffline } from '../../src/server/offline.ts';
import { restoreState } from '../../src/server/restore/restoreState.ts';
import { machineDisk } from '../../src/store/disk.ts';
import { loadSqlite } from '../../src/store/sql/sqlite.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { manualClock } from '../support/clock.ts';
import { makeState } from '../support/homes.ts';

const KEY = Buffer.alloc(32, 5).toString('base64');

const PLAYS = [
  ['2024-03-01T10:00:00Z', 'spotify:track:1', 'Å', 'B', 'C', 200_000, 'track', 0],
  ['2024-03-01T10:04:00Z', null, 'Talk', 'Show', 'Show', 1_000, 'episode', null],
];
const VERSIONS = [['list1', 1, '2026-01-01T00:00:00Z', 3, 3, 0]];

type Rows = unknown[][];

/** Homes with a state, in a folder of their own. */
async function desk(t: TestContext) {
  const folder = temporaryHome(t);
  const copy = join(folder, 'relay.backup');
  const run = (home: string, ...args: string[]) =>
    relay(args, { env: { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: KEY }, parts: { openOffline } });
  const homeWith = async (name: string, plays: Rows, versions: Rows = []) => {
    const home = join(folder, name);
    await makeState({ RELAY_HOME: home, RELAY_ENCRYPTION_KEY: KEY });
    const place = { home, clock: manualClock(), log: silentLog, sqlite: loadSqlite };
    const memory = libraryFile('memory.db', place);
    await memory.use((sql) => {
      for (const row of versions) sql.run('insert into versions values (?, ?, ?, ?, ?, ?)', row as never);
    });
    await memory.close();
    const played = libraryFile('plays.db', place);
    await played.use((sql) => {
      plays.forEach(([at, uri, name, artist, album, ms, kind, skipped], index) => {
        const item = [index + 1, kind, uri, name, artist, album];
        sql.run('insert into play_items values (?, ?, ?, ?, ?, ?, 0)', item as never);
        const event = [at, index + 1, ms, 0, index + 1, skipped];
        sql.run('insert into play_events values (?, ?, ?, ?, ?, ?)', event as never);
      });
    });
    await played.close();
    return home;
  };
  return { folder, copy, run, homeWith };
}

async function withDatabase<T>(path: string, work: (db: Database) => T): Promise<T> {
  const SQL = await loadSqlite();
  const db = new SQL.Database(Uint8Array.from(readFileSync(path)));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** What the files of a home hold: versions, and plays. */
async function contentOf(home: string): Promise<Rows[]> {
  const all = (db: Database, sql: string) => db.exec(sql)[0]?.values ?? [];
  return [
    await withDatabase(join(home, 'memory.db'), (db) => all(db, 'select * from versions')),
    await withDatabase(join(home, 'plays.db'), (db) => all(db, 'select * from plays order by played_at')),
  ];
}

const WHOLE = [VERSIONS, PLAYS];

test('versions and plays are in the same file as the state, and another home gets them back from it', async (t) => {
  const { folder, copy, run, homeWith } = await desk(t);
  const home = await homeWith('first', PLAYS, VERSIONS);
  const backup = await run(home, 'backup', copy);
  assert.equal(backup.code, 0);
  assert.match(backup.out, /\), with 1 playlist version, 2 plays\.\n$/);
  assert.deepEqual(readdirSync(folder).sort(), ['first', 'relay.backup']);

  const second = join(folder, 'second');
  const restored = await run(second, 'restore', copy);
  assert.equal(restored.code, 0, restored.err);
  assert.match(restored.out, /: 0 remembered tracks, 0 jobs, 1 playlist version, 2 plays\.\n$/);
  assert.deepEqual(readdirSync(second).sort(), ['memory.db', 'plays.db', 'relay.db']);
  assert.deepEqual(await contentOf(second), WHOLE);
  // The state itself gets no table of them.
  const tables = (path: string) =>
    withDatabase(path, (db) => db.exec('select sql from sqlite_schema order by name'));
  assert.deepEqual(await tables(join(second, 'relay.db')), await tables(join(home, 'relay.db')));
  const again = await run(second, 'backup', join(folder, 'again'), '--json');
  assert.deepEqual(JSON.parse(again.out).memory, { versions: 1, plays: 2 });
});

test('a restore keeps the former versions and plays in a separate file; if the copy has none, the former ones stay in use', async (t) => {
  const { folder, copy, run, homeWith } = await desk(t);
  const home = await homeWith('first', PLAYS, VERSIONS);
  await run(home, 'backup', copy);
  const other = await homeWith('other', PLAYS.slice(1));
  const before = readFileSync(join(other, 'plays.db'));
  const { err } = await run(other, 'restore', copy);
  const kept = readdirSync(other).find((name) => name.startsWith('plays.db.before-restore-')) ?? '';
  assert.match(err, new RegExp(`The previous plays are kept in ${join(other, kept)}\\.`));
  assert.deepEqual(readFileSync(join(other, kept)), before);
  assert.deepEqual(await contentOf(other), WHOLE);

  const plain = join(folder, 'plain');
  await makeState({ RELAY_HOME: plain, RELAY_ENCRYPTION_KEY: KEY });
  const without = join(folder, 'without.backup');
  await run(plain, 'backup', without);
  const report = await run(other, 'restore', without, '--json');
  const { memory, keptBeside } = JSON.parse(report.out);
  assert.deepEqual([memory, keptBeside], [{}, []]);
  assert.deepEqual(await contentOf(other), WHOLE);
});

test('with a damaged plays.db the state is copied without it, the command says so, and no earlier copy is replaced', async (t) => {
  const { copy, run, homeWith } = await desk(t);
  const home = await homeWith('first', PLAYS, VERSIONS);
  await run(home, 'backup', copy);
  const before = readFileSync(copy);
  writeFileSync(join(home, 'plays.db'), 'my diary');
  const refused = await run(home, 'backup', copy, '--force');
  assert.match(refused.err, /was not replaced\. The new copy may lack plays: plays\.db cannot be used/);
  assert.deepEqual(readFileSync(copy), before);
  const { code, out, err } = await run(home, 'backup', `${copy}.new`);
  assert.equal(code, 0);
  assert.match(err, /^Plays are not in the copy: plays\.db cannot be used \(.*\)\.\n/);
  assert.match(out, /, with 1 playlist version\.\n$/);
});

test('a memory.db that a newer relay has changed is not copied, and the command says which relay can', async (t) => {
  const { copy, run, homeWith } = await desk(t);
  const path = join(await homeWith('first', PLAYS), 'memory.db');
  const bytes = readFileSync(path);
  bytes.writeUInt32BE(bytes.readUInt32BE(60) + 1, 60);
  writeFileSync(path, bytes);
  const { code, err } = await run(join(path, '..'), 'backup', copy);
  assert.equal(code, 0);
  assert.match(
    err,
    /^Playlist versions are not in the copy: memory\.db cannot be used \(a newer relay has changed it; back up with that relay\)\.\n/,
  );
});

test('if the state cannot be replaced, memory.db stays as it was too', async (t) => {
  const { copy, run, homeWith } = await desk(t);
  await run(await homeWith('first', PLAYS, VERSIONS), 'backup', copy);
  for (const plays of [PLAYS.slice(1), null]) {
    const home = plays ? await homeWith('other', plays) : join(copy, '..', 'empty');
    if (!plays) await makeState({ RELAY_HOME: home, RELAY_ENCRYPTION_KEY: KEY });
    const before = new Map(readdirSync(home).map((name) => [name, readFileSync(join(home, name))]));
    const settings = loadSettings({ env: { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: KEY } });
    const rename = async (from: string, to: string) => {
      if (to.endsWith('relay.db')) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      await machineDisk.rename(from, to);
    };
    const clock = manualClock();
    const { signal } = new AbortController();
    const disk = { ...machineDisk, rename };
    await assert.rejects(
      restoreState({ settings, file: copy, force: false, clock, random: systemRandom, signal, disk }),
      { code: 'STORE_ERROR' },
    );
    assert.deepEqual(
      new Map(readdirSync(home).map((name) => [name, readFileSync(join(home, name))])),
      before,
    );
  }
});

const SPOILED: Array<[change: string, words: RegExp]> = [
  [
    'create trigger t after insert on play_items begin delete from play_events; end',
    /its plays cannot be used: its tables are not those that relay makes/,
  ],
  ['alter table play_events add column ip text', /its tables are not those that relay makes/],
  ['pragma application_id = 1', /it belongs to another program/],
];

test('a copy whose versions or plays relay did not write is refused whole', async (t) => {
  const { folder, copy, run, homeWith } = await desk(t);
  const home = await homeWith('first', PLAYS, VERSIONS);
  await run(home, 'backup', copy);
  const before = readdirSync(home).map((name) => readFileSync(join(home, name)));
  for (const [change, words] of SPOILED) {
    const plays = await withDatabase(join(home, 'plays.db'), (db) => {
      db.exec(change);
      return db.export();
    });
    const bytes = await withDatabase(copy, (db) => {
      db.run("update carried set bytes = ? where name = 'plays'", [plays]);
      return db.export();
    });
    const spoiled = join(folder, 'spoiled');
    writeFileSync(spoiled, bytes);
    const { code, err } = await run(home, 'restore', spoiled);
    assert.equal(code, 1, change);
    assert.match(err, words);
  }
  assert.deepEqual(
    readdirSync(home).map((name) => readFileSync(join(home, name))),
    before,
  );
});

test('relay status has a line for memory.db and for plays.db', async (t) => {
  const { run, homeWith } = await desk(t);
  const home = await homeWith('home', PLAYS, VERSIONS);
  assert.match(
    (await run(home, 'status')).out.replace(/\s+/g, ' '),
    / ok database .* ok memory \d+ KiB, saved just now: playlist versions ok plays \d+ KiB, saved just now: plays ok MCP /,
  );
  const { entries } = JSON.parse((await run(home, 'status', '--json')).out);
  assert.deepEqual([entries[4].part, entries[5].part], ['memory', 'plays']);
  const empty = await homeWith('empty', []);
  rmSync(join(empty, 'memory.db'), { force: true });
  assert.doesNotMatch((await run(empty, 'status')).out, / memory /);
});
