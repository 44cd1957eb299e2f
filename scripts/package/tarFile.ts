/**
 * A tar archive (POSIX ustar) that depends only on its content: sorted names, root as the owner, one time for all files. Pure.
 */

export interface TarEntry {
  /** Path of at most 100 bytes, without a leading slash. The path of a directory ends with a slash. */
  path: string;
  content: Uint8Array;
  /** Permission bits of the file. */
  mode: number;
}

const BLOCK = 512;

/** @param time seconds since 1970 */
export function tarFile(entries: readonly TarEntry[], time: number): Buffer {
  const sorted = [...entries].sort((one, other) => (one.path < other.path ? -1 : 1));
  const blocks = sorted.flatMap((entry) => [
    header(entry, time),
    entry.content,
    Buffer.alloc((BLOCK - (entry.content.length % BLOCK)) % BLOCK),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header({ path, content, mode }: TarEntry, time: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a tar archive`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, size: number) =>
    block.write(`${value.toString(8).padStart(size - 1, '0')}\0`, at);
  block.write(path, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(content.length, 124, 12);
  octal(time, 136, 12);
  block.write(path.endsWith('/') ? '5' : '0', 156);
  block.write('ustar\x0000', 257);
  block.write('root', 265);
  block.write('root', 297);
  // The checksum is computed while its own field holds spaces.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
