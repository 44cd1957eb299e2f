/**
 * Tells whether the state file is still the one that this process last read or saved. The lock keeps two servers of one
 * machine apart; two containers, or two machines with one network directory, do not see each other's locks.
 */
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { WITHOUT_WAITING } from '../../base/files.ts';
import { nullIfMissing, RelayError } from '../../domain/errors.ts';
import type { Image } from '../sql/pagedFile.ts';

const HEADER_BYTES = 100;
/** The file change counter and its copy, which must agree (sqlite.org/fileformat2.html, 1.3.7 and 1.3.16). */
const COUNTERS = [24, 92];

/** Returns the identity of an image. The first part of an image holds the header. */
export function identityOfImage({ length, parts: [first] }: Image): string {
  return identityOf(length, first);
}

/** The change counter of the last image. The first is random, so that two processes hardly ever write the same. */
let mark = randomBytes(4).readUInt32BE();

/**
 * Gives an image its own change counter. Any value is valid: programs that have the file open only check if it has
 * changed. Inode numbers and times would not do, since numbers are reused and backup programs set times.
 */
export function markImage(image: Uint8Array): void {
  mark = (mark + 1) % 2 ** 32;
  const header = Buffer.from(image.buffer, image.byteOffset, HEADER_BYTES);
  for (const offset of COUNTERS) header.writeUInt32BE(mark, offset);
}

/** Returns the identity of a state file: its length and header, as one text. */
export function identityOfBytes(bytes: Uint8Array): string {
  return identityOf(bytes.length, bytes);
}

function identityOf(length: number, start: Uint8Array): string {
  return `${length} ${Buffer.from(start.subarray(0, HEADER_BYTES)).toString('hex')}`;
}

/** Reads the identity of the file at `path`; null if there is none. */
export async function identityAt(path: string): Promise<string | null> {
  const file = await open(path, WITHOUT_WAITING).catch(nullIfMissing);
  if (!file) return null;
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return `${size} ${buffer.toString('hex', 0, bytesRead)}`;
  } finally {
    await file.close();
  }
}

/**
 * Refuses to save over another process's changes. A deleted file may be written again: this process has the only copy.
 * @param known what this process last read or saved; null if there was no file
 * @param found what is there now
 * @throws RelayError `STORE_ERROR` if another process has changed or replaced the file at `path`
 */
export function refuseForeign(path: string, known: string | null, found: string | null): void {
  if (found === null || found === known) return;
  throw new RelayError(
    'STORE_ERROR',
    `Another relay process uses this home and has changed ${path}, so this process does not save over it.`,
    {
      remedy:
        'Stop the other process, perhaps in another container or on another machine, and start this one again. Changes that this process has not saved will be lost.',
      details: { path },
    },
  );
}
