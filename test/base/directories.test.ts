import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeDirectories } from '../../src/base/filesSync.ts';
import { temporaryHome } from '../support/cli.ts';

test('missing directories are created for the user alone, and existing ones stay', (context) => {
  const home = temporaryHome(context);
  const path = join(home, 'a', 'b', 'c');
  const both = [makeDirectories(path), makeDirectories(path)];
  assert.deepEqual(both, [[path, join(home, 'a', 'b'), join(home, 'a')], []]);
  const modes = [join(home, 'a'), path].map((one) => statSync(one).mode & 0o777);
  if (process.platform !== 'win32') assert.deepEqual(modes, [0o700, 0o700]);
});

test('a file in the place of a directory is reported, and stays', (context) => {
  const file = join(temporaryHome(context), 'file');
  writeFileSync(file, 'kept');
  assert.throws(() => makeDirectories(file), { code: 'EEXIST' });
  // Newer versions of Node see only the file itself.
  assert.throws(() => makeDirectories(join(file, 'a')), { code: /^(ENOTDIR|EEXIST)$/ });
  assert.equal(existsSync(file), true);
});
