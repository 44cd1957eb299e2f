import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { test } from 'node:test';
import { silentLog } from '../../src/base/log.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { until } from '../support/until.ts';
import { testDisk } from './testDisk.ts';
import { manualClock, NOON, storeOnDisk, temporaryHome, testStore } from './testStore.ts';

const add = (store: Store, name: string) =>
  store.run('insert into meta (name, value) values (?, 1)', [`test_${name}`]);

const names = (store: Store) =>
  store
    .all<{ name: string }>("select name from meta where name like 'test_%' order by name")
    .map((row) => row.name.slice(5));

/** What another program would find in the file now. */
async function onDisk(store: Store, home: string): Promise<string[]> {
  const copy = await mkdtemp(`${home}-copy-`);
  await copyFile(store.state().path, `${copy}/relay.db`);
  const other = await openStore({ home: copy, clock: manualClock(), log: silentLog });
  const found = names(other);
  await other.close();
  await rm(copy, { recursive: true });
  return found;
}

test('a hundred callers at once share one save', async (t) => {
  const { store, disk } = await storeOnDisk(t);
  const before = disk.saves();
  await Promise.all(
    Array.from({ length: 100 }, (_, n) => store.durable(() => add(store, String(n).padStart(3, '0')))),
  );
  assert.equal(disk.saves() - before, 1);
  assert.equal(names(store).length, 100);
});

test('a change during a save is in the next one, and its caller waits for that', async (t) => {
  const { store, disk, home } = await storeOnDisk(t);
  const before = disk.saves();
  const release = disk.hold();
  const first = store.durable(() => add(store, 'first'));
  await new Promise((resolve) => setImmediate(resolve));
  const second = store.durable(() => add(store, 'second'));
  release();
  await first;
  assert.deepEqual(await onDisk(store, home), ['first']);
  await second;
  assert.deepEqual(await onDisk(store, home), ['first', 'second']);
  assert.equal(disk.saves() - before, 2);
});

test('saveNow inside a transaction saves what the transaction leaves', async (t) => {
  const { store, home } = await storeOnDisk(t);
  let saved: Promise<void> | undefined;
  store.transaction(() => {
    add(store, 'one');
    saved = store.saveNow();
    add(store, 'two');
  });
  await saved;
  assert.deepEqual(await onDisk(store, home), ['one', 'two']);
});

test('saveNow without a change writes nothing', async (t) => {
  const { store, disk } = await storeOnDisk(t);
  const before = disk.saves();
  await store.saveNow();
  assert.equal(disk.saves(), before);
});

test('saveSoon saves many changes once, within a second', async (t) => {
  const { store, disk, clock } = await storeOnDisk(t);
  const before = disk.saves();
  for (const name of ['a', 'b', 'c']) {
    add(store, name);
    store.saveSoon();
  }
  assert.deepEqual(clock.asked, [500]);
  assert.deepEqual(store.state(), { ...store.state(), unsavedChanges: true, lastSavedAt: NOON });
  clock.advance(500);
  await until(() => !store.state().unsavedChanges);
  assert.deepEqual(store.state(), { ...store.state(), status: 'ok', lastSavedAt: NOON + 500 });
  assert.equal(disk.saves() - before, 1);
});

test('the larger the file, the longer saveSoon gathers changes; a durable change is saved at once', async (t) => {
  const { store, disk, clock } = await storeOnDisk(t);
  const delays: Array<[size: number, delay: number]> = [];
  for (const size of [0, 4_000_000, 11_000_000]) {
    const ballast = new Uint8Array(size);
    await store.durable(() =>
      store.run("insert or replace into meta (name, value) values ('b', ?)", [ballast]),
    );
    const before = disk.saves();
    add(store, String(size));
    store.saveSoon();
    const [delay = 0] = clock.asked;
    delays.push([store.state().sizeBytes, delay]);
    clock.advance(delay - 1);
    assert.deepEqual([disk.saves() - before, store.state().unsavedChanges], [0, true]);
    clock.advance(1);
    await until(() => !store.state().unsavedChanges);
  }
  const [, [middle] = [0, 0]] = delays;
  assert.deepEqual(
    delays.map(([, delay]) => delay),
    [500, Math.round(middle / 500), 20_000],
  );
});

test('of two servers that do not see each other the second does not save over the first', async (t) => {
  const { store: first, home, clock } = await storeOnDisk(t);
  const second = await testStore(t, { home, clock });
  await first.durable(() => add(first, 'first'));
  for (const n of [1, 2]) {
    const failing = second.durable(
      () => add(second, 'second'),
      () => second.run("delete from meta where name = 'test_second'"),
    );
    await assert.rejects(failing, {
      code: 'STORE_ERROR',
      message: `Another relay process uses this home and has changed ${first.state().path}, so this process does not save over it.`,
    });
    assert.equal(second.state().status, 'degraded');
    await first.durable(() => add(first, `more ${n}`));
  }
  assert.deepEqual(await onDisk(first, home), ['first', 'more 1', 'more 2']);
  assert.deepEqual((await readdir(home)).sort(), ['relay.db']);
});

test('two servers that make one home at once: the second does not save over the first', async (t) => {
  const home = temporaryHome(t);
  const disk = testDisk();
  const release = disk.hold();
  const late = openStore({ home, clock: manualClock(), log: silentLog, disk: disk.disk });
  const refused = assert.rejects(late, { code: 'HOME_UNUSABLE' });
  const first = await testStore(t, { home });
  await first.durable(() => add(first, 'first'));
  release();
  await refused;
  assert.deepEqual(await onDisk(first, home), ['first']);
});

test('a state file that was deleted is made again', async (t) => {
  const { store, home } = await storeOnDisk(t);
  await store.durable(() => add(store, 'a'));
  await rm(store.state().path);
  await store.durable(() => add(store, 'c'));
  assert.deepEqual(await onDisk(store, home), ['a', 'c']);
});

test('the file is for its owner alone, and its size is known', async (t) => {
  const store = await testStore(t);
  await store.durable(() => add(store, 'a'));
  const { mode, size } = await stat(store.state().path);
  assert.equal(store.state().sizeBytes, size);
  if (process.platform !== 'win32') assert.equal(mode & 0o777, 0o600);
});

for (const [code, step, reason] of [
  ['ENOSPC', 'writeSynced', 'the disk is full'],
  ['EROFS', 'writeSynced', 'the file system is read-only'],
  ['EACCES', 'rename', 'the directory is not writable'],
  ['EIO', 'syncDirectory', 'EIO: simulated'],
] as const) {
  // A read-only directory would not stop a test that runs as root. So the file functions given to the store fail instead.
  test(`${code} at ${step}: the change is refused and undone, the file stays, and a retry succeeds`, async (t) => {
    const { store, disk, home, clock } = await storeOnDisk(t);
    await store.durable(() => add(store, 'kept'));
    disk.fail(code, step);
    const failing = store.durable(
      () => add(store, 'lost'),
      () => store.run("delete from meta where name = 'test_lost'"),
    );
    await assert.rejects(failing, {
      code: 'STORE_ERROR',
      message: `The state cannot be saved to ${store.state().path}: ${reason}.`,
    });
    assert.deepEqual(names(store), ['kept']);
    assert.equal(store.state().status, 'degraded');
    assert.deepEqual(await readdir(home), ['relay.db']);
    if (step !== 'syncDirectory') assert.deepEqual(await onDisk(store, home), ['kept']);
    disk.fail(null);
    clock.advance(1_000);
    await until(() => store.state().status === 'ok');
    assert.deepEqual(await onDisk(store, home), ['kept']);
    assert.equal(store.state().unsavedChanges, false);
  });
}

test('while the disk fails a durable change is not even begun', async (t) => {
  const { store, disk } = await storeOnDisk(t);
  disk.fail('ENOSPC');
  await assert.rejects(store.durable(() => add(store, 'first')));
  let begun = false;
  const second = store.durable(() => {
    begun = true;
  });
  await assert.rejects(second, { code: 'STORE_ERROR' });
  assert.equal(begun, false);
});

test('once there is space again, a durable change is saved without waiting for a retry', async (t) => {
  const { store, disk, home } = await storeOnDisk(t);
  disk.fail('ENOSPC');
  await assert.rejects(store.durable(() => add(store, 'first')));
  disk.fail(null);
  await store.durable(() => add(store, 'second'));
  // The first change was given no undo. It stayed in memory and was saved with the second.
  assert.deepEqual(await onDisk(store, home), ['first', 'second']);
  assert.equal(store.state().status, 'ok');
});

test('a failed change that was undone does not reach the disk with the next one', async (t) => {
  const { store, disk, home } = await storeOnDisk(t);
  const release = disk.hold();
  disk.fail('ENOSPC');
  const failing = store.durable(
    () => add(store, 'lost'),
    () => store.run("delete from meta where name = 'test_lost'"),
  );
  await new Promise((resolve) => setImmediate(resolve));
  add(store, 'next');
  const next = store.saveNow().then(() => onDisk(store, home));
  release();
  await Promise.all([assert.rejects(failing).then(() => disk.fail(null)), assert.doesNotReject(next)]);
  assert.deepEqual(await next, ['next']);
});

test('retries come at growing intervals, at most a minute apart', async (t) => {
  const { store, disk, clock } = await storeOnDisk(t);
  disk.fail('ENOSPC');
  await assert.rejects(store.durable(() => add(store, 'a')));
  const delays: number[] = [];
  while (delays.length < 8) {
    const [delay = 0] = clock.asked;
    delays.push(delay);
    clock.advance(delay);
    await until(() => clock.sleeping > 0);
  }
  assert.deepEqual(delays, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

test('a failing background save shows in the state and nowhere else', async (t) => {
  const { store, disk, clock } = await storeOnDisk(t);
  disk.fail('ENOSPC');
  add(store, 'a');
  store.saveSoon();
  clock.advance(500);
  await until(() => store.state().status === 'degraded');
  assert.deepEqual(names(store), ['a']);
});

test('close saves what is not saved, and says so when it cannot', async (t) => {
  const { store: first, disk, home } = await storeOnDisk(t);
  add(first, 'a');
  first.saveSoon();
  await first.close();
  const second = await testStore(t, { home, disk: disk.disk });
  assert.deepEqual(names(second), ['a']);
  add(second, 'b');
  const bytes = await readFile(second.state().path);
  disk.fail('ENOSPC');
  await assert.rejects(second.close(), { code: 'STORE_ERROR' });
  assert.deepEqual(await readFile(second.state().path), bytes);
});
