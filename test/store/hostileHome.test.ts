/** Another user, or a program that may write some files, has put something into the home. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { silentLog } from '../../src/base/log.ts';
import { loadMasterKey } from '../../src/secrets/masterKey.ts';
import { ensureHome } from '../../src/store/home/home.ts';
import { acquireHome } from '../../src/store/home/lock.ts';
import { readServerFile } from '../../src/store/home/serverFile.ts';
import { openCopy } from '../../src/store/restore.ts';
import { openStore } from '../../src/store/store.ts';
import { manualClock, temporaryHome } from './testStore.ts';

const onWindows = process.platform === 'win32' ? 'Windows has neither pipes in directories nor modes' : false;
const unlessRoot = process.getuid?.() === 0 ? false : 'only root can give files away';
const NOBODY = 65_534;
/** Far longer than a refusal takes; opening a pipe would never return. */
const PATIENCE_MS = 30_000;

async function homeWithPipe(t: TestContext, name: string): Promise<string> {
  // Frees a reader that waits for a writer, so that this test ends even if it fails.
  t.after(() => closeSync(openSync(join(home, name), constants.O_RDWR)));
  const home = temporaryHome(t);
  execFileSync('mkfifo', [join(home, name)]);
  return home;
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it waits for ever')), PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const clock = manualClock();
const READERS: Array<[name: string, read: (home: string) => Promise<unknown>, refusal: RegExp]> = [
  [
    'master.key',
    (home) => loadMasterKey({ home, mode: 'file', allowCreate: true, clock }),
    /master\.key cannot be read: it is not a regular file/,
  ],
  ['relay.db', (home) => openStore({ home, clock, log: silentLog }), /it is not a regular file/],
  ['relay.lock', (home) => acquireHome(home, 'test'), /it is not a regular file/],
];

for (const [name, read, refusal] of READERS) {
  test(`a pipe in the place of ${name} is refused at once`, { skip: onWindows }, async (t) => {
    const home = await homeWithPipe(t, name);
    await assert.rejects(within(read(home)), refusal);
  });
}

test('a pipe in the place of server.json is no server', { skip: onWindows }, async (t) => {
  assert.equal(await within(readServerFile(await homeWithPipe(t, 'server.json'))), null);
});

test('a pipe in the place of a copy is refused at once', { skip: onWindows }, async (t) => {
  const home = await homeWithPipe(t, 'copy');
  await assert.rejects(within(openCopy(join(home, 'copy'), home, clock)), { code: 'USAGE' });
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
  skip: onWindows || unlessRoot,
}, async (t) => {
  const home = temporaryHome(t);
  await writeFile(join(home, 'config.json'), '{}');
  for (const path of [home, join(home, 'config.json')]) await chown(path, NOBODY, NOBODY);
  await ensureHome(home);
});
