/** Removes what the program has put into a home, and nothing else. */
import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, readStart } from '../../base/files.ts';
import { systemCodeOf } from '../../domain/errors.ts';
import { isOurs, isSqlite } from '../file/stateFile.ts';
import { DEMO, OWN_FILE } from './home.ts';
import { acquireHome, type HomeLock } from './lock.ts';

/** Only relay makes files of these names; many programs use the other names. */
const SIGNS = ['relay.db', 'relay.lock', 'relay.log'];

/**
 * True if the files of the directory are relay's: one of them cannot be another program's, or there is nothing else. A person
 * may name any directory as the home, even one in which other programs keep their `config.json`.
 */
export async function isErasable(home: string): Promise<boolean> {
  const names: string[] = await readdir(home).catch(() => []);
  if (names.includes('relay.db') && (await isOfAnotherProgram(join(home, 'relay.db')))) return false;
  return (
    SIGNS.some((name) => names.includes(name)) || names.every((name) => OWN_FILE.test(name) || name === DEMO)
  );
}

/** True for an SQLite database that is not relay's. A file that is no database may be relay's and damaged. */
async function isOfAnotherProgram(path: string): Promise<boolean> {
  const start = await readStart(path, 100).catch(() => Buffer.alloc(0));
  return isSqlite(start) && !isOurs(start);
}

/**
 * Removes the state, the settings and the key file of a home and of the demo in it. Directories that are then empty are
 * removed too.
 * @returns paths of the files and directories that are left
 * @throws RelayError `ALREADY_RUNNING` while another process uses either home; then nothing is removed
 */
export async function eraseHome(home: string): Promise<string[]> {
  const homes = [];
  for (const path of [home, join(home, DEMO)]) if (await exists(path)) homes.push(path);
  const locks: HomeLock[] = [];
  try {
    for (const path of homes) locks.push(await acquireHome(path, 'relay uninstall'));
    for (const path of homes) await eraseFiles(path);
  } finally {
    for (const lock of locks) await lock.release();
  }
  const left = [];
  // The demo's home is inside the other home, so it is removed first.
  for (const path of homes.reverse()) left.push(...(await removeEmpty(path)));
  return left;
}

async function eraseFiles(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    // This process holds the lock, and removes it when it releases the home.
    if (OWN_FILE.test(name) && name !== 'relay.lock') await rm(join(home, name), { force: true });
  }
}

/** Removes a directory if it is empty; otherwise returns the paths of what is left in it, except the demo's directory. */
async function removeEmpty(path: string): Promise<string[]> {
  try {
    await rmdir(path);
    return [];
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOTEMPTY' && systemCodeOf(error) !== 'EEXIST') return [path];
    const names = await readdir(path);
    return names.filter((name) => name !== DEMO).map((name) => join(path, name));
  }
}
