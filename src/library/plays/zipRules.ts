/**
 * What the directory of a zip archive may declare, checked before anything is unpacked. Pure. One entry that breaks a rule
 * refuses the whole archive; Spotify's exports break none.
 */
import { MAX_EXPORT_BYTES } from '../../domain/plays.ts';

const MAX_ENTRIES = 2_000;
const MAX_LEVELS = 10;
const MAX_NAME = 255;
/** Number of bytes of a local header before the name, with its signature `PK\3\4`. */
const LOCAL_HEADER = 30;

/** An entry as the directory at the end of the archive describes it. */
export interface DirectoryEntry {
  nameBytes: Uint8Array;
  flags: number;
  method: number;
  compressedSize: number;
  size: number;
  crc: number;
  /** Offset of its local header. */
  offset: number;
  /** The upper byte names the system. */
  madeBy: number;
  /** The upper half holds the mode of a Unix file. */
  attributes: number;
}

/** An entry as the header before its data describes it. */
export interface LocalHeader {
  nameBytes: Uint8Array;
  flags: number;
  method: number;
  compressedSize: number;
  size: number;
  crc: number;
  dataStart: number;
}

/** What is wrong, as the end of a sentence: `the entry "x" is encrypted`. */
type Fault = string | null;

const ENCRYPTED = 0x1 | 0x40 | 0x2000;
/** The sizes follow the data. */
const SIZES_LATER = 0x8;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The name as text; null: it is not UTF-8. */
export function entryName(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

/** A name as an error shows it. */
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

export function faultOfEntry(entry: DirectoryEntry): Fault {
  const name = faultOfName(entry.nameBytes);
  if (name !== null) return name;
  if ((entry.flags & ENCRYPTED) !== 0) return 'is encrypted';
  if (entry.method !== 0 && entry.method !== 8) return `is packed with method ${entry.method}`;
  if (entry.method === 0 && entry.compressedSize !== entry.size) return 'is stored with two sizes';
  const isDirectory = entryName(entry.nameBytes)?.endsWith('/') ?? false;
  if (isDirectory && entry.size > 0) return 'is a directory that holds data';
  return faultOfMode(entry, isDirectory);
}

const UNIX = 3;
const MACOS = 19;
const FILE = 0o100000;
const DIRECTORY = 0o040000;
const LINK = 0o120000;

function faultOfMode({ madeBy, attributes }: DirectoryEntry, isDirectory: boolean): Fault {
  const system = madeBy >>> 8;
  const type = (attributes >>> 16) & 0o170000;
  if ((system !== UNIX && system !== MACOS) || type === 0) return null;
  if (type === LINK) return 'is a link';
  return type === (isDirectory ? DIRECTORY : FILE) ? null : 'is neither a file nor a directory';
}

/** Where the two descriptions of an entry disagree: programs that read one or the other would see two archives. */
export function faultOfHeader(entry: DirectoryEntry, header: LocalHeader): Fault {
  if (!Buffer.from(entry.nameBytes).equals(header.nameBytes)) return 'has two names';
  if (entry.method !== header.method) return 'is packed with two methods';
  if (((entry.flags ^ header.flags) & ENCRYPTED) !== 0) return 'is encrypted';
  const isLater = (header.flags & SIZES_LATER) !== 0 && header.compressedSize === 0 && header.size === 0;
  // If the sizes have eight bytes, the fields of four bytes are all ones.
  const isLong = header.size === 0xffffffff || header.compressedSize === 0xffffffff;
  if (isLater || isLong) return null;
  const same =
    entry.size === header.size && entry.compressedSize === header.compressedSize && entry.crc === header.crc;
  return same ? null : 'has two sizes or checksums';
}

/**
 * Finds names that occur twice, and data that reaches beyond the archive or that two entries share. By sharing data a small
 * archive can unpack to any size.
 * @param end where the directory begins, or the file ends
 */
export function faultOfAll(
  entries: ReadonlyArray<{ entry: DirectoryEntry; header: LocalHeader }>,
  end: number,
): { nameBytes: Uint8Array; fault: string } | null {
  let total = 0;
  const names = new Set<string>();
  for (const { entry } of entries) {
    total += entry.size;
    if (total > MAX_EXPORT_BYTES)
      return { nameBytes: entry.nameBytes, fault: 'brings the archive above 2 GB' };
    const name = (entryName(entry.nameBytes) ?? '').normalize('NFC').toLowerCase().replace(/\/$/, '');
    if (names.has(name)) return { nameBytes: entry.nameBytes, fault: 'is in the archive twice' };
    names.add(name);
  }
  const inOrder = [...entries].sort((a, b) => a.entry.offset - b.entry.offset);
  let free = 0;
  for (const { entry, header } of inOrder) {
    if (entry.offset < free)
      return { nameBytes: entry.nameBytes, fault: 'shares its data with another entry' };
    free = Math.max(entry.offset + LOCAL_HEADER, header.dataStart) + entry.compressedSize;
    if (free > end) return { nameBytes: entry.nameBytes, fault: 'reaches beyond the archive' };
  }
  return null;
}
