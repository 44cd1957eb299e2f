/**
 * Arguments: a home, and how often to take and leave it, in a race with others. This program leaves the home in every way
 * there is: by release, as if killed, as if a successor had been killed too, and as if the pid of the dead process were in
 * use again. While it holds the home it makes a file. That fails if another process holds the home too, since that process
 * has made the file.
 */
import { closeSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { RelayError } from '../../../src/domain/errors.ts';
import { acquireHome, type HomeLock } from '../../../src/store/home/lock.ts';

const NO_SUCH_PID = 2 ** 22 + 1;
const [home = '', rounds = '0'] = process.argv.slice(2);
const path = join(home, 'relay.lock');
const guard = join(home, 'guard');
let left = 0;

async function race(): Promise<void> {
  for (let won = 0; won < Number(rounds); ) {
    const lock = await tryAcquire();
    if (!lock) continue;
    won++;
    await useAlone();
    await leave(lock, won % 4);
  }
}

async function tryAcquire(): Promise<HomeLock | null> {
  try {
    return await acquireHome(home, 'test racer');
  } catch (error) {
    if (error instanceof RelayError && error.code === 'ALREADY_RUNNING') return null;
    throw error;
  }
}

async function useAlone(): Promise<void> {
  closeSync(openSync(guard, 'wx'));
  await new Promise((resolve) => setImmediate(resolve));
  rmSync(guard);
}

async function leave(lock: HomeLock, way: number): Promise<void> {
  if (way === 0) return lock.release();
  const nonce = `${process.pid}-${left++}`;
  const pid = way === 1 ? process.ppid : NO_SUCH_PID;
  const dead = (name: string) => JSON.stringify({ pid, start: 'long ago', nonce: name, purpose: 'dead' });
  if (way === 2) writeFileSync(`${path}.after-${nonce}`, dead(`${nonce}-heir`));
  writeFileSync(`${path}.${nonce}`, dead(nonce));
  renameSync(`${path}.${nonce}`, path);
}

race().then(
  () => writeSync(1, 'done\n'),
  (error: unknown) => writeSync(1, `${error}\n`),
);
