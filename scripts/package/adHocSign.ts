/**
 * Adds the signature that macOS on Apple silicon requires. The signature names nobody, and only says that the file is
 * unchanged. It equals the signature of `codesign --sign -`, but can be made on any system. Pure. Formats: mach-o/loader.h, and
 * osfmt/kern/cs_blobs.h in Apple's xnu.
 */
import { createHash } from 'node:crypto';

const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const HEADER = 32;
const COMMAND = 16;
const PAGE = 4096;
/** Page size on Apple silicon. */
const SEGMENT_ALIGNMENT = 0x4000;
const MAGIC = { directory: 0xfade0c02, requirements: 0xfade0c01, wrapper: 0xfade0b01, signature: 0xfade0cc0 };
const SLOT = { directory: 0, requirements: 2, wrapper: 0x10000 };
const ADHOC = 2;
const MAIN_BINARY = 1n;
const DIRECTORY = 88;
/** SHA-256: the bytes of one hash, and the number that stands for it in a signature. */
const HASH = { size: 32, type: 2 };

/**
 * Returns the file with a signature at its end.
 * @param identifier the name of the program in the signature
 * @throws Error for a file that is signed, is not a 64-bit Mach-O program, or has no room for another load command
 */
export function signAdHoc(file: Buffer, identifier: string): Buffer {
  const { text, linkedit, end } = layoutOf(file);
  const limit = alignedTo(file.length, 16);
  const size = signatureSize(limit, identifier);
  const signed = Buffer.alloc(limit + size);
  file.copy(signed);

  signed.writeUInt32LE(LC_CODE_SIGNATURE, end);
  [COMMAND, limit, size].forEach((value, place) => {
    signed.writeUInt32LE(value, end + 4 + place * 4);
  });
  signed.writeUInt32LE(signed.readUInt32LE(16) + 1, 16);
  signed.writeUInt32LE(signed.readUInt32LE(20) + COMMAND, 20);
  const length = BigInt(signed.length) - signed.readBigUInt64LE(linkedit + 40);
  signed.writeBigUInt64LE(BigInt(alignedTo(Number(length), SEGMENT_ALIGNMENT)), linkedit + 32);
  signed.writeBigUInt64LE(length, linkedit + 48);

  const code = signed.subarray(0, limit);
  signature(code, identifier, {
    start: signed.readBigUInt64LE(text + 40),
    size: signed.readBigUInt64LE(text + 48),
  }).copy(signed, limit);
  return signed;
}

/** Offsets of the load commands of two segments, and of the end of all load commands. */
function layoutOf(file: Buffer): { text: number; linkedit: number; end: number } {
  if (file.readUInt32LE(0) !== 0xfeedfacf) throw new Error('not a 64-bit Mach-O program');
  const segments: Record<string, number> = {};
  let firstContent = file.length;
  let last = 0n;
  let at = HEADER;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const command = file.readUInt32LE(at);
    if (command === LC_CODE_SIGNATURE) throw new Error('the program is signed already');
    if (command === LC_SEGMENT_64) {
      segments[nameAt(file, at + 8)] = at;
      const start = file.readBigUInt64LE(at + 24);
      if (start > last) last = start;
      for (let section = 0; section < file.readUInt32LE(at + 64); section++) {
        const offset = file.readUInt32LE(at + 72 + section * 80 + 48);
        if (offset > 0) firstContent = Math.min(firstContent, offset);
      }
    }
    at += file.readUInt32LE(at + 4);
  }
  const { __TEXT: text, __LINKEDIT: linkedit } = segments;
  if (text === undefined || linkedit === undefined) throw new Error('the program lacks a segment');
  if (file.readBigUInt64LE(linkedit + 24) !== last) throw new Error('__LINKEDIT is not the last segment');
  if (at + COMMAND > firstContent) throw new Error('there is no room for a load command');
  return { text, linkedit, end: at };
}

function nameAt(file: Buffer, at: number): string {
  return file
    .subarray(at, at + 16)
    .toString('latin1')
    .replace(/\0+$/, '');
}

function signature(code: Buffer, identifier: string, text: { start: bigint; size: bigint }): Buffer {
  const requirements = blob(MAGIC.requirements, Buffer.alloc(4));
  const directory = codeDirectory(code, identifier, { requirements, text });
  const blobs: ReadonlyArray<[slot: number, content: Buffer]> = [
    [SLOT.directory, directory],
    [SLOT.requirements, requirements],
    [SLOT.wrapper, blob(MAGIC.wrapper, Buffer.alloc(0))],
  ];
  const index: number[] = [blobs.length];
  let offset = 12 + blobs.length * 8;
  for (const [slot, content] of blobs) {
    index.push(slot, offset);
    offset += content.length;
  }
  return blob(MAGIC.signature, Buffer.concat([numbers(index), ...blobs.map(([, content]) => content)]));
}

interface Signed {
  requirements: Buffer;
  /** The part of the file that is executable. */
  text: { start: bigint; size: bigint };
}

function codeDirectory(code: Buffer, identifier: string, { requirements, text }: Signed): Buffer {
  const name = Buffer.from(`${identifier}\0`);
  const pages = Math.ceil(code.length / PAGE);
  // The hash of the requirements, and zeros in place of the hash of an Info.plist, since there is none.
  const special = [hash(requirements), Buffer.alloc(HASH.size)];
  const hashes = DIRECTORY + name.length + special.length * HASH.size;
  const head = Buffer.alloc(DIRECTORY);
  const fields = [0x20400, ADHOC, hashes, DIRECTORY, special.length, pages, code.length];
  fields.forEach((value, place) => {
    head.writeUInt32BE(value, 8 + place * 4);
  });
  head.set([HASH.size, HASH.type, 0, Math.log2(PAGE)], 36);
  head.writeBigUInt64BE(text.start, 64);
  head.writeBigUInt64BE(text.size, 72);
  head.writeBigUInt64BE(MAIN_BINARY, 80);
  const slots = Array.from({ length: pages }, (_, page) =>
    hash(code.subarray(page * PAGE, (page + 1) * PAGE)),
  );
  const content = Buffer.concat([head.subarray(8), name, ...special, ...slots]);
  return blob(MAGIC.directory, content);
}

function signatureSize(limit: number, identifier: string): number {
  const hashes = (Math.ceil(limit / PAGE) + 2) * HASH.size;
  const directory = DIRECTORY + Buffer.byteLength(identifier) + 1 + hashes;
  return alignedTo(12 + 3 * 8 + directory + 12 + 8, 16);
}

/** Adds the magic number and the length with which every part of a signature begins. */
function blob(magic: number, content: Buffer): Buffer {
  return Buffer.concat([numbers([magic, content.length + 8]), content]);
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, place) => {
    bytes.writeUInt32BE(value, place * 4);
  });
  return bytes;
}

function hash(content: Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}

function alignedTo(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}
