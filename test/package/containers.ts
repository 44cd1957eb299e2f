/** Reads the system and the processor of an executable file, and the application that `--build-sea` has embedded. */

import { createHash } from 'node:crypto';

/** For each format, the numbers of processors and their names in Node's `process.arch`. */
const MACHINES: Record<Kind['format'], Record<number, string>> = {
  ELF: { 62: 'x64', 183: 'arm64' },
  'Mach-O': { 16777223: 'x64', 16777228: 'arm64' },
  PE: { 34404: 'x64', 43620: 'arm64' },
};

export interface Kind {
  format: 'ELF' | 'Mach-O' | 'PE';
  /** Name of the processor, as in Node's `process.arch`. */
  arch: string;
}

/** For which system and processor a program or a native addon is. */
export function readKind(file: Buffer): Kind {
  const { format, machine } = machineOf(file);
  return { format, arch: MACHINES[format][machine] ?? `unknown ${machine}` };
}

function machineOf(file: Buffer): { format: Kind['format']; machine: number } {
  if (file.subarray(0, 4).toString('latin1') === '\x7fELF') {
    return { format: 'ELF', machine: file.readUInt16LE(18) };
  }
  if (file.readUInt32LE(0) === 0xfeedfacf) return { format: 'Mach-O', machine: file.readUInt32LE(4) };
  const header = file.readUInt32LE(0x3c);
  if (text(file, 0, 2) === 'MZ' && text(file, header, 4) === 'PE') {
    return { format: 'PE', machine: file.readUInt16LE(header + 4) };
  }
  throw new Error('no program that this test knows');
}

export interface Container extends Kind {
  /** The content of the place where Node looks for the embedded application. */
  blob: Buffer;
  /** Whether a Mach-O file has a load command for a signature. */
  signed: boolean;
}

/** Reads an executable. Throws if the file has no place for an application. */
export function readContainer(file: Buffer): Container {
  const kind = readKind(file);
  switch (kind.format) {
    case 'ELF':
      return { ...kind, blob: elfBlob(file), signed: false };
    case 'Mach-O':
      return { ...kind, ...machOBlob(file) };
    case 'PE':
      return { ...kind, blob: peBlob(file), signed: false };
  }
}

/** ELF gABI, "ELF Header", "Program Header", "Note Section". */
function elfBlob(file: Buffer): Buffer {
  const table = Number(file.readBigUInt64LE(32));
  const size = file.readUInt16LE(54);
  for (let index = 0; index < file.readUInt16LE(56); index++) {
    const header = table + index * size;
    if (file.readUInt32LE(header) !== 4) continue;
    const start = Number(file.readBigUInt64LE(header + 8));
    const blob = noteNamed(file.subarray(start, start + Number(file.readBigUInt64LE(header + 32))), SEA);
    if (blob) return blob;
  }
  throw new Error('no note holds an application');
}

const SEA = 'NODE_SEA_BLOB';

function noteNamed(notes: Buffer, name: string): Buffer | null {
  const padded = (length: number) => Math.ceil(length / 4) * 4;
  for (let at = 0; at + 12 <= notes.length; ) {
    const nameSize = notes.readUInt32LE(at);
    const size = notes.readUInt32LE(at + 4);
    const found = notes.subarray(at + 12, at + 12 + nameSize).toString('latin1');
    const content = at + 12 + padded(nameSize);
    if (found.replace(/\0+$/, '') === name) return notes.subarray(content, content + size);
    at = content + padded(size);
  }
  return null;
}

/** mach-o/loader.h: `mach_header_64`, `segment_command_64`, `section_64`, `LC_CODE_SIGNATURE`. */
function machOBlob(file: Buffer): { blob: Buffer; signed: boolean } {
  let blob: Buffer | null = null;
  let signed = false;
  for (let at = 32, left = file.readUInt32LE(16); left > 0; left--) {
    const command = file.readUInt32LE(at);
    if (command === 0x1d) signed = true;
    if (command === 0x19) blob ??= sectionNamed(file, at, `__${SEA}`);
    at += file.readUInt32LE(at + 4);
  }
  if (!blob) throw new Error('no section holds an application');
  return { blob, signed };
}

function sectionNamed(file: Buffer, segment: number, name: string): Buffer | null {
  for (let index = 0; index < file.readUInt32LE(segment + 64); index++) {
    const section = segment + 72 + index * 80;
    if (text(file, section, 16) !== name) continue;
    const offset = file.readUInt32LE(section + 48);
    return file.subarray(offset, offset + Number(file.readBigUInt64LE(section + 40)));
  }
  return null;
}

/** The content of a section of a program or a native addon; null if no section has that name. */
export function readSection(file: Buffer, name: string): Buffer | null {
  switch (readKind(file).format) {
    case 'ELF':
      return elfSection(file, name);
    case 'Mach-O':
      return machOCommands(file)
        .filter(({ command }) => command === 0x19)
        .reduce<Buffer | null>((found, { at }) => found ?? sectionNamed(file, at, name), null);
    case 'PE':
      return peSection(file, name);
  }
}

/** ELF gABI, "Section Header". */
function elfSection(file: Buffer, name: string): Buffer | null {
  const table = Number(file.readBigUInt64LE(40));
  const headers = Array.from({ length: file.readUInt16LE(60) }, (_, index) => {
    const at = table + index * file.readUInt16LE(58);
    const start = Number(file.readBigUInt64LE(at + 24));
    const content = file.subarray(start, start + Number(file.readBigUInt64LE(at + 32)));
    return { name: file.readUInt32LE(at), content };
  });
  const names = headers[file.readUInt16LE(62)]?.content ?? Buffer.alloc(0);
  return headers.find((header) => text(names, header.name, name.length + 1) === name)?.content ?? null;
}

/** PE format, "Section Table". The content is cut to its virtual size, since it may be padded in the file. */
function peSection(file: Buffer, name: string): Buffer | null {
  const header = file.readUInt32LE(0x3c);
  const sections = header + 24 + file.readUInt16LE(header + 20);
  for (let index = 0; index < file.readUInt16LE(header + 6); index++) {
    const at = sections + index * 40;
    if (text(file, at, 8) !== name) continue;
    const start = file.readUInt32LE(at + 20);
    return file.subarray(start, start + file.readUInt32LE(at + 8));
  }
  return null;
}

export interface Signature {
  identifier: string;
  adHoc: boolean;
  /** Pages of the file whose hash is not the signature's. The pages cover every byte before the signature. */
  wrongPages: number[];
  /** Whether the last segment reaches to the end of the file. */
  covered: boolean;
}

/** The signature of a Mach-O file: `LC_CODE_SIGNATURE`; xnu, cs_blobs.h: `CS_SuperBlob`, `CS_CodeDirectory`. */
export function readSignature(file: Buffer): Signature {
  const commands = machOCommands(file);
  const signature = commands.find(({ command }) => command === 0x1d)?.at;
  const linkedit = commands.find(
    ({ at, command }) => command === 0x19 && text(file, at + 8, 16) === '__LINKEDIT',
  )?.at;
  if (signature === undefined || linkedit === undefined) throw new Error('the file is not signed');
  const start = file.readUInt32LE(signature + 8);
  const blobs = file.subarray(start, start + file.readUInt32LE(signature + 12));
  const offset = Array.from({ length: blobs.readUInt32BE(8) }, (_, index) => 12 + index * 8)
    .filter((at) => blobs.readUInt32BE(at) === 0)
    .map((at) => blobs.readUInt32BE(at + 4))[0];
  if (blobs.readUInt32BE(0) !== 0xfade0cc0 || offset === undefined) throw new Error('no code directory');
  const directory = blobs.subarray(offset);
  const [flags = 0, hashes = 0, name = 0, , pages = 0, limit = 0] = [12, 16, 20, 24, 28, 32].map((at) =>
    directory.readUInt32BE(at),
  );
  const size = 2 ** directory.readUInt8(39);
  const wrongPages = Array.from({ length: pages }, (_, page) => page).filter((page) => {
    const content = file.subarray(page * size, Math.min((page + 1) * size, limit));
    const expected = directory.subarray(hashes + page * 32, hashes + (page + 1) * 32);
    return !createHash('sha256').update(content).digest().equals(expected);
  });
  if (limit !== start || pages !== Math.ceil(limit / size)) throw new Error('not the whole file is signed');
  const end = file.readBigUInt64LE(linkedit + 40) + file.readBigUInt64LE(linkedit + 48);
  return {
    identifier: directory.toString('utf8', name, directory.indexOf(0, name)),
    adHoc: (flags & 2) !== 0,
    wrongPages,
    covered: end === BigInt(file.length) && start + blobs.length === file.length,
  };
}

function machOCommands(file: Buffer): Array<{ at: number; command: number }> {
  let at = 32;
  return Array.from({ length: file.readUInt32LE(16) }, () => {
    const found = { at, command: file.readUInt32LE(at) };
    at += file.readUInt32LE(at + 4);
    return found;
  });
}

/** PE format, "COFF File Header", "Section Table", "The .rsrc Section". */
function peBlob(file: Buffer): Buffer {
  const { root, contentAt } = peResources(file);
  const data = entries(file, root, root).get(10);
  const named = data === undefined ? undefined : entries(file, root, data).get(SEA);
  const [leaf] = named === undefined ? [] : entries(file, root, named).values();
  if (leaf === undefined) throw new Error('no resource holds an application');
  return contentAt(leaf);
}

/** The resources of a PE file by the number of their type, in the order in which they are there. */
export function readResources(file: Buffer): Map<number | string, Buffer[]> {
  const { root, contentAt } = peResources(file);
  const types = [...entries(file, root, root)].map(([type, directory]): [number | string, Buffer[]] => [
    type,
    [...entries(file, root, directory).values()]
      .flatMap((language) => [...entries(file, root, language).values()])
      .map(contentAt),
  ]);
  return new Map(types);
}

function peResources(file: Buffer): { root: number; contentAt(leaf: number): Buffer } {
  const header = file.readUInt32LE(0x3c);
  const optional = header + 24;
  const sections = optional + file.readUInt16LE(header + 20);
  const count = file.readUInt16LE(header + 6);
  const offsetOf = (address: number): number => {
    for (let index = 0; index < count; index++) {
      const section = sections + index * 40;
      const start = file.readUInt32LE(section + 12);
      const within = address - start;
      if (within >= 0 && within < file.readUInt32LE(section + 16)) {
        return file.readUInt32LE(section + 20) + within;
      }
    }
    throw new Error(`nothing lies at ${address}`);
  };
  const root = offsetOf(file.readUInt32LE(optional + 112 + 2 * 8));
  return {
    root,
    contentAt(leaf) {
      const start = offsetOf(file.readUInt32LE(leaf));
      return file.subarray(start, start + file.readUInt32LE(leaf + 4));
    },
  };
}

/** A directory of resources: the offset of each entry by its number or name. */
function entries(file: Buffer, root: number, directory: number): Map<number | string, number> {
  const found = new Map<number | string, number>();
  const count = file.readUInt16LE(directory + 12) + file.readUInt16LE(directory + 14);
  for (let index = 0; index < count; index++) {
    const entry = directory + 16 + index * 8;
    const id = file.readUInt32LE(entry);
    const name = root + (id & 0x7fffffff);
    const length = id & 0x80000000 ? file.readUInt16LE(name) * 2 : 0;
    const key = length > 0 ? file.subarray(name + 2, name + 2 + length).toString('utf16le') : id;
    found.set(key, root + (file.readUInt32LE(entry + 4) & 0x7fffffff));
  }
  return found;
}

function text(file: Buffer, at: number, length: number): string {
  return file
    .subarray(at, at + length)
    .toString('latin1')
    .replace(/\0+$/, '');
}

export interface Application {
  /** Name of the script, and the script. */
  path: string;
  code: string;
  codeCache: Buffer | null;
  assets: Map<string, Buffer>;
  /** Options that Node is started with. */
  execArgv: string[];
}

const FLAG = { codeCache: 1 << 2, assets: 1 << 3, execArgv: 1 << 4 };

/** The application as the loader in Node's `src/node_sea.cc` reads it. */
export function readApplication(blob: Buffer): Application {
  if (blob.readUInt32LE(0) !== 0x143da20) throw new Error('the application lacks its magic number');
  const flags = blob.readUInt32LE(4);
  // Skips two bytes: the format of the script, and where more options may come from.
  let at = 10;
  const number = () => {
    at += 8;
    return Number(blob.readBigUInt64LE(at - 8));
  };
  const bytes = () => {
    const length = number();
    at += length;
    return blob.subarray(at - length, at);
  };
  const path = bytes().toString('utf8');
  const code = bytes().toString('utf8');
  const codeCache = flags & FLAG.codeCache ? bytes() : null;
  const assets = new Map<string, Buffer>();
  for (let left = flags & FLAG.assets ? number() : 0; left > 0; left--) {
    const name = bytes().toString('utf8');
    assets.set(name, bytes());
  }
  const execArgv: string[] = [];
  for (let left = flags & FLAG.execArgv ? number() : 0; left > 0; left--) {
    execArgv.push(bytes().toString('utf8'));
  }
  return { path, code, codeCache, assets, execArgv };
}
