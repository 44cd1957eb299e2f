/**
 * Checks the pages that SQLite reads before any query: the tree of the schema, which begins on page 1. SQLite follows
 * a loop in a tree to a depth of 20, so a tree of many loops would keep it busy without end. This check reads each page
 * only once. Pure (sqlite.org/fileformat2.html, 1.3 to 1.6).
 */

/** Far more pages than our own schema fills. The file's schema must equal ours, so a larger one would be refused anyway. */
const MAX_PAGES = 200;
/** Far longer than any SQL text of our own schema. A hostile row may claim 2 GiB, on pages that form a loop. */
const MAX_ROW_BYTES = 64 * 1024;
const INTERIOR = 5;
const LEAF = 13;

/** Says what is wrong with the tree; null if SQLite can read the tree in a time bounded by its size. */
export function schemaTreeProblem(bytes: Uint8Array): string | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const pageSize = file.readUInt16BE(16) === 1 ? 65_536 : file.readUInt16BE(16);
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) return 'its page size is not valid in SQLite';
  const pageCount = Math.floor(file.length / pageSize);
  const seen = new Set<number>();
  const open = [1];
  for (const page of open) {
    if (page < 1 || page > pageCount) return 'its schema points outside the file';
    if (seen.has(page)) return 'its schema contains a loop';
    seen.add(page);
    if (seen.size > MAX_PAGES) return 'its schema is larger than any that relay creates';
    const children = childrenOf(file.subarray((page - 1) * pageSize, page * pageSize), page === 1 ? 100 : 0);
    if (children === null) return 'its schema is damaged';
    open.push(...children);
  }
  return null;
}

function childrenOf(page: Buffer, header: number): number[] | null {
  const type = page[header];
  if (type === LEAF) return hasShortRows(page, header) ? [] : null;
  if (type !== INTERIOR) return null;
  const count = page.readUInt16BE(header + 3);
  const pointers = header + 12;
  if (pointers + 2 * count > page.length) return null;
  const children = [page.readUInt32BE(header + 8)];
  for (let cell = 0; cell < count; cell++) {
    const at = page.readUInt16BE(pointers + 2 * cell);
    if (at + 4 > page.length) return null;
    children.push(page.readUInt32BE(at));
  }
  return children;
}

function hasShortRows(page: Buffer, header: number): boolean {
  const count = page.readUInt16BE(header + 3);
  const pointers = header + 8;
  if (pointers + 2 * count > page.length) return false;
  for (let cell = 0; cell < count; cell++) {
    // A varint of more than three bytes is larger than the limit by itself (1.6).
    let size = 0;
    let at = page.readUInt16BE(pointers + 2 * cell);
    for (const end = at + 3; ; at++) {
      const byte = page[at];
      if (byte === undefined || at === end) return false;
      size = size * 128 + (byte & 127);
      if (byte < 128) break;
    }
    if (size > MAX_ROW_BYTES) return false;
  }
  return true;
}
