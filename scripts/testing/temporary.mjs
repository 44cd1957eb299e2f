// Every test has its own home, and relay waits until its files there are on the disk. If the system has a directory in memory,
// the homes are placed there, which saves a tenth of the time.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { constants } from 'node:os';

const MEMORY = '/dev/shm';
/** The space that must be free. A run of all tests takes less than 100 MB. */
const ROOM_BYTES = 2 ** 30;

/** Keeps temporary files of this process, and of those that it starts, in memory until it ends. */
export function useMemory() {
  if (process.env.TMPDIR || !isUsable()) return;
  const folder = mkdtempSync(`${MEMORY}/relay-`);
  // Everyone may write there, since some tests run as another user.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // A signal causes no 'exit' event, and files left there take memory until the next reboot.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

/** False if the directory has too little room, or programs in it cannot be started, as in many containers. */
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
