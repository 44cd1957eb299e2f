import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { backUpState } from '../../src/store/backup.ts';
import { machineDisk } from '../../src/store/disk.ts';
import { testDisk } from './testDisk.ts';
import { temporaryHome, testStore } from './testStore.ts';

/** A home with a state, and a directory for copies. */
async function desk(t: TestContext) {
  const store = await testStore(t);
  await store.durable(() => store.run("insert into meta (name, value) values ('test_row', 'kept')"));
  const { path: source, schemaVersion } = store.state();
  const folder = temporaryHome(t);
  return { store, source, schemaVersion, folder, file: join(folder, 'my copy ü.backup') };
}

test('a copy is the file byte for byte, readable by its owner alone, and leaves nothing beside it', async (t) => {
  const { source, schemaVersion, folder, file } = await desk(t);
  const before = await stat(source);
  const backup = await backUpState({ source, file, force: false });
  const bytes = await readFile(source);
  assert.deepEqual(backup, {
    path: file,
    sizeBytes: bytes.length,
    schemaVersion,
    savedAt: Math.round(before.mtimeMs),
    keptPlaylists: 0,
    rows: {},
    left: [],
  });
  assert.deepEqual(await readFile(file), bytes);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(folder), ['my copy ü.backup']);
  assert.equal((await stat(source)).mtimeMs, before.mtimeMs);
});

test('an earlier copy is replaced only with force, and no other file is left beside it', async (t) => {
  const { store, source, file, folder } = await desk(t);
  await backUpState({ source, file, force: false });
  const first = await readFile(file);
  await store.durable(() => store.run("update meta set value = 'changed' where name = 'test_row'"));
  await assert.rejects(backUpState({ source, file, force: false }), {
    code: 'USAGE',
    message: `${file} already exists.`,
  });
  assert.deepEqual(await readFile(file), first);
  await backUpState({ source, file, force: true });
  assert.deepEqual(await readFile(file), await readFile(source));
  assert.deepEqual(await readdir(folder), ['my copy ü.backup']);
});

test('force also works without an earlier copy, and replaces the file that a link leads to', async (t) => {
  const { source, file, folder } = await desk(t);
  await backUpState({ source, file, force: true });
  await truncate(file, 5_000);
  await symlink(file, join(folder, 'link'));
  const { path } = await backUpState({ source, file: join(folder, 'link'), force: true });
  assert.equal(path, file);
  assert.deepEqual(await readFile(file), await readFile(source));
});

test('a file that somebody makes while the copy is being written stays', async (t) => {
  const { source, file, folder } = await desk(t);
  const disk = { ...machineDisk };
  disk.writeSynced = async (path, content) => {
    await machineDisk.writeSynced(path, content);
    await writeFile(file, 'mine');
  };
  await assert.rejects(backUpState({ source, file, force: false, disk }), { code: 'USAGE' });
  assert.equal(await readFile(file, 'utf8'), 'mine');
  assert.deepEqual(await readdir(folder), ['my copy ü.backup']);
});

test('force replaces nothing but copies', async (t) => {
  const { source, folder } = await desk(t);
  const key = join(folder, 'master.key');
  for (const content of ['the key', '', 'x'.repeat(500)]) {
    await writeFile(key, content);
    await assert.rejects(backUpState({ source, file: key, force: true }), {
      code: 'USAGE',
      message: `${key} is not a copy of the state, so it was not replaced.`,
    });
    assert.equal(await readFile(key, 'utf8'), content);
  }
  assert.deepEqual(await readdir(folder), ['master.key']);
});

test('paths that cannot be used are refused, and the error names them', async (t) => {
  const { source, folder } = await desk(t);
  await mkdir(join(folder, 'inner'));
  await writeFile(join(folder, 'text'), 'text');
  await symlink(source, join(folder, 'alias'));
  const cases: Array<[file: string, message: string]> = [
    [source, `${source} is the state file itself.`],
    [join(folder, 'alias'), `${source} is the state file itself.`],
    [join(folder, 'inner'), `${join(folder, 'inner')} is a directory.`],
    [`${folder}/inner/`, `${join(folder, 'inner')} is a directory.`],
    [`${folder}/none/`, `There is no directory ${join(folder, 'none')}.`],
    [join(folder, 'none', 'copy'), `There is no directory ${join(folder, 'none')}.`],
    [join(folder, 'text', 'copy'), `There is no directory ${join(folder, 'text')}.`],
  ];
  for (const force of [false, true]) {
    for (const [file, message] of cases) {
      await assert.rejects(backUpState({ source, file, force }), { code: 'USAGE', message });
    }
  }
  assert.deepEqual((await readdir(folder)).sort(), ['alias', 'inner', 'text']);
});

test('no copy takes the place of a file that relay uses, in this home, the demo’s or another', async (t) => {
  const { source, folder } = await desk(t);
  const home = dirname(source);
  const demo = join(home, 'demo');
  const other = join(folder, 'other');
  const shelf = join(folder, 'shelf');
  for (const path of [demo, other, shelf]) {
    await mkdir(path);
    await copyFile(source, join(path, 'relay.db'));
  }
  await writeFile(join(other, 'relay.log'), '');
  await symlink(home, join(folder, 'alias'));
  const own = [
    join(home, 'config.json'),
    join(home, 'oauth-clients.json'),
    join(home, 'master.key'),
    join(folder, 'alias', 'library.db'),
    join(demo, 'relay.db'),
    join(other, 'relay.db'),
    join(other, 'memory.db'),
  ];
  for (const file of own) {
    await assert.rejects(backUpState({ source, file, force: true }), {
      code: 'USAGE',
      message: `${file} is the place of a file that relay itself uses.`,
    });
  }
  // The demo's copy cannot replace the real state either.
  await assert.rejects(backUpState({ source: join(demo, 'relay.db'), file: source, force: true }), {
    message: `${source} is the place of a file that relay itself uses.`,
  });
  assert.deepEqual((await readdir(home)).sort(), ['demo', 'relay.db']);
  for (const file of [join(shelf, 'relay.db'), join(home, 'relay.backup')])
    assert.equal((await backUpState({ source, file, force: true })).path, file);
});

test('a home without a state has nothing to copy', async (t) => {
  const { folder, file } = await desk(t);
  await assert.rejects(backUpState({ source: join(folder, 'home', 'relay.db'), file, force: false }), {
    code: 'NOT_FOUND',
    message: `There is no state in ${join(folder, 'home')} yet.`,
  });
  assert.deepEqual(await readdir(folder), []);
});

test('a damaged state is not copied', async (t) => {
  const { source, file, folder } = await desk(t);
  const bytes = await readFile(source);
  for (const spoilt of [Buffer.alloc(0), bytes.subarray(0, 9_000), bytes.fill(0x5a, 4_096)]) {
    await writeFile(source, spoilt);
    await assert.rejects(backUpState({ source, file, force: false }), { code: 'STATE_DAMAGED' });
  }
  assert.deepEqual(await readdir(folder), []);
});

for (const step of ['writeSynced', 'rename'] as const) {
  test(`a disk that fails at ${step} leaves the earlier copy and nothing half done`, async (t) => {
    const { source, file, folder } = await desk(t);
    await backUpState({ source, file, force: false });
    const before = await readFile(file);
    const disk = testDisk();
    disk.fail('ENOSPC', step);
    await assert.rejects(backUpState({ source, file, force: true, disk: disk.disk }), {
      code: 'STORE_ERROR',
      message: `The copy cannot be written to ${file}: the disk is full.`,
      remedy: 'Free some space, or give another path.',
    });
    assert.deepEqual(await readFile(file), before);
    assert.deepEqual(await readdir(folder), ['my copy ü.backup']);
  });
}

test('a copy that cannot be read back does not get its name', async (t) => {
  const { source, file, folder } = await desk(t);
  const disk = { ...machineDisk };
  disk.writeSynced = async (path) => machineDisk.writeSynced(path, (await readFile(source)).subarray(1));
  await assert.rejects(backUpState({ source, file, force: false, disk }), { code: 'STORE_ERROR' });
  assert.deepEqual(await readdir(folder), []);
});
