/**
 * A database file that SQLite reads from the disk page by page, where a copy in memory would be as large as the file. If another
 * file replaces it, an open one keeps its content. Works as `pagedFile.ts` does, and is read-only.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const LARGEST_PAGE = 65_536;

export interface DiskFile {
  /** What the database is to be made from. */
  bytes: Uint8Array;
  close(): void;
}

/** @throws what the system says */
export function openDiskFile(path: string): DiskFile {
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  // MEMFS copies what it is given before it asks again, so all pages pass through one buffer. With a buffer for each,
  // garbage would stay with the thread's allocator.
  let buffer = new Uint8Array(LARGEST_PAGE);
  const content = {
    length: Number.MAX_SAFE_INTEGER,
    subarray(begin: number, end: number): Uint8Array {
      const length = end - begin;
      if (length > buffer.length) buffer = new Uint8Array(length);
      const read = readSync(file, buffer, 0, length, begin);
      return buffer.fill(0, read, length).subarray(0, length);
    },
    set(): never {
      throw new Error('the file can only be read');
    },
  };
  // The part of a byte array's interface that Emscripten's MEMFS uses when it makes a file of one.
  const bytes = { length: size, subarray: () => bytes, slice: () => content };
  return { bytes: bytes as unknown as Uint8Array, close: () => closeSync(file) };
}
