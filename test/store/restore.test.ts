import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import initSqlJs from 'sql.js';
import { silentLog } from '../../src/base/log.ts';
import { MIGRATIONS } from '../../src/generated/sql.ts';
import { backUpState } from '../../src/store/backup.ts';
import { openCopy, replaceFiles } from '../../src/store/restore.ts';
import type { Migration } from '../../src/store/sql/migrate.ts';
import { openStore, stateFilePath } from '../../src/store/store.ts';
import { buildChild } from './children/build.ts';
import { testDisk } from './testDisk.ts';
import { inspectStateFile, manualClock, temporaryHome } from './testStore.ts';

const newest = MIGRATIONS.at(-1)?.version ?? 0;
const KEPT = 'relay.db.before-restore-20260115T120000Z';
const KILLS = 2;

/** A home whose state holds the row `content`. */
async function homeWith(t: TestContext, content: string, migrations?: readonly Migration[], ballast = 0) {
  const home = temporaryHome(t);
  const store = await openStore({
    home,
    clock: manualClock(),
    log: silentLog,
    ...(migrations ? { migrations } : {}),
  });
  await store.durable(() => {
    store.run("insert into meta (name, value) values ('test_row', ?)", [content]);
    store.run("insert into meta (name, value) values ('test_ballast', ?)", [new Uint8Array(ballast)]);
  });
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

test(`after each of ${KILLS} kills the state is whole, as before or after a restore, and what it replaced is kept`, async (t) => {
  const program = buildChild('restorer');
  const ballast = 1_000_000;
  const first = await homeWith(t, 'first', MIGRATIONS, ballast);
  const second = await homeWith(t, 'second', MIGRATIONS, ballast);
  for (let kill = 1; kill <= KILLS; kill++) {
    const { home, path } = await homeWith(t, 'present', MIGRATIONS, ballast);
    const rounds = await restoreAndKill(program, [home, first.path, second.path], Math.random() * 30);
    const context = `kill ${kill}, in round ${rounds}`;
    await inspectStateFile(path);
    const content = (await rowIn(home)) ?? '';
    assert.ok(['present', 'first', 'second'].includes(content), context);
    const kept = (await readdir(home)).filter((name) => name.includes('.before-restore-'));
    for (const name of kept) await inspectStateFile(join(home, name));
    if (content !== 'present') assert.ok(kept.length > 0, context);
    assert.ok(rounds === 0 || content !== 'present', context);
  }
});

/** Returns how many restores had certainly ended before the kill. */
async function restoreAndKill(program: string, args: string[], delayMs: number): Promise<number> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let rounds = -1;
  createInterface(child.stdout).on('line', (line) => {
    rounds = Number(line);
    if (rounds === 0) setTimeout(() => child.kill('SIGKILL'), delayMs);
  });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL');
  return rounds;
}

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
