/**
 * Checks what a zip archive says about its entries, before anything is unpacked. Pure. If one entry breaks a rule, the whole
 * archive is refused; Spotify's exports break none.
 */
import type { Entry, LocalFileHeader } from 'yauzl';
import { MAX_EXPORT_BYTES } from '../../domain/plays.ts';

const MAX_ENTRIES = 2_000;
const MAX_LEVELS = 10;
const MAX_NAME = 255;
/** Number of bytes of a local header before the name, including the signature `PK\3\4`. */
const LOCAL_HEADER = 30;

/** What is wrong, as the end of a sentence: `the entry "x" is encrypted`. */
type Fault = string | null;

const ENCRYPTED = 0x1 | 0x40 | 0x2000;
/** The flag of an entry whose sizes come after its data. */
const SIZES_LATER = 0x8;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes a name; null if it is not UTF-8. */
export function entryName(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

/** Returns a name as an error shows it. */
export function shown(bytes: Uint8Array): string {
  const text = entryName(bytes) ?? Buffer.from(bytes).toString('latin1');
  return `"${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`;
}

/** Checks the archive as a whole. @param declared number of entries, as the end of the archive says */
export function faultOfCount(declared: number): Fault {
  return declared > MAX_ENTRIES ? `it has ${declared} entries, more than ${MAX_ENTRIES}` : null;
}

function faultOfName(bytes: Uint8Array): Fault {
  const name = entryName(bytes);
  if (name === null) return 'has a name that is not UTF-8';
  if (name === '') return 'has no name';
  if (bytes.length > MAX_NAME * MAX_LEVELS) return 'has a name that is too long';
  // Control characters, and those that change the direction of text.
  if (/[\p{Cc}\p{Bidi_Control}]/u.test(name)) return 'has control characters in its name';
  if (name.includes('\\')) return 'has a backslash in its name';
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) return 'has an absolute path';
  const parts = name.replace(/\/$/, '').split('/');
  if (parts.includes('..')) return 'leads out of the archive';
  if (parts.some((part) => part === '' || part === '.')) return 'has an empty part in its path';
  if (parts.some((part) => Buffer.byteLength(part) > MAX_NAME)) return 'has a name that is too long';
  return parts.length > MAX_LEVELS ? `lies deeper than ${MAX_LEVELS} levels` : null;
}

export function faultOfEntry(entry: Entry): Fault {
  const { fileNameRaw, compressionMethod: method } = entry;
  const name = faultOfName(fileNameRaw);
  if (name !== null) return name;
  if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) return 'is encrypted';
  if (method !== 0 && method !== 8) return `is packed with method ${method}`;
  if (method === 0 && entry.compressedSize !== entry.uncompressedSize) return 'is stored with two sizes';
  const isDirectory = entryName(fileNameRaw)?.endsWith('/') ?? false;
  if (isDirectory && entry.uncompressedSize > 0) return 'is a directory that holds data';
  return faultOfMode(entry, isDirectory);
}

const UNIX = 3;
const MACOS = 19;
const FILE = 0o100000;
const DIRECTORY = 0o040000;
const LINK = 0o120000;

function faultOfMode({ versionMadeBy, externalFileAttributes }: Entry, isDirectory: boolean): Fault {
  // The upper byte of `versionMadeBy` names the system. The upper half of `externalFileAttributes` holds the mode of a Unix
  // file.
  const system = versionMadeBy >>> 8;
  const type = (externalFileAttributes >>> 16) & 0o170000;
  if ((system !== UNIX && system !== MACOS) || type === 0) return null;
  if (type === LINK) return 'is a link';
  return type === (isDirectory ? DIRECTORY : FILE) ? null : 'is neither a file nor a directory';
}

/** Finds where the directory and an entry's own header disagree. Programs that read only one would see different archives. */
export function faultOfHeader(entry: Entry, header: LocalFileHeader): Fault {
  const { generalPurposeBitFlag: flags, compressedSize, uncompressedSize: size } = header;
  if (!entry.fileNameRaw.equals(header.fileName)) return 'has two names';
  if (entry.compressionMethod !== header.compressionMethod) return 'is packed with two methods';
  if (((entry.generalPurposeBitFlag ^ flags) & ENCRYPTED) !== 0) return 'is encrypted';
  const isLater = (flags & SIZES_LATER) !== 0 && compressedSize === 0 && size === 0;
  // If the sizes have eight bytes, the fields of four bytes are all ones.
  const isLong = size === 0xffffffff || compressedSize === 0xffffffff;
  if (isLater || isLong) return null;
  const isSame =
    entry.uncompressedSize === size &&
    entry.compressedSize === compressedSize &&
    entry.crc32 === header.crc32;
  return isSame ? null : 'has two sizes or checksums';
}

/**
 * Finds an entry that has the name of another one, shares its data with another one, or reaches beyond the archive. By sharing
 * data, a small archive can unpack to any size. Also finds the entry that brings the total above the limit.
 * @param end size of the archive in bytes
 * @returns the entry and what is wrong with it; null if nothing is wrong
 */
export function faultOfAll(
  entries: ReadonlyArray<{ entry: Entry; header: LocalFileHeader }>,
  end: number,
): { entry: Entry; fault: string } | null {
  let total = 0;
  const names = new Set<string>();
  for (const { entry } of entries) {
    total += entry.uncompressedSize;
    if (total > MAX_EXPORT_BYTES) return { entry, fault: 'brings the archive above 2 GB' };
    const name = (entryName(entry.fileNameRaw) ?? '').normalize('NFC').toLowerCase().replace(/\/$/, '');
    if (names.has(name)) return { entry, fault: 'is in the archive twice' };
    names.add(name);
  }
  const offsetOf = (entry: Entry) => entry.relativeOffsetOfLocalHeader;
  const inOrder = [...entries].sort((a, b) => offsetOf(a.entry) - offsetOf(b.entry));
  let free = 0;
  for (const { entry, header } of inOrder) {
    if (offsetOf(entry) < free) return { entry, fault: 'shares its data with another entry' };
    free = Math.max(offsetOf(entry) + LOCAL_HEADER, header.fileDataStart) + entry.compressedSize;
    if (free > end) return { entry, fault: 'reaches beyond the archive' };
  }
  return null;
}
