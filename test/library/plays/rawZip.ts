/** A zip archive written by hand, so that each of its fields can lie. */
import { crc32, deflateRawSync } from 'node:zlib';

/** An entry. Each field that is left out is filled in correctly. */
export interface RawEntry {
  name: string | Uint8Array;
  data?: Uint8Array | string;
  /** What the archive has instead of the packed data. */
  packed?: Uint8Array;
  method?: number;
  flags?: number;
  crc?: number;
  size?: number;
  compressedSize?: number;
  /** Where the directory says that the entry begins. */
  offset?: number;
  madeBy?: number;
  attributes?: number;
  extra?: Uint8Array;
  /** Values that the entry's local header has in place of those in the directory. */
  local?: { name?: string; method?: number; flags?: number; size?: number; crc?: number };
  /** True for an entry without data of its own. The directory points to the data of another entry. */
  isListedOnly?: boolean;
}

export interface RawZip {
  entries: readonly RawEntry[];
  /** Number of entries that the end record declares. */
  count?: number;
  disk?: number;
  before?: Uint8Array;
  after?: Uint8Array;
  /** Where the end record says that the directory begins. */
  directoryAt?: number;
  withoutEnd?: boolean;
}

/** The bytes of the archive. */
export function rawZip({ entries, ...zip }: RawZip): Buffer {
  const parts: Buffer[] = [Buffer.from(zip.before ?? [])];
  const length = () => parts.reduce((sum, part) => sum + part.length, 0);
  const listed = entries.map((entry) => {
    const all = fieldsOf(entry);
    const offset = entry.offset ?? length();
    if (!entry.isListedOnly) parts.push(localHeader(entry, all), all.packed);
    return directoryEntry(entry, all, offset);
  });
  const begin = length();
  parts.push(...listed);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(zip.disk ?? 0, 4);
  end.writeUInt16LE(zip.count ?? entries.length, 8);
  end.writeUInt16LE(zip.count ?? entries.length, 10);
  end.writeUInt32LE(length() - begin, 12);
  end.writeUInt32LE(zip.directoryAt ?? begin, 16);
  if (!zip.withoutEnd) parts.push(end);
  parts.push(Buffer.from(zip.after ?? []));
  return Buffer.concat(parts);
}

interface Fields {
  name: Buffer;
  packed: Buffer;
  method: number;
  flags: number;
  crc: number;
  size: number;
  compressedSize: number;
}

function fieldsOf({ name, data = '[]', ...given }: RawEntry): Fields {
  const bytes = Buffer.from(data as Uint8Array);
  const method = given.method ?? 8;
  const packed = Buffer.from(given.packed ?? (method === 0 ? bytes : deflateRawSync(bytes)));
  return {
    name: Buffer.from(name as Uint8Array),
    packed,
    method,
    flags: given.flags ?? 0x800,
    crc: given.crc ?? crc32(bytes),
    size: given.size ?? bytes.length,
    compressedSize: given.compressedSize ?? packed.length,
  };
}

function localHeader({ local = {}, extra = new Uint8Array() }: RawEntry, all: Fields): Buffer {
  const name = local.name === undefined ? all.name : Buffer.from(local.name);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(local.flags ?? all.flags, 6);
  header.writeUInt16LE(local.method ?? all.method, 8);
  header.writeUInt32LE(local.crc ?? all.crc, 14);
  header.writeUInt32LE(all.compressedSize, 18);
  header.writeUInt32LE(local.size ?? all.size, 22);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, name, extra]);
}

function directoryEntry(
  { madeBy = 0x031e, attributes = 0o100644 * 0x10000, extra = new Uint8Array() }: RawEntry,
  all: Fields,
  offset: number,
): Buffer {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(madeBy, 4);
  entry.writeUInt16LE(20, 6);
  entry.writeUInt16LE(all.flags, 8);
  entry.writeUInt16LE(all.method, 10);
  entry.writeUInt32LE(all.crc, 16);
  entry.writeUInt32LE(all.compressedSize, 20);
  entry.writeUInt32LE(all.size, 24);
  entry.writeUInt16LE(all.name.length, 28);
  entry.writeUInt16LE(extra.length, 30);
  entry.writeUInt32LE(attributes >>> 0, 38);
  entry.writeUInt32LE(offset, 42);
  return Buffer.concat([entry, all.name, extra]);
}
