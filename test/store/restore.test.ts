import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import initSqlJs from 'sql.js';
import { silentLog } from '../../src/base/log.ts';
import { MIGRATIONS } from '../../src/generated/sql.ts';
import { backUpState } from '../../src/store/backup.ts';
import { type Disk, machineDisk } from '../../src/store/disk.ts';
import { openCopy, replaceFiles } from '../../src/store/restore.ts';
import type { Migration } from '../../src/store/sql/migrate.ts';
import { openStore, stateFilePath } from '../../src/store/store.ts';
import { testDisk } from './testDisk.ts';
import { inspectStateFile, manualClock, temporaryHome } from './testStore.ts';

const newest = MIGRATIONS.at(-1)?.version ?? 0;
const KEPT = 'relay.db.before-restore-20260115T120000Z';

/** A home whose state holds the row `content`. */
async function homeWith(t: TestContext, content: string, migrations?: readonly Migration[]) {
  const home = temporaryHome(t);
  const store = await openStore({
    home,
    clock: manualClock(),
    log: silentLog,
    ...(migrations ? { migrations } : {}),
  });
  await store.durable(() => store.run("insert into meta (name, value) values ('test_row', ?)", [content]));
  await store.close();
  return { home, path: join(home, 'relay.db') };
}

async function rowIn(home: string): Promise<string | undefined> {
  const store = await openStore({ home, clock: manualClock(), log: silentLog });
  const row = store.get<{ value: string }>("select value from meta where name = 'test_row'");
  await store.close();
  return row?.value;
}

async function restore(file: string, home: string, disk = testDisk()) {
  const copy = await openCopy(file, home, manualClock());
  try {
    const state = { path: await stateFilePath(home), content: copy.content };
    const [replaced] = await replaceFiles([state], manualClock(), disk.disk);
    return replaced;
  } finally {
    await copy.store.close(true);
  }
}

test('the copy takes the place of the state, which is kept under a name that says when', async (t) => {
  const { home, path } = await homeWith(t, 'present');
  const copy = await homeWith(t, 'copied');
  await chmod(path, 0o644);
  const before = await readFile(path);
  assert.deepEqual(await restore(copy.path, home), { path, keptPath: join(home, KEPT) });
  assert.deepEqual(await readFile(join(home, KEPT)), before);
  for (const name of await readdir(home)) assert.equal((await stat(join(home, name))).mode & 0o777, 0o600);
  assert.equal(await rowIn(home), 'copied');
});

test('what was kept before is never overwritten', async (t) => {
  const { home } = await homeWith(t, 'first');
  const second = await homeWith(t, 'second');
  await restore(second.path, home);
  const restored = await readFile(join(home, 'relay.db'));
  await restore(join(home, KEPT), home);
  assert.equal(await rowIn(home), 'first');
  assert.deepEqual((await readdir(home)).sort(), ['relay.db', KEPT, `${KEPT}-2`].sort());
  assert.deepEqual(await readFile(join(home, `${KEPT}-2`)), restored);
});

test('a damaged state is replaced and kept as it is', async (t) => {
  const { home, path } = await homeWith(t, 'present');
  const copy = await homeWith(t, 'copied');
  await writeFile(path, 'not a database');
  await restore(copy.path, home);
  assert.equal(await rowIn(home), 'copied');
  assert.equal(await readFile(join(home, KEPT), 'utf8'), 'not a database');
});

test('a home whose state lies behind a link keeps the link', async (t) => {
  const { path } = await homeWith(t, 'present');
  const copy = await homeWith(t, 'copied');
  const home = temporaryHome(t);
  await symlink(path, join(home, 'relay.db'));
  assert.deepEqual(await restore(copy.path, home), { path, keptPath: join(path, '..', KEPT) });
  assert.equal(await rowIn(home), 'copied');
  assert.deepEqual(await readdir(home), ['relay.db']);
});

test('a copy of an earlier schema is refused, and the present state stays', async (t) => {
  const earlier = await homeWith(t, 'old');
  const { Database } = await initSqlJs();
  const db = new Database(await readFile(earlier.path));
  db.exec(`pragma user_version = ${(MIGRATIONS[0]?.version ?? 0) - 1}`);
  await writeFile(earlier.path, db.export());
  db.close();
  const { home } = await homeWith(t, 'present');
  await assert.rejects(openCopy(earlier.path, home, manualClock()), { code: 'STATE_DAMAGED' });
  assert.equal(await rowIn(home), 'present');
});

test('a file of a newer schema is refused: there is nothing to compare it with', async (t) => {
  const later = { version: newest + 1, name: 'later', oldestCompatible: newest, sql: 'select 1;' };
  const newer = await homeWith(t, 'new', [...MIGRATIONS, later]);
  const { home } = await homeWith(t, 'present');
  await assert.rejects(openCopy(newer.path, home, manualClock()), {
    code: 'STATE_TOO_NEW',
    remedy: 'The state of this home is unchanged. Restore with the newer relay that made the copy.',
  });
});

for (const step of ['writeSynced', 'rename', 'syncDirectory'] as const) {
  test(`a disk that fails at ${step} leaves the state as it was`, async (t) => {
    const { home, path } = await homeWith(t, 'present');
    const copy = await homeWith(t, 'copied');
    const before = await readFile(path);
    const disk = testDisk();
    disk.fail('ENOSPC', step);
    await assert.rejects(restore(copy.path, home, disk), {
      code: 'STORE_ERROR',
      message: `The copy cannot replace ${path}: the disk is full.`,
      remedy: 'Free some space, then restore again. Nothing was lost.',
    });
    assert.deepEqual(await readFile(path), before);
    assert.deepEqual(await readdir(home), ['relay.db']);
  });
}

test('if only the last step fails, the state of before is put back', async (t) => {
  const { home, path } = await homeWith(t, 'present');
  const copy = await homeWith(t, 'copied');
  const before = await readFile(path);
  const disk = testDisk();
  const { rename } = disk.disk;
  disk.disk.rename = async (from, to) => {
    disk.fail(null);
    await rename(from, to);
    if (to === path) disk.fail('EIO', 'syncDirectory');
  };
  await assert.rejects(restore(copy.path, home, disk), { code: 'STORE_ERROR' });
  assert.deepEqual(await readFile(path), before);
  assert.deepEqual(await readdir(home), ['relay.db']);
});

/** The machine's disk, until the program is killed after some steps: then nothing happens any more, and nothing is cleaned up. */
function dyingDisk(steps: number): Disk {
  const get = (disk: Disk, name: keyof Disk) => {
    const step = disk[name] as (...given: never[]) => Promise<unknown>;
    return async (...given: never[]) => {
      if (steps-- <= 0) throw new Error('The program was killed.');
      return step(...given);
    };
  };
  return new Proxy(machineDisk, { get: (disk, name) => get(disk, name as keyof Disk) });
}

test('wherever a kill ends a restore, the state is whole, as before or after it, and what it replaced is kept', async (t) => {
  const copy = await homeWith(t, 'copied');
  const found: unknown[] = [];
  for (let steps = 0; steps < 4; steps++) {
    const { home, path } = await homeWith(t, 'present');
    await restore(copy.path, home, { ...testDisk(), disk: dyingDisk(steps) }).catch(() => {});
    found.push((await inspectStateFile(path)).row);
    const kept = (await readdir(home)).filter((name) => name.endsWith(KEPT));
    for (const name of kept) assert.equal((await inspectStateFile(join(home, name))).row, 'present');
    if (found.at(-1) === 'copied') assert.equal(kept.length, 1);
  }
  assert.deepEqual(found, ['present', 'present', 'copied', 'copied']);
});

test('a state that is copied, changed and restored is as it was', async (t) => {
  const { home, path } = await homeWith(t, 'present');
  const file = join(temporaryHome(t), 'copy');
  await backUpState({ source: path, file, force: false });
  const store = await openStore({ home, clock: manualClock(), log: silentLog });
  await store.durable(() => store.run("update meta set value = 'changed' where name = 'test_row'"));
  await store.close();
  await restore(file, home);
  assert.equal(await rowIn(home), 'present');
});
