import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { acquireHome } from '../../src/store/home/lock.ts';
import { startFromPs } from '../../src/store/home/processes.ts';
import { writeServerFile } from '../../src/store/home/serverFile.ts';
import { buildChild } from './children/build.ts';
import { temporaryHome } from './testStore.ts';

const onWindows = process.platform === 'win32' ? 'Windows has no such signal' : false;
const holder = buildChild('holder');
const racer = buildChild('racer');

const acquire = (home: string) => acquireHome(home, 'relay login');

/** A process that holds the home. */
async function heldByAnother(t: TestContext, home: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, [holder, home], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  assert.equal(String((await once(child.stdout, 'data'))[0]), 'held\n');
  return Object.assign(child, { pid: child.pid ?? 0 });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await once(child, 'close');
}

/** A lock file by a process that is gone, or whose pid now belongs to another. */
const lockFile = (pid: number) =>
  JSON.stringify({ pid, start: 'long ago', nonce: 'old', purpose: 'relay serve' });

test('a home that is held is refused with pid and purpose, and free again after release', async (t) => {
  const home = temporaryHome(t);
  const lock = await acquire(home);
  await assert.rejects(acquire(home), {
    code: 'ALREADY_RUNNING',
    message: `Another relay command is using this home: relay login, pid ${process.pid}.`,
    remedy: 'Wait for that command, stop it, or choose another home with --home.',
    details: { pid: process.pid },
  });
  await lock.release();
  await lock.release();
  assert.deepEqual(await readdir(home), []);
  await (await acquire(home)).release();
});

for (const [purpose, more] of [
  ['relay serve', ''],
  [
    'relay stdio',
    ' An AI client started it: it ends ten minutes after its last client, when no job is left.',
  ],
] as const) {
  test(`the refusal names the URL of a running server of ${purpose}, and who started it`, async (t) => {
    const home = temporaryHome(t);
    const lock = await acquireHome(home, purpose);
    const { pid } = process;
    const baseUrl = 'http://127.0.0.1:4980';
    const version = '0.1.0';
    const socket = '/nowhere/relay.sock';
    await writeServerFile(home, { pid, startedAt: '2026-01-15T12:00:00Z', version, baseUrl, socket });
    await assert.rejects(acquire(home), {
      code: 'ALREADY_RUNNING',
      message: `A relay server is running for this home: pid ${pid}, ${baseUrl}.${more}`,
      details: { pid, baseUrl, ...(more && { startedByClient: true }) },
    });
    await lock.release();
  });
}

test('after kill -9 the next start succeeds by itself', async (t) => {
  const home = temporaryHome(t);
  const child = await heldByAnother(t, home);
  await assert.rejects(acquire(home), { code: 'ALREADY_RUNNING' });
  await end(child, 'SIGKILL');
  const lock = await acquire(home);
  assert.deepEqual(await readdir(home), ['relay.lock']);
  await lock.release();
});

test('a lock whose pid now belongs to another process is stale', { skip: onWindows }, async (t) => {
  for (const pid of [process.pid, process.ppid]) {
    const home = temporaryHome(t);
    await writeFile(join(home, 'relay.lock'), lockFile(pid));
    await (await acquire(home)).release();
    assert.deepEqual(await readdir(home), []);
  }
});

test('a lock file that cannot be read, as after a power loss, is stale', async (t) => {
  for (const content of ['', '{"pid":', 'null']) {
    const home = temporaryHome(t);
    await writeFile(join(home, 'relay.lock'), content);
    // A younger one may be a lock that is being written.
    await utimes(join(home, 'relay.lock'), 1, 1);
    await (await acquire(home)).release();
  }
});

test('a directory in the place of the lock file makes the home unusable', async (t) => {
  const home = temporaryHome(t);
  await mkdir(join(home, 'relay.lock'));
  await assert.rejects(acquire(home), {
    code: 'HOME_UNUSABLE',
    message: `The home directory ${home} cannot be used: it is not a regular file.`,
  });
  assert.deepEqual(await readdir(home), ['relay.lock']);
});

test('a takeover that was killed half-way is taken over in turn', async (t) => {
  const home = temporaryHome(t);
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const heir = lockFile(pid).replace('"old"', '"heir"');
  await writeFile(join(home, 'relay.lock'), lockFile(pid));
  await writeFile(join(home, 'relay.lock.after-old'), heir);
  const lock = await acquire(home);
  assert.deepEqual(await readdir(home), ['relay.lock']);
  await assert.rejects(acquire(home), { code: 'ALREADY_RUNNING' });
  await lock.release();
});

test('of processes that race for a home, one at a time holds it', async (t) => {
  const home = temporaryHome(t);
  const race = async () => {
    const child = spawn(process.execPath, [racer, home, '6'], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    return String((await once(child.stdout, 'data'))[0]);
  };
  assert.deepEqual(await Promise.all([race(), race(), race()]), ['done\n', 'done\n', 'done\n']);
});

test('a release does not remove a lock that is not its own', async (t) => {
  const home = temporaryHome(t);
  const lock = await acquire(home);
  await writeFile(join(home, 'relay.lock'), lockFile(process.ppid));
  await lock.release();
  assert.equal(await readFile(join(home, 'relay.lock'), 'utf8'), lockFile(process.ppid));
});

test('ps tells when a process started, and that a zombie has ended', () => {
  const start = 'Thu Jan 15 12:00:00 2026';
  assert.equal(startFromPs(`S+   ${start}\n`), start);
  assert.equal(startFromPs(`T    ${start}    \n`), start);
  assert.equal(startFromPs(`Z+   ${start}\n`), null);
  assert.equal(startFromPs('\n'), undefined);
});
