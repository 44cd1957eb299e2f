/**
 * Lets SQLite read a database file from the disk page by page, since a copy in memory would be as large as the file. If another
 * file replaces the open one, SQLite still reads the old content. Works like `pagedFile.ts`, but is read-only.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { markRollback } from './pagedFile.ts';

const LARGEST_PAGE = 65_536;
const PART = 4 * 1024 * 1024;

export type DiskFile = ReturnType<typeof openDiskFile>;

/** Opens a file for reading. @throws the error of the system */
export function openDiskFile(path: string) {
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
      if (begin === 0) markRollback(buffer);
      return buffer.fill(0, read, length).subarray(0, length);
    },
    set(): never {
      throw new Error('the file can only be read');
    },
  };
  // The part of a byte array's interface that Emscripten's MEMFS uses to make a file.
  const bytes = { length: size, subarray: () => bytes, slice: () => content };
  return {
    /** Stands for the bytes of the file; pass it to sql.js. */
    bytes: bytes as unknown as Uint8Array,
    size,
    read(at: number, length: number): Uint8Array {
      const part = new Uint8Array(Math.max(0, Math.min(length, size - at)));
      return part.subarray(0, readSync(file, part, 0, part.length, at));
    },
    close: () => closeSync(file),
  };
}

/** Reads a file in parts, so that a large one is never in memory as a whole. */
export function* partsOf(file: Pick<DiskFile, 'size' | 'read'>): Generator<Uint8Array> {
  for (let at = 0; at < file.size; at += PART) yield file.read(at, PART);
}

export function withDiskFile<T>(path: string, work: (file: DiskFile) => T): T {
  const file = openDiskFile(path);
  let result: T;
  try {
    result = work(file);
  } catch (error) {
    file.close();
    throw error;
  }
  if (result instanceof Promise) return result.finally(file.close) as T;
  file.close();
  return result;
}
