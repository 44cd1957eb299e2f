import assert from 'node:assert/strict';
import { chmod, chown, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { unpackAddon } from '../../src/secrets/keychainHelper.ts';
import { temporaryHome } from '../store/testStore.ts';

const CONTENT = Buffer.from('an addon');
const onWindows = process.platform === 'win32' ? 'Windows has access control lists, not file modes' : false;

test('the addon is unpacked for this user alone, and what is there already is used only if it is the same', async (t) => {
  const place = join(temporaryHome(t), 'cache', 'relay');
  const path = unpackAddon(place, CONTENT);
  assert.deepEqual(await readFile(path), CONTENT);
  const { ino } = await stat(path);
  assert.equal(unpackAddon(place, CONTENT), path);
  assert.equal((await stat(path)).ino, ino);
  await writeFile(path, 'something else');
  unpackAddon(place, CONTENT);
  assert.deepEqual(await readFile(path), CONTENT);
  const modes = [place, dirname(path), path].map(async (one) => (await stat(one)).mode & 0o777);
  if (!onWindows) assert.deepEqual(await Promise.all(modes), [0o700, 0o700, 0o600]);
});

test('an addon is never unpacked where another user could replace it', { skip: onWindows }, async (t) => {
  const home = temporaryHome(t);
  const place = join(home, 'relay');
  const folder = dirname(unpackAddon(place, CONTENT));
  for (const path of [place, folder]) {
    const refused = { message: `${path} can be changed by other users` };
    await chmod(path, 0o770);
    assert.throws(() => unpackAddon(place, CONTENT), refused);
    await chmod(path, 0o700);
    if (process.getuid?.() !== 0) continue;
    await chown(path, 65_534, 65_534);
    assert.throws(() => unpackAddon(place, CONTENT), refused);
    await chown(path, 0, 0);
  }
  await mkdir(join(home, 'elsewhere'), { mode: 0o700 });
  await symlink(join(home, 'elsewhere'), join(home, 'link'));
  assert.throws(() => unpackAddon(join(home, 'link'), CONTENT), /link can be changed by other users/);
});
