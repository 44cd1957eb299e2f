/** The four steps on the disk that a save takes, so that a test can let each of them fail. */
import { open, rename, rm } from 'node:fs/promises';
import { systemCodeOf } from '../../domain/errors.ts';

export interface SaveFs {
  /** Creates `path`, which must not exist, for the owner alone, and returns once `bytes` are on the disk. */
  writeSynced(path: string, bytes: Uint8Array): Promise<void>;
  /** Puts `from` in the place of `to` in one step. */
  rename(from: string, to: string): Promise<void>;
  /** Makes a rename in the directory survive a power loss. */
  syncDirectory(path: string): Promise<void>;
  remove(path: string): Promise<void>;
}

export const nodeSaveFs: SaveFs = {
  async writeSynced(path, bytes) {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  rename: renamePatiently,
  async syncDirectory(path) {
    // Windows cannot open a directory, and some file systems cannot sync one: the rename is all there is then.
    const directory = await open(path, 'r').catch(() => null);
    if (!directory) return;
    try {
      await directory.sync();
    } catch (error) {
      if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EBADF'].includes(systemCodeOf(error) ?? '')) throw error;
    } finally {
      await directory.close();
    }
  },
  remove: (path) => rm(path, { force: true }),
};

/** On Windows a virus scanner may hold a fresh file open for a moment, and the rename is refused meanwhile. */
async function renamePatiently(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(from, to);
    } catch (error) {
      const isPassing = ['EPERM', 'EACCES', 'EBUSY'].includes(systemCodeOf(error) ?? '');
      if (process.platform !== 'win32' || !isPassing || attempt === 5) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 * attempt));
    }
  }
}
