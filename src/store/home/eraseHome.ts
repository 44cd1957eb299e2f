/** Removes what the program has put into a home, and nothing else. */
import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../../base/files.ts';
import { DEMO, isOnlyRelays, isOwnName } from './home.ts';
import { acquireHome, type HomeLock } from './lock.ts';

/** Only relay makes files of these names; many programs use the other names. */
const SIGNS = ['relay.db', 'relay.lock', 'relay.log'];

/**
 * True if the files of the directory are relay's: one of them cannot be another program's, or there is nothing else. A person
 * may name any directory as the home, even one in which other programs keep their `config.json`.
 */
export async function isErasable(home: string): Promise<boolean> {
  const names: string[] = await readdir(home).catch(() => []);
  return SIGNS.some((name) => names.includes(name)) || isOnlyRelays(names);
}

/**
 * Removes the state, the settings and the key file of a home and of the demo in it. Directories that are then empty are
 * removed too.
 * @returns paths of the files and directories that are left
 * @throws RelayError `ALREADY_RUNNING` while another process uses either home; then nothing is removed
 */
export async function eraseHome(home: string): Promise<string[]> {
  const demo = join(home, DEMO);
  const homes = (await exists(demo)) ? [demo, home] : [home];
  const locks: HomeLock[] = [];
  try {
    for (const path of homes) locks.push(await acquireHome(path, 'relay uninstall'));
    for (const path of homes) {
      // Releasing the home removes the lock.
      const own = (await readdir(path)).filter((name) => isOwnName(name) && name !== 'relay.lock');
      for (const name of own) await rm(join(path, name), { force: true });
    }
  } finally {
    for (const lock of locks) await lock.release();
  }
  const left: string[] = [];
  for (const path of homes) {
    const names = await readdir(path);
    // What is left of the demo is in the list already.
    left.push(...names.filter((name) => name !== DEMO).map((name) => join(path, name)));
    if (names.length === 0) await rmdir(path).catch(() => left.push(path));
  }
  return left;
}
