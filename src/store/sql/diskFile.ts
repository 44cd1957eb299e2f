/**
 * Lets SQLite read a database file from the disk page by page, since a copy in memory would be as large as the file. If another
 * file replaces the open one, SQLite still reads the old content. Works like `pagedFile.ts`, but is read-only.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const LARGEST_PAGE = 65_536;

export interface DiskFile {
  /** Stands for the bytes of the file; pass it to sql.js. */
  bytes: Uint8Array;
  close(): void;
}

/** Opens a file for reading. @throws the error of the system */
export function openDiskFile(path: string): DiskFile {
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  // MEMFS copies each page before it asks for the next, so one buffer serves all pages. With a buffer for each page, the
  // thread's allocator would keep the garbage.
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
  // The part of a byte array's interface that Emscripten's MEMFS uses to make a file.
  const bytes = { length: size, subarray: () => bytes, slice: () => content };
  return { bytes: bytes as unknown as Uint8Array, close: () => closeSync(file) };
}
