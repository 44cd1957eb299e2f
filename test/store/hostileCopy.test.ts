/** A copy is restored only if it is a sound one of this program. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Database } from 'sql.js';
import { openCopy } from '../../src/store/restore.ts';
import { loadSqlite } from '../../src/store/sql/sqlite.ts';
import { manualClock, temporaryHome, testStore } from './testStore.ts';

/** A home with a state. `attempt` opens changed bytes of it as a copy, and returns the error. */
async function desk(t: TestContext) {
  const home = temporaryHome(t);
  const store = await testStore(t, { home });
  await store.durable(() => store.run("insert into meta (name, value) values ('test_row', 'kept')"));
  const bytes = await readFile(join(home, 'relay.db'));
  const file = join(temporaryHome(t), 'copy');
  async function attempt(content: Uint8Array): Promise<{ code?: string; message: string } | null> {
    await writeFile(file, content);
    try {
      const copy = await openCopy(file, home, manualClock());
      await copy.store.close(true);
      return null;
    } catch (error) {
      return error as Error;
    } finally {
      assert.deepEqual(await readdir(home), ['relay.db']);
      assert.deepEqual(await readFile(join(home, 'relay.db')), bytes);
    }
  }
  return { bytes, attempt };
}

async function changed(bytes: Uint8Array, change: (db: Database) => void): Promise<Uint8Array> {
  const SQL = await loadSqlite();
  // SQLite writes into the very bytes that it is given.
  const db = new SQL.Database(new Uint8Array(bytes));
  try {
    change(db);
    return db.export();
  } finally {
    db.close();
  }
}

const ALTERED: Array<[what: string, sql: string]> = [
  ['a trigger', 'create trigger t after insert on meta begin delete from account; end'],
  ['a view', 'create view v as select 1'],
  ['a table', 'create table extra (a)'],
  ['an index', 'create index i on api_errors (path, code)'],
  ['a missing index', 'drop index api_errors_recent'],
  [
    'an index on another column',
    'drop index api_errors_recent; create index api_errors_recent on api_errors (path)',
  ],
  [
    'a check that was taken out',
    "pragma writable_schema = on; update sqlite_schema set sql = replace(sql, ' check (id = 1)', '') where name = 'account'",
  ],
];

test('a copy whose schema differs from ours in anything is refused', async (t) => {
  const { bytes, attempt } = await desk(t);
  for (const [what, sql] of ALTERED) {
    const error = await attempt(await changed(bytes, (db) => db.exec(sql)));
    assert.equal(error?.code, 'STATE_DAMAGED', what);
    assert.match(
      error?.message ?? '',
      /is not a sound relay backup: its tables are not those that relay makes/,
    );
  }
});

test('a file that is cut off anywhere, or says that it is huge, is refused', async (t) => {
  const { bytes, attempt } = await desk(t);
  for (let length = 0; length < bytes.length; length += 29_973)
    assert.equal((await attempt(bytes.subarray(0, length)))?.code, 'STATE_DAMAGED', `${length} bytes`);
  const huge = Buffer.from(bytes);
  huge.writeUInt32BE(0xff_ff_ff_fe, 28);
  assert.match((await attempt(huge))?.message ?? '', /it is truncated/);
});

test('files that are not ours are refused, but one with a write-ahead header is accepted', async (t) => {
  const { bytes, attempt } = await desk(t);
  const SQL = await loadSqlite();
  const other = new SQL.Database();
  other.exec('create table notes (text)');
  const foreign = other.export();
  other.close();
  const masked = Buffer.from(bytes).fill(0x5a, 4_096);
  for (const content of [foreign, masked, Buffer.alloc(8_192, 0x41)])
    assert.equal((await attempt(content))?.code, 'STATE_DAMAGED');
  const wal = Buffer.from(bytes);
  wal[18] = wal[19] = 2;
  assert.equal(await attempt(wal), null);
});
