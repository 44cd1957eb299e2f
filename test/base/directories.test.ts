import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { makeDirectories, makeDirectoriesSync } from '../../src/base/directories.ts';
import { relay, temporaryHome } from '../support/cli.ts';

test('missing directories are created for the user alone, and existing ones stay', async (context) => {
  const home = temporaryHome(context);
  const path = join(home, 'a', 'b', 'c');
  const both = [await makeDirectories(path), await makeDirectories(path)];
  assert.deepEqual(both, [[path, join(home, 'a', 'b'), join(home, 'a')], []]);
  assert.deepEqual(
    [join(home, 'a'), path].map((one) => statSync(one).mode & 0o777),
    [0o700, 0o700],
  );
});

test('a read-only disk is reported as read-only, whatever is missing on it', async (context) => {
  const home = temporaryHome(context);
  const readOnly = async (path: string, options: { mode: number }) => {
    if (path.startsWith(join(home, 'disk', 'a', 'b'))) return mkdir(path, options);
    throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
  };
  await mkdir(join(home, 'disk'));
  await assert.rejects(makeDirectories(join(home, 'disk', 'a', 'b'), { make: readOnly }), { code: 'EROFS' });
  await makeDirectories(join(home, 'disk'), { make: readOnly });
});

test('a file in the place of a directory is reported, and stays', async (context) => {
  const home = temporaryHome(context);
  writeFileSync(join(home, 'file'), 'kept');
  await assert.rejects(makeDirectories(join(home, 'file')), { code: 'EEXIST' });
  await assert.rejects(makeDirectories(join(home, 'file', 'a')), { code: 'ENOTDIR' });
  assert.equal(existsSync(join(home, 'file')), true);
});

test('a place that takes no directories is reported at once', {
  skip: process.platform !== 'linux',
}, async () => {
  const path = '/proc/relay/home';
  await assert.rejects(makeDirectories(path), { code: 'ENOENT' });
  assert.throws(() => makeDirectoriesSync(path), { code: 'ENOENT' });
  const set = await relay(['config', 'set', 'port', '4999', '--home', path]);
  assert.deepEqual([set.code, set.out], [1, '']);
  assert.match(set.err, /\/proc\/relay\/home\/config\.json cannot be written: ENOENT/);
});
