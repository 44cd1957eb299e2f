import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS } from '../../src/generated/sql.ts';
import { freshImage, IN_MEMORY } from '../../src/store/sql/freshImage.ts';
import { createPagedFile } from '../../src/store/sql/pagedFile.ts';
import { loadSqlite } from '../../src/store/sql/sqlite.ts';
import { keepConnections } from './connections.ts';

const SQL = await loadSqlite();
const { closeOpen } = keepConnections(SQL);
const NAMES = 'select name from secrets order by name';

function opened(file = createPagedFile(freshImage(SQL, MIGRATIONS))) {
  const db = new SQL.Database(file.bytes);
  db.exec(`${IN_MEMORY} pragma foreign_keys = on`);
  const add = (name: string) => {
    db.exec('insert into secrets (name, sealed, updated_at) values (?, ?, 0)', [name, new Uint8Array(2)]);
  };
  const names = () => {
    const statement = db.prepare(NAMES);
    const found: string[] = [];
    while (statement.step()) found.push(String(statement.get()[0]));
    statement.free();
    return found;
  };
  return { db, file, add, names };
}

test('a connection that is kept sees the file that it is given, and no earlier one', () => {
  const first = opened();
  first.add('first');
  assert.deepEqual(first.names(), ['first']);
  first.db.close();
  const second = opened();
  assert.equal(second.db, first.db);
  assert.deepEqual(second.names(), []);
  for (let row = 0; row < 3_000; row++) second.add(`second ${String(row).padStart(4, '0')}`);
  const image = second.file.image() ?? assert.fail('SQLite does not work on the file');
  second.db.close();
  const third = opened(createPagedFile(new Uint8Array(Buffer.concat(image.parts))));
  assert.equal(third.db, first.db);
  assert.equal(third.names().length, 3_000);
  assert.deepEqual(third.db.exec('pragma integrity_check')[0]?.values, [['ok']]);
  third.db.close();
});

test('two programs that are open at the same time have a connection each', () => {
  const [first, second] = [opened(), opened()];
  first.add('first');
  second.add('second');
  assert.deepEqual([first.names(), second.names()], [['first'], ['second']]);
  closeOpen();
});

test('a connection that was left in a transaction, or whose schema has changed, is not kept', () => {
  for (const last of ['begin immediate', 'create table other (id integer)']) {
    const { db, add } = opened();
    db.exec(last);
    add('left');
    db.close();
    const next = opened();
    assert.notEqual(next.db, db);
    assert.deepEqual(next.names(), []);
    next.db.close();
  }
});
