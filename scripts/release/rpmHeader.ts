/** Builds rpm headers: an index of tags, and the data that they point to. Pure. */

export type RpmTag =
  | { tag: number; type: 'string'; value: string }
  | { tag: number; type: 'strings' | 'localized'; values: readonly string[] }
  | { tag: number; type: 'int16' | 'int32'; values: readonly number[] }
  | { tag: number; type: 'bytes'; value: Buffer };

const TYPES = { int16: 3, int32: 4, string: 6, bytes: 7, strings: 8, localized: 9 } as const;
const ENTRY = 16;

/**
 * Returns the whole header, with the region that says which part the checksums cover.
 * @param tags by number, in rising order
 * @param region the tag of the region
 */
export function rpmHeader(tags: readonly RpmTag[], region: number): Buffer {
  const count = tags.length + 1;
  const index: Buffer[] = [];
  const data: Buffer[] = [];
  let size = 0;
  for (const tag of tags) {
    const { content, items, align } = stored(tag);
    const padding = (align - (size % align)) % align;
    data.push(Buffer.alloc(padding), content);
    index.push(entry(tag.tag, TYPES[tag.type], size + padding, items));
    size += padding + content.length;
  }
  // The last entry of the data points back over the whole index.
  data.push(entry(region, TYPES.bytes, -count * ENTRY, ENTRY));
  const start = Buffer.from([0x8e, 0xad, 0xe8, 0x01, 0, 0, 0, 0]);
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32BE(count, 0);
  sizes.writeUInt32BE(size + ENTRY, 4);
  return Buffer.concat([start, sizes, entry(region, TYPES.bytes, size, ENTRY), ...index, ...data]);
}

function entry(tag: number, type: number, offset: number, items: number): Buffer {
  const bytes = Buffer.alloc(ENTRY);
  [tag, type, offset, items].forEach((value, place) => {
    bytes.writeInt32BE(value, place * 4);
  });
  return bytes;
}

function stored(tag: RpmTag): { content: Buffer; items: number; align: number } {
  switch (tag.type) {
    case 'string':
      return { content: Buffer.from(`${tag.value}\0`), items: 1, align: 1 };
    case 'strings':
    case 'localized':
      return {
        content: Buffer.from(tag.values.map((text) => `${text}\0`).join('')),
        items: tag.values.length,
        align: 1,
      };
    case 'bytes':
      return { content: tag.value, items: tag.value.length, align: 1 };
    case 'int16': {
      const content = Buffer.alloc(tag.values.length * 2);
      tag.values.forEach((value, place) => {
        content.writeUInt16BE(value, place * 2);
      });
      return { content, items: tag.values.length, align: 2 };
    }
    case 'int32': {
      const content = Buffer.alloc(tag.values.length * 4);
      tag.values.forEach((value, place) => {
        content.writeInt32BE(value, place * 4);
      });
      return { content, items: tag.values.length, align: 4 };
    }
  }
}
