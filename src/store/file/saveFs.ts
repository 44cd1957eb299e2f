/** The four steps on the disk that a save takes, so that a test can let each of them fail. */
import { rm } from 'node:fs/promises';
import { renameOver, syncDirectory, writeSynced } from '../../base/files.ts';

export interface SaveFs {
  /** Creates `path`, which must not exist, for the owner alone, and returns once `bytes` are on the disk. */
  writeSynced(path: string, bytes: Uint8Array | readonly Uint8Array[]): Promise<void>;
  /** Replaces `to` by `from` in one step. */
  rename(from: string, to: string): Promise<void>;
  /** Makes a rename in the directory survive a power loss. */
  syncDirectory(path: string): Promise<void>;
  remove(path: string): Promise<void>;
}

export const nodeSaveFs: SaveFs = {
  writeSynced: (path, bytes) => writeSynced(path, bytes),
  rename: renameOver,
  syncDirectory,
  remove: (path) => rm(path, { force: true }),
};
