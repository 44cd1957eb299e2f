import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmod,
  chown,
  link,
  mkdir,
  readdir,
  readFile,
  realpath,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { keepByContent } from '../../src/secrets/privateFolder.ts';
import { temporaryHome } from '../store/testStore.ts';

const CONTENT = Buffer.from('an addon');
const HASH = createHash('sha256').update(CONTENT).digest('hex');
const onWindows = process.platform === 'win32' ? 'Windows has access control lists, not file modes' : false;

const base = async (t: TestContext) => realpath(temporaryHome(t));
const keep = (own: string) => keepByContent(own, 'addon.node', CONTENT);
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test('the file is made for this user alone, in a directory named after its hash, and used again', async (t) => {
  const own = join(await base(t), 'cache', 'relay');
  const path = keep(own);
  assert.equal(path, join(own, HASH, 'addon.node'));
  assert.deepEqual(await readFile(path), CONTENT);
  if (!onWindows) {
    assert.deepEqual(
      [await modeOf(dirname(own)), await modeOf(own), await modeOf(dirname(path)), await modeOf(path)],
      ['700', '700', '700', '600'],
    );
  }
  const { ino } = await stat(path);
  assert.equal(keep(own), path);
  assert.equal((await stat(path)).ino, ino);
  assert.deepEqual(await readdir(dirname(path)), ['addon.node']);
});

test('a changed file is replaced', async (t) => {
  const own = join(await base(t), 'relay');
  const path = keep(own);
  await writeFile(path, 'something else');
  keep(own);
  assert.deepEqual(await readFile(path), CONTENT);
});

test('a place that other users can change is refused, and the error names it', {
  skip: onWindows,
}, async (t) => {
  const home = await base(t);
  const parent = join(home, 'shared');
  const own = join(parent, 'relay');
  const folder = join(own, HASH);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const path of [parent, own, folder]) {
    await chmod(path, 0o770);
    assert.throws(() => keep(own), { message: `${path} can be changed by other users` });
    await chmod(path, 0o700);
  }
  // Others may write here, but the sticky bit keeps them from replacing our directory.
  await chmod(parent, 0o1777);
  keep(own);
  if (process.getuid?.() !== 0) return;
  for (const path of [parent, own, folder]) {
    await chown(path, 65_534, 65_534);
    assert.throws(() => keep(own), { message: `${path} can be changed by other users` });
    await chown(path, 0, 0);
  }
});

test('a link in the place of the directory is refused', { skip: onWindows }, async (t) => {
  const home = await base(t);
  await mkdir(join(home, 'elsewhere'), { mode: 0o700 });
  await symlink(join(home, 'elsewhere'), join(home, 'relay'));
  assert.throws(() => keep(join(home, 'relay')), { message: `${join(home, 'relay')} is not a directory` });
});

test('a link in the path is resolved once, so that it cannot be redirected afterwards', {
  skip: onWindows,
}, async (t) => {
  const home = await base(t);
  await mkdir(join(home, 'real'), { mode: 0o700 });
  await symlink(join(home, 'real'), join(home, 'link'));
  assert.equal(keep(join(home, 'link', 'relay')), join(home, 'real', 'relay', HASH, 'addon.node'));
});

test('a file that another user could still change is replaced', { skip: onWindows }, async (t) => {
  const own = join(await base(t), 'relay');
  const path = keep(own);
  const other = join(await base(t), 'other');
  await link(path, other);
  keep(own);
  await writeFile(other, 'changed');
  assert.deepEqual(await readFile(path), CONTENT);
});
