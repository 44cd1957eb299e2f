// Every test has a home of its own, and relay waits until the disk has what it saves there. Where the system offers a
// directory in memory, the tests' homes are in it, which saves a tenth of the time.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { constants } from 'node:os';

const MEMORY = '/dev/shm';
/** A run of all tests takes less than 100 MB. */
const ROOM_BYTES = 2 ** 30;

/** Temporary files of this process, and of all that it starts, are in memory until it ends. */
export function useMemory() {
  if (process.env.TMPDIR || !isUsable()) return;
  const folder = mkdtempSync(`${MEMORY}/relay-`);
  // Some tests become another user.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Ended by a signal, a program has no 'exit', and what is left there takes memory until the next start of the system.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

/** Containers often have 64 MB there, and start no programs from it. */
function isUsable() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .find(([, path]) => path === MEMORY);
    return bavail * bsize >= ROOM_BYTES && mount !== undefined && !mount[3].split(',').includes('noexec');
  } catch {
    return false;
  }
}
