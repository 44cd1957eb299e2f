/**
 * The file that SQLite works on, in parts, so that an image of it is taken without copying it. A part that an image holds
 * is copied when SQLite next writes to it.
 *
 * sql.js keeps a database as a file of Emscripten's MEMFS, whose content is what `slice` of the given bytes returns: any
 * object with `length`, `subarray` and `set`. No documentation promises that. So `image` answers null unless SQLite reads
 * this object, and the caller has `Database.export`, which copies everything at once.
 */

/** A copy of a database file: header and all in `parts`, in order. The first part belongs to the caller. */
export interface Image {
  length: number;
  parts: readonly [Uint8Array, ...Uint8Array[]];
}

export interface PagedFile {
  /** What the database is to be made from. */
  bytes: Uint8Array;
  /** The file as it is now; null if SQLite does not work on it. */
  image(): Image | null;
}

/** A multiple of every page size, so that no page lies in two parts. After each save, a write copies its part: as small as can be. */
const PART = 64 * 1024;
/** Where the header has the size of a page, as two bytes; the largest does not fit and stands there as 1. */
const PAGE_SIZE_AT = 16;
const MAX_PAGE = 65_536;
/**
 * A file that grows beyond so many parts grows in slabs. The system's allocator asks the system for each piece of this size
 * and gives it back when it is freed, while it keeps smaller ones. What is not used yet takes no memory.
 */
const LARGE = 256;
const SLAB = 33 * 1024 * 1024;
/** SQLite's header and what the saver changes in it are on the first page. */
const FIRST = 4_096;

/** @param bytes a database file, which SQLite changes from now on */
export function createPagedFile(bytes: Uint8Array): PagedFile {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += PART) parts.push(bytes.subarray(at, at + PART));
  /** Parts that the last image holds. */
  const held = new Set<number>();
  let slab = new ArrayBuffer(0);
  let slabFree = 0;
  const page = pageSizeOf(bytes);
  let size = bytes.length;
  let isRead = false;
  let isLeft = false;

  function read(begin: number, end: number): Uint8Array {
    isRead = true;
    // SQLite reads pages. More than one is read where the file is cut off, and its content is another object from then on.
    if (end - begin > page) isLeft = true;
    const at = Math.floor(begin / PART);
    if (end <= (at + 1) * PART) return partAt(at).subarray(begin - at * PART, end - at * PART);
    const whole = new Uint8Array(end - begin);
    for (let from = begin; from < end; ) {
      const index = Math.floor(from / PART);
      const to = Math.min(end, (index + 1) * PART);
      whole.set(partAt(index).subarray(from - index * PART, to - index * PART), from - begin);
      from = to;
    }
    return whole;
  }

  function write(source: Uint8Array, position: number): void {
    for (let from = 0; from < source.length; ) {
      const index = Math.floor((position + from) / PART);
      const offset = position + from - index * PART;
      const length = Math.min(source.length - from, PART - offset);
      writable(index, offset + length).set(source.subarray(from, from + length), offset);
      from += length;
    }
    size = Math.max(size, position + source.length);
  }

  /** A part that nothing else holds, with room for `length` bytes. */
  function writable(index: number, length: number): Uint8Array {
    const part = partAt(index);
    if (part.length >= length && !held.has(index)) return part;
    const own = new Uint8Array(part.length >= length ? part.length : PART);
    own.set(part);
    parts[index] = own;
    held.delete(index);
    return own;
  }

  function partAt(index: number): Uint8Array {
    while (parts.length <= index) {
      // SQLite does not write a page that it has taken and given back: the last part may end before the next one begins.
      if (parts.length > 0) writable(parts.length - 1, PART);
      parts.push(parts.length < LARGE ? new Uint8Array(PART) : ofSlab());
    }
    return parts[index] as Uint8Array;
  }

  function ofSlab(): Uint8Array {
    if (slabFree === 0) {
      slab = new ArrayBuffer(SLAB);
      slabFree = SLAB;
    }
    slabFree -= PART;
    return new Uint8Array(slab, slabFree, PART);
  }

  const content = { length: Number.MAX_SAFE_INTEGER, subarray: read, set: write };
  const given = bytes.subarray();
  Object.defineProperty(given, 'slice', { value: () => content });
  return {
    bytes: given,
    image() {
      if (!isRead || isLeft) return null;
      for (const index of parts.keys()) held.add(index);
      const all = parts.map((part, index) => part.subarray(0, size - index * PART));
      const [first = new Uint8Array()] = all;
      return { length: size, parts: [first.slice(0, FIRST), first.subarray(FIRST), ...all.slice(1)] };
    },
  };
}

function pageSizeOf(bytes: Uint8Array): number {
  const size = (bytes[PAGE_SIZE_AT] ?? 0) * 256 + (bytes[PAGE_SIZE_AT + 1] ?? 0);
  return size < 512 ? MAX_PAGE : size;
}

/** An image of one piece. */
export function imageOf(bytes: Uint8Array): Image {
  return { length: bytes.length, parts: [bytes] };
}
