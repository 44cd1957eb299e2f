/** Images of the state are made without copying the database. Each must equal what SQLite itself would copy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from 'sql.js';
import { freshImage, IN_MEMORY } from '../../src/store/sql/migrate.ts';
import { createPagedFile, type Image, type PagedFile } from '../../src/store/sql/pagedFile.ts';
import { createSql } from '../../src/store/sql/sql.ts';
import { loadSqlite } from '../../src/store/sql/sqlite.ts';
import { STATE } from '../../src/store/store.ts';

const SQL = await loadSqlite();

function opened(settings = IN_MEMORY): { db: Database; file: PagedFile } {
  const file = createPagedFile(freshImage(SQL, STATE));
  const db = new SQL.Database(file.bytes);
  db.exec(settings);
  return { db, file };
}

const bytesOf = (image: Image | null) => Buffer.concat(image?.parts ?? []);

/** Checks that an image is sound; returns its rows, indices and numbers of pages. What a free page holds does not matter. */
function contentOf(bytes: Uint8Array): string {
  const db = new SQL.Database(bytes);
  assert.deepEqual(db.exec('pragma integrity_check')[0]?.values, [['ok']]);
  const asked = 'select * from aliases order by key; pragma page_count; pragma freelist_count;';
  const content = JSON.stringify(db.exec(`${asked} select type, name, rootpage from sqlite_schema`));
  db.close();
  return content;
}

/** Rows of about 1 kB, from `begin` on. */
function writeRows(db: Database, begin: number, count: number): void {
  const insert = db.prepare(
    "insert or replace into aliases values (?, ?, '', '', '', null, 'person', ?, null, 0)",
  );
  for (let id = begin; id < begin + count; id++) insert.run([`id ${id}`, String(id).repeat(200), begin]);
  insert.free();
}

test('an image stays as it was while SQLite writes on', () => {
  const { db, file } = opened();
  writeRows(db, 0, 600);
  const image = file.image();
  const before = bytesOf(image);
  assert.equal(contentOf(before), contentOf(db.export()));
  db.exec("update aliases set track_id = 'short'");
  writeRows(db, 1_000, 2_000);
  assert.ok(bytesOf(image).equals(before));
  db.close();
});

test('a file that SQLite does not work on gives no image', () => {
  const file = createPagedFile(freshImage(SQL, STATE));
  const db = new SQL.Database(file.bytes.map((byte) => byte));
  db.exec('select count(*) from aliases');
  assert.equal(file.image(), null);
  db.close();
});

test('an image inside a transaction is refused', () => {
  const { db, file } = opened();
  const sql = createSql(db, file);
  assert.throws(() => sql.transaction(() => sql.image()), /inside a transaction/);
  db.close();
});
