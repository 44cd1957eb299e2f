import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { acquireHome } from '../../src/store/home/lock.ts';
import { readServerFile, removeServerFile, writeServerFile } from '../../src/store/home/serverFile.ts';
import { temporaryHome } from './testStore.ts';

const content = (pid: number) => ({
  pid,
  startedAt: '2026-01-15T12:00:00.000Z',
  version: '0.1.0',
  baseUrl: 'http://127.0.0.1:4980',
  socket: '/nowhere/relay.sock',
});

test('what a server writes is found while it runs, and gone when it is removed', async (t) => {
  const home = temporaryHome(t);
  const lock = await acquireHome(home, 'relay serve');
  assert.equal(await readServerFile(home), null);
  await writeServerFile(home, content(1));
  await writeServerFile(home, content(process.pid));
  assert.deepEqual(await readServerFile(home), content(process.pid));
  assert.deepEqual((await readdir(home)).sort(), ['relay.lock', 'server.json']);
  if (process.platform !== 'win32') {
    assert.equal((await stat(join(home, 'server.json'))).mode & 0o777, 0o600);
  }
  await removeServerFile(home);
  await lock.release();
  assert.deepEqual(await readdir(home), []);
});

test('a file that cannot be read means that no server runs', async (t) => {
  const home = temporaryHome(t);
  for (const text of ['', '{', '{"pid":"1"}', '[]']) {
    await writeFile(join(home, 'server.json'), text);
    assert.equal(await readServerFile(home), null);
  }
});

test("another server's file is not removed", async (t) => {
  const home = temporaryHome(t);
  await writeServerFile(home, content(process.ppid));
  await removeServerFile(home);
  assert.deepEqual(await readdir(home), ['server.json']);
});
