import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testStore } from './testStore.ts';

test('run returns how many rows changed, get and all return rows as objects', async (t) => {
  const store = await testStore(t);
  store.run('create table song (id integer primary key, title text, cover blob) strict');
  const first = store.run('insert into song (title, cover) values (?, ?), (?, null)', [
    'One',
    Uint8Array.of(1, 2),
    'Two',
  ]);
  const none = store.run('update song set title = :title where id = :id', { title: 'x', id: 99 });
  assert.deepEqual([first, none], [{ changes: 2 }, { changes: 0 }]);
  assert.deepEqual(store.get('select * from song where id = ?', [1]), {
    id: 1,
    title: 'One',
    cover: Uint8Array.of(1, 2),
  });
  assert.deepEqual(store.all('select id, title from song order by id desc'), [
    { id: 2, title: 'Two' },
    { id: 1, title: 'One' },
  ]);
  assert.equal(store.get('select * from song where id = 3'), undefined);
});

test('a statement with a missing value, or with a second statement behind it, is refused', async (t) => {
  const store = await testStore(t);
  store.run('create table song (title text)');
  const refused: Array<[() => unknown, RegExp]> = [
    [() => store.run('insert into song values (?)', []), /0 values for 1 placeholders/],
    [() => store.run('insert into song values (?)', ['a', 'b']), /2 values for 1 placeholders/],
    [() => store.run('insert into song values (:title)', { tilte: 'a' }), /No value for :title/],
    [() => store.run('delete from song; drop table song'), /More than one statement/],
  ];
  for (const [call, message] of refused) assert.throws(call, message);
  store.run("insert into song values ('a; b -- ? :c')");
  assert.deepEqual(store.all('select * from song'), [{ title: 'a; b -- ? :c' }]);
});

test('an error undoes its transaction; a nested transaction is undone alone', async (t) => {
  const store = await testStore(t);
  store.run('create table song (title text)');
  const add = (title: string) => store.run('insert into song values (?)', [title]);
  assert.throws(
    () =>
      store.transaction(() => {
        add('lost');
        throw new Error('no');
      }),
    /no/,
  );
  const result = store.transaction(() => {
    add('kept');
    assert.throws(() =>
      store.transaction(() => {
        add('lost too');
        throw new Error('inner');
      }),
    );
    return store.transaction(() => add('kept too').changes);
  });
  assert.equal(result, 1);
  assert.deepEqual(store.all('select title from song'), [{ title: 'kept' }, { title: 'kept too' }]);
});

test('an asynchronous transaction is refused and undone', async (t) => {
  const store = await testStore(t);
  store.run('create table song (title text)');
  assert.throws(
    () => store.transaction(async () => store.run("insert into song values ('a')")),
    /synchronous/,
  );
  assert.deepEqual(store.all('select * from song'), []);
});

test('reading changes nothing that must be saved; every kind of writing does', async (t) => {
  const store = await testStore(t);
  store.run('create table song (id integer primary key, title text)');
  const writes: Array<() => unknown> = [
    () => store.run("insert into song (title) values ('a')"),
    () => store.get("insert into song (title) values ('b') returning id"),
    () =>
      store.run('with last(n) as (select max(id) from song) update song set title = title where id in last'),
    () => store.run('create index by_title on song (title)'),
  ];
  for (const write of writes) {
    await store.saveNow();
    store.all('select * from song');
    store.get('pragma user_version');
    store.run("update song set title = 'x' where id = 99");
    assert.throws(() => store.transaction(() => store.run('delete from song') && assert.fail('undo')));
    assert.equal(store.state().unsavedChanges, false);
    write();
    assert.equal(store.state().unsavedChanges, true);
  }
});

test('400 different statements all work twice, although fewer are kept prepared', async (t) => {
  const store = await testStore(t);
  const ask = (n: number) => store.get<{ n: number }>(`select ${n} as n`)?.n;
  const numbers = Array.from({ length: 400 }, (_, n) => n);
  assert.deepEqual([...numbers.map(ask), ...numbers.map(ask)], [...numbers, ...numbers]);
});

test('a closed store refuses statements', async (t) => {
  const store = await testStore(t);
  await store.close();
  assert.throws(() => store.get('select 1'), { code: 'STORE_ERROR', message: 'The state file is closed.' });
});
