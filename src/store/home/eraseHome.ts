/** Removes what the program has put into a home, and nothing else. */
import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../../base/files.ts';
import { DEMO, isOnlyRelays, isOwnName } from './home.ts';
import { acquireHome } from './lock.ts';

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
 * @throws RelayError `ALREADY_RUNNING` while another process uses either home; then nothing of that home is removed
 */
export async function eraseHome(home: string): Promise<string[]> {
  const lock = await acquireHome(home, 'relay uninstall');
  try {
    const demo = join(home, DEMO);
    const left = (await exists(demo)) ? await eraseHome(demo) : [];
    // Releasing the home removes the lock.
    const own = (await readdir(home)).filter((name) => isOwnName(name) && name !== 'relay.lock');
    for (const name of own) await rm(join(home, name), { force: true });
    const others = (await readdir(home)).filter((name) => name !== 'relay.lock' && name !== DEMO);
    left.push(...others.map((name) => join(home, name)));
    return left;
  } finally {
    await lock.release();
    // Fails if something is left.
    await rmdir(home).catch(() => {});
  }
}
