/**
 * Keeps the file that SQLite works on in parts. An image of the file shares the parts of the file, so taking an image copies
 * nothing. A part that an image holds is copied when SQLite next writes to that part.
 *
 * sql.js gives the bytes of a database to MEMFS, the file system of Emscripten. MEMFS calls their `slice` and keeps what
 * that returns as the file's content. Any object with `length`, `subarray` and `set` will do. No documentation promises
 * that. So if SQLite does not read this object, `image` returns null, and the caller uses `Database.export`, which copies
 * everything at once.
 */

/** A whole database file as it was at one moment: its `parts`, in order. */
export interface Image {
  length: number;
  parts: readonly Uint8Array[];
}

export type PagedFile = ReturnType<typeof createPagedFile>;

/**
 * Bytes in a part: a multiple of every page size, so that no page lies in two parts. It is the smallest such multiple, because
 * the first write to a part after a save copies the whole part.
 */
const PART = 64 * 1024;
/** Position of the page size in the header. It has two bytes, so 1 stands for the largest size. */
const PAGE_SIZE_AT = 16;
const MAX_PAGE = 65_536;
/** A file with at least this many parts takes the memory for further parts from slabs. */
const LARGE = 256;
/**
 * Bytes in a slab. The allocator returns freed blocks of this size to the system, but keeps smaller ones. The unused part of
 * a slab takes no memory.
 */
const SLAB = 33 * 1024 * 1024;

/** @param bytes a database file, which SQLite changes from now on */
export function createPagedFile(bytes: Uint8Array) {
  markRollback(bytes);
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
    // SQLite reads single pages. A longer read means that the file is being truncated; from then on MEMFS has its own copy.
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

  /** Returns a part that no image holds, with room for `length` bytes. */
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
      // SQLite does not write a page that one transaction allocates and frees. So the last part may still be short, and is
      // filled up first.
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
    /** Stands for the bytes of the file; pass it to sql.js. */
    bytes: given,
    /** Returns the file as it is now; null if SQLite does not work on this object. */
    image(): Image | null {
      if (!isRead || isLeft) return null;
      for (const index of parts.keys()) held.add(index);
      return { length: size, parts: parts.map((part, index) => part.subarray(0, size - index * PART)) };
    },
  };
}

/**
 * Writes 1 into bytes 18 and 19 of a database file. They are 2 after another program used a write-ahead log. In memory there is no
 * such log.
 */
export function markRollback(bytes: Uint8Array): void {
  if (bytes.length > 19) bytes.fill(1, 18, 20);
}

function pageSizeOf(bytes: Uint8Array): number {
  const size = (bytes[PAGE_SIZE_AT] ?? 0) * 256 + (bytes[PAGE_SIZE_AT + 1] ?? 0);
  return size < 512 ? MAX_PAGE : size;
}
