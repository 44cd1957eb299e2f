/**
 * The icon and the version that Windows shows of a program: replaces those of Node in its resources. Pure. Formats: PE
 * format, "The .rsrc Section"; Win32, "VS_VERSIONINFO", "GRPICONDIR".
 */

const TYPE = { icon: 3, iconGroup: 14, version: 16 };
const LANGUAGE = 0x409;
const SECTION_HEADER = 40;
const READABLE_DATA = 0x40000040;
const RESOURCES = 2;
const CERTIFICATES = 4;

export interface WinResources {
  /** PNG by width; 256 is written as 0. */
  icons: ReadonlyArray<{ size: number; png: Buffer }>;
  /** `1.2.3`. */
  version: string;
  /** Such as `FileDescription`. */
  strings: Readonly<Record<string, string>>;
}

type Id = number | string;
/** A directory of resources, or a resource. */
type Tree = Map<Id, Tree> | { content: Buffer; codePage: number };

/**
 * The program with its resources in a new section at its end. A signature is cut off: it would not fit the new file.
 * @throws Error for a file that is no 64-bit program for Windows, or that has no room for one more section
 */
export function setWinResources(file: Buffer, { icons, version, strings }: WinResources): Buffer {
  const pe = layoutOf(file);
  const tree = readTree(file, pe, 0);
  if (!(tree instanceof Map)) throw new Error('the program has no resources');
  const group = icons.map(({ size, png }, index) => iconEntry(size, png, index + 1));
  const head = Buffer.from([0, 0, 1, 0, icons.length, 0]);
  tree.set(TYPE.icon, new Map(icons.map(({ png }, index) => [index + 1, leaf(png)])));
  tree.set(TYPE.iconGroup, new Map([[1, leaf(Buffer.concat([head, ...group]))]]));
  tree.set(TYPE.version, new Map([[1, leaf(versionInfo(version, strings))]]));
  return withSection(file, pe, (address) => writeTree(tree, address));
}

function leaf(content: Buffer): Tree {
  return new Map([[LANGUAGE, { content, codePage: 0 }]]);
}

interface Layout {
  /** Offset of the COFF header. */
  coff: number;
  optional: number;
  sections: Array<{ header: number; address: number; size: number; offset: number; raw: number }>;
}

function layoutOf(file: Buffer): Layout {
  const start = file.readUInt32LE(0x3c);
  if (file.toString('latin1', start, start + 4) !== 'PE\0\0') throw new Error('not a program for Windows');
  const coff = start + 4;
  const optional = coff + 20;
  if (file.readUInt16LE(optional) !== 0x20b) throw new Error('not a 64-bit program');
  const first = optional + file.readUInt16LE(coff + 16);
  const sections = Array.from({ length: file.readUInt16LE(coff + 2) }, (_, index) => {
    const header = first + index * SECTION_HEADER;
    return {
      header,
      size: file.readUInt32LE(header + 8),
      address: file.readUInt32LE(header + 12),
      raw: file.readUInt32LE(header + 16),
      offset: file.readUInt32LE(header + 20),
    };
  });
  return { coff, optional, sections };
}

function directoryEntry({ optional }: Layout, index: number): number {
  return optional + 112 + index * 8;
}

function offsetOf({ sections }: Layout, address: number): number {
  const section = sections.find((one) => address >= one.address && address < one.address + one.raw);
  if (!section) throw new Error(`nothing lies at ${address}`);
  return section.offset + address - section.address;
}

/** @param at offset inside the resources */
function readTree(file: Buffer, pe: Layout, at: number): Tree {
  const root = offsetOf(pe, file.readUInt32LE(directoryEntry(pe, RESOURCES)));
  const start = root + at;
  const tree = new Map<Id, Tree>();
  const count = file.readUInt16LE(start + 12) + file.readUInt16LE(start + 14);
  for (let index = 0; index < count; index++) {
    const id = file.readUInt32LE(start + 16 + index * 8);
    const target = file.readUInt32LE(start + 20 + index * 8);
    const name = root + (id & 0x7fffffff);
    const length = id >= 0x80000000 ? file.readUInt16LE(name) : 0;
    const key = id >= 0x80000000 ? file.toString('utf16le', name + 2, name + 2 + length * 2) : id;
    if (target >= 0x80000000) tree.set(key, readTree(file, pe, target & 0x7fffffff));
    else {
      const [address = 0, size = 0, codePage = 0] = [0, 4, 8].map((part) =>
        file.readUInt32LE(root + target + part),
      );
      const offset = offsetOf(pe, address);
      tree.set(key, { content: Buffer.from(file.subarray(offset, offset + size)), codePage });
    }
  }
  return tree;
}

/** Directories first, then names, then where each resource is, then the resources. */
function writeTree(root: Tree, address: number): Buffer {
  const directories: Array<Map<Id, Tree>> = [];
  const collect = (tree: Tree) => {
    if (!(tree instanceof Map)) return;
    directories.push(tree);
    for (const child of tree.values()) collect(child);
  };
  collect(root);
  const starts = new Map<Tree, number>();
  let size = 0;
  const place = (key: Tree, length: number, alignment = 1) => {
    size = alignedTo(size, alignment);
    starts.set(key, size);
    size += length;
  };
  for (const tree of directories) place(tree, 16 + tree.size * 8);
  const names = new Map<string, number>();
  const leaves = directories.flatMap((tree) => [...tree.values()].filter((child) => !(child instanceof Map)));
  for (const id of directories.flatMap((tree) => [...tree.keys()])) {
    if (typeof id !== 'string' || names.has(id)) continue;
    names.set(id, size);
    size += 2 + id.length * 2;
  }
  size = alignedTo(size, 4);
  for (const one of leaves) place(one, 16);
  const contents = new Map<Tree, number>();
  for (const one of leaves) {
    size = alignedTo(size, 8);
    contents.set(one, size);
    size += one instanceof Map ? 0 : one.content.length;
  }

  const bytes = Buffer.alloc(size);
  for (const tree of directories) {
    const ids = [...tree.keys()].sort(byNameThenNumber);
    const start = starts.get(tree) ?? 0;
    bytes.writeUInt16LE(ids.filter((id) => typeof id === 'string').length, start + 12);
    bytes.writeUInt16LE(ids.filter((id) => typeof id === 'number').length, start + 14);
    ids.forEach((id, index) => {
      const child = tree.get(id);
      const target = (child && starts.get(child)) ?? 0;
      const key = typeof id === 'string' ? 0x80000000 + (names.get(id) ?? 0) : id;
      bytes.writeUInt32LE(key, start + 16 + index * 8);
      bytes.writeUInt32LE(child instanceof Map ? 0x80000000 + target : target, start + 20 + index * 8);
    });
  }
  for (const [name, start] of names) {
    bytes.writeUInt16LE(name.length, start);
    bytes.write(name, start + 2, 'utf16le');
  }
  for (const one of leaves) {
    if (one instanceof Map) continue;
    const content = contents.get(one) ?? 0;
    const start = starts.get(one) ?? 0;
    [address + content, one.content.length, one.codePage].forEach((value, part) => {
      bytes.writeUInt32LE(value, start + part * 4);
    });
    one.content.copy(bytes, content);
  }
  return bytes;
}

function byNameThenNumber(one: Id, other: Id): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : 1;
  return typeof one === 'string' ? -1 : 1;
}

function withSection(file: Buffer, pe: Layout, contentAt: (address: number) => Buffer): Buffer {
  const { coff, optional, sections } = pe;
  const [first] = sections;
  const last = sections.at(-1);
  if (!first || !last) throw new Error('the program has no sections');
  const header = last.header + SECTION_HEADER;
  const firstContent = Math.min(...sections.filter(({ raw }) => raw > 0).map(({ offset }) => offset));
  if (header + SECTION_HEADER > firstContent) throw new Error('there is no room for a section');
  const sectionAlignment = file.readUInt32LE(optional + 32);
  const fileAlignment = file.readUInt32LE(optional + 36);
  const address = alignedTo(last.address + last.size, sectionAlignment);
  const content = contentAt(address);
  // What is behind the sections is the signature.
  const end = Math.max(...sections.map(({ offset, raw }) => offset + raw));
  const offset = alignedTo(end, fileAlignment);
  const raw = alignedTo(content.length, fileAlignment);

  const made = Buffer.alloc(offset + raw);
  file.copy(made, 0, 0, end);
  content.copy(made, offset);
  made.write('.relay\0\0', header, 'latin1');
  [content.length, address, raw, offset].forEach((value, part) => {
    made.writeUInt32LE(value, header + 8 + part * 4);
  });
  made.writeUInt32LE(READABLE_DATA, header + 36);
  made.writeUInt16LE(sections.length + 1, coff + 2);
  made.writeUInt32LE(alignedTo(address + content.length, sectionAlignment), optional + 56);
  // The checksum is for drivers alone; 0 means none.
  made.writeUInt32LE(0, optional + 64);
  made.writeUInt32LE(address, directoryEntry(pe, RESOURCES));
  made.writeUInt32LE(content.length, directoryEntry(pe, RESOURCES) + 4);
  made.writeBigUInt64LE(0n, directoryEntry(pe, CERTIFICATES));
  return made;
}

function iconEntry(size: number, png: Buffer, id: number): Buffer {
  const entry = Buffer.alloc(14);
  entry.set([size % 256, size % 256, 0, 0, 1, 0, 32, 0]);
  entry.writeUInt32LE(png.length, 8);
  entry.writeUInt16LE(id, 12);
  return entry;
}

function versionInfo(version: string, strings: Readonly<Record<string, string>>): Buffer {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map((part) => Number(part) || 0);
  const fixed = Buffer.alloc(52);
  const numbers = [(major << 16) | minor, patch << 16];
  // Signature, version of the structure, versions of file and product, mask, no flags, Windows NT, an application.
  [0xfeef04bd, 0x10000, ...numbers, ...numbers, 0x3f, 0, 0x40004, 1].forEach((value, place) => {
    fixed.writeUInt32LE(value >>> 0, place * 4);
  });
  const rows = Object.entries(strings).map(([key, text]) => node(key, { text }));
  const table = node('040904b0', { children: rows });
  const translation = Buffer.from([0x09, 0x04, 0xb0, 0x04]);
  return node('VS_VERSION_INFO', {
    value: fixed,
    children: [
      node('StringFileInfo', { children: [table] }),
      node('VarFileInfo', { children: [node('Translation', { value: translation })] }),
    ],
  });
}

interface NodeParts {
  value?: Buffer;
  text?: string;
  children?: readonly Buffer[];
}

/** Length, length of the value (of a text in characters), type, key, value, children; each part begins at a multiple of four. */
function node(key: string, { value, text, children = [] }: NodeParts): Buffer {
  const content = text === undefined ? (value ?? Buffer.alloc(0)) : Buffer.from(`${text}\0`, 'utf16le');
  const parts = [Buffer.concat([Buffer.alloc(6), Buffer.from(`${key}\0`, 'utf16le')]), content, ...children];
  const filled = parts.filter((part) => part.length > 0);
  const bytes = Buffer.concat(
    filled.flatMap((part, index) => [
      part,
      Buffer.alloc(index === filled.length - 1 ? 0 : alignedTo(part.length, 4) - part.length),
    ]),
  );
  bytes.writeUInt16LE(bytes.length, 0);
  bytes.writeUInt16LE(text === undefined ? content.length : content.length / 2, 2);
  bytes.writeUInt16LE(value === undefined ? 1 : 0, 4);
  return bytes;
}

function alignedTo(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}
