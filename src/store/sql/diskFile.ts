/**
 * A database file that SQLite reads from the disk, page by page, where a copy in memory would be as large as the file. What
 * replaces the file by another changes nothing for who has it open. Works as `pagedFile.ts` does, and can only be read.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface DiskFile {
  /** What the database is to be made from. */
  bytes: Uint8Array;
  close(): void;
}

/** @throws what the system says */
export function openDiskFile(path: string): DiskFile {
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  const content = {
    length: Number.MAX_SAFE_INTEGER,
    subarray(begin: number, end: number): Uint8Array {
      const part = Buffer.alloc(end - begin);
      readSync(file, part, 0, part.length, begin);
      return part;
    },
    set(): never {
      throw new Error('the file can only be read');
    },
  };
  // As much of a byte array as Emscripten's MEMFS asks for when it makes a file of one.
  const bytes = { length: size, subarray: () => bytes, slice: () => content };
  return { bytes: bytes as unknown as Uint8Array, close: () => closeSync(file) };
}
