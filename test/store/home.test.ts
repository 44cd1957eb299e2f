import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Log, silentLog } from '../../src/base/log.ts';
import { ensureHome } from '../../src/store/home/home.ts';
import { buildChild } from './children/build.ts';
import { temporaryHome } from './testStore.ts';

const NOBODY = 65_534;
const onWindows = process.platform === 'win32' ? 'Windows keeps rights in access lists' : false;

const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);

function warnings(): { log: Log; said: string[] } {
  const said: string[] = [];
  return { said, log: { ...silentLog, warn: (_fields, message) => said.push(message) } };
}

test('a home is made for its owner alone, with the directories above it', { skip: onWindows }, async (t) => {
  const home = join(temporaryHome(t), 'config', 'relay');
  await ensureHome(home);
  await ensureHome(home);
  assert.equal(await modeOf(home), '700');
});

test('rights that are too wide are taken back, with a warning', { skip: onWindows }, async (t) => {
  for (const content of [null, 'relay.db']) {
    const home = temporaryHome(t);
    if (content) await writeFile(join(home, content), '');
    await chmod(home, 0o755);
    const { log, said } = warnings();
    await ensureHome(home, log);
    assert.equal(await modeOf(home), '700');
    assert.deepEqual(said, ['other users could enter the home directory; now only its owner can']);
  }
});

test("a directory with other people's files keeps its rights", { skip: onWindows }, async (t) => {
  const home = temporaryHome(t);
  await writeFile(join(home, 'thesis.tex'), '');
  await chmod(home, 0o755);
  const { log, said } = warnings();
  await ensureHome(home, log);
  // Relay's own files are there the next time.
  await writeFile(join(home, 'relay.db'), '');
  await ensureHome(home, log);
  assert.equal(await modeOf(home), '755');
  const warning =
    'other users can enter the home directory; its permissions were not changed because it holds other files';
  assert.deepEqual(said, [warning, warning]);
});

test('a home that every user can write to, with files of others, is refused', {
  skip: onWindows,
}, async (t) => {
  const home = temporaryHome(t);
  await writeFile(join(home, 'thesis.tex'), '');
  await chmod(home, 0o777);
  await assert.rejects(ensureHome(home), {
    code: 'HOME_UNUSABLE',
    message: `The home directory ${home} cannot be used: every user can write there.`,
  });
  assert.equal((await stat(home)).mode & 0o777, 0o777);
});

test('files of the owner of the home are fine, whoever runs the program', {
  skip: onWindows || (process.getuid?.() === 0 ? false : 'only root can give files away'),
}, async (t) => {
  const home = temporaryHome(t);
  await writeFile(join(home, 'config.json'), '{}');
  for (const path of [home, join(home, 'config.json')]) await chown(path, NOBODY, NOBODY);
  await ensureHome(home);
});

test('a file, a path through a file, and a shared directory are refused, and the error names them', {
  skip: onWindows,
}, async (t) => {
  const base = temporaryHome(t);
  await writeFile(join(base, 'file'), '');
  await mkdir(join(base, 'shared'));
  await chmod(join(base, 'shared'), 0o1777);
  const refused: Array<[string, string]> = [
    ['file', 'it is not a directory'],
    ['file/below', 'it is not a directory'],
    ['shared', 'it is shared between users'],
  ];
  for (const [name, reason] of refused) {
    const home = join(base, name);
    await assert.rejects(ensureHome(home), {
      code: 'HOME_UNUSABLE',
      message: `The home directory ${home} cannot be used: ${reason}.`,
      remedy: 'Choose another one with --home or RELAY_HOME, or make this one accessible only to you.',
    });
  }
});

test('a directory that is not writable is refused', async (t) => {
  if (process.platform === 'win32') return t.skip('Windows has no such mode');
  const home = temporaryHome(t);
  await chmod(home, 0o500);
  const isRoot = process.getuid?.() === 0;
  // No mode binds root, so as root the program runs as `nobody`, who owns the directory. `nobody` may not read this
  // repository, so the program comes by standard input.
  if (isRoot) await chown(home, NOBODY, NOBODY);
  const { stdout } = spawnSync(process.execPath, ['-', home], {
    input: readFileSync(buildChild('ensure')),
    encoding: 'utf8',
    cwd: '/',
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  assert.equal(
    stdout.trim(),
    `HOME_UNUSABLE The home directory ${home} cannot be used: this user is not allowed to write there.`,
  );
  await chmod(home, 0o700);
});
