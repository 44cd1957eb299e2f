/** The disk as the database files use it, and what is wrong with it when it fails. */
import { realpath, rm, stat } from 'node:fs/promises';
import { readRegularFile, removeStaleTemps, renameOver, syncDirectory, writeSynced } from '../base/files.ts';
import { messageOf, nullIfMissing, systemCodeOf } from '../domain/errors.ts';

/** The steps on the disk. Tests and simulations pass others; then nothing of the real file system is used. */
export interface Disk {
  /** Removes what dead processes left beside the file, and returns the path that links lead to: a save must not replace a link. */
  prepare(path: string): Promise<string>;
  /** Reads a whole file as it is at one moment; null if there is none. @throws UnreadFile if it is not a regular file */
  read(path: string): Promise<FileContent | null>;
  /** Tells a file from any that replaces or changes it later; null if there is none. */
  markOf(path: string): Promise<string | null>;
  /** Creates `path`, which must not exist, for its owner only. Returns once the content is on the disk. */
  writeSynced(path: string, content: Uint8Array | Iterable<Uint8Array>): Promise<void>;
  /** Replaces `to` with `from` in one step. */
  rename(from: string, to: string): Promise<void>;
  /** Makes a rename in the directory survive a power loss. */
  syncDirectory(path: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** What a file holds. */
export interface FileContent {
  bytes: Uint8Array;
  /** When these bytes were written, Unix milliseconds. */
  savedAt: number;
}

export const machineDisk: Disk = {
  async prepare(path) {
    const real = await realpath(path).catch(() => path);
    await removeStaleTemps(real).catch(() => {});
    return real;
  },
  async read(path) {
    const file = await readRegularFile(path, Number.POSITIVE_INFINITY).catch(nullIfMissing);
    return file && { bytes: file.bytes, savedAt: Math.round(file.mtimeMs) };
  },
  async markOf(path) {
    const found = await stat(path, { bigint: true }).catch(nullIfMissing);
    // Not the inode: some file systems number a file anew when they have forgotten it for a while.
    return found && `${found.size} ${found.mtimeNs}`;
  },
  writeSynced: (path, content) => writeSynced(path, content),
  rename: renameOver,
  syncDirectory,
  remove: (path) => rm(path, { force: true }),
};

/** A disk that is only read: what is saved to it is gone. */
export const readOnlyDisk: Disk = {
  ...machineDisk,
  prepare: (path) => realpath(path).catch(() => path),
  markOf: async () => null,
  writeSynced: async () => {},
  rename: async () => {},
  syncDirectory: async () => {},
  remove: async () => {},
};

const CAUSES: Record<string, { what: string; remedy: string }> = {
  ENOSPC: { what: 'the disk is full', remedy: 'Free some space' },
  EDQUOT: { what: 'the disk quota is used up', remedy: 'Free some space' },
  EROFS: { what: 'the file system is read-only', remedy: 'Make it writable' },
  EACCES: { what: 'the directory is not writable', remedy: 'Make the directory writable for its owner' },
  EPERM: { what: 'the directory is not writable', remedy: 'Make the directory writable for its owner' },
};

/** Says why a write failed and how to fix that. Both texts are parts of a sentence, without a full stop. */
export function diskProblem(error: unknown): { what: string; remedy: string } {
  return CAUSES[systemCodeOf(error) ?? ''] ?? { what: messageOf(error), remedy: 'Check the disk' };
}
