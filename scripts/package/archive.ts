/** Packs files into archives that depend only on their content. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { type Zippable, zipSync } from 'fflate';
import { root } from '../bundle.ts';

export interface Packed {
  path: string;
  content: Uint8Array;
  /** True if the file can be run. */
  isProgram?: boolean;
}

const BLOCK = 512;
/** ZIP archives have no time before 1980. */
const MIN_SECONDS = 315_532_800;

/**
 * The time of every packed file in seconds since 1970: SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/),
 * else the time of the commit, else 1980 in a tree without a history.
 */
const SOURCE_DATE = Math.max(MIN_SECONDS, Number(process.env.SOURCE_DATE_EPOCH ?? commitTime()));

function commitTime(): string {
  try {
    return execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '0';
  }
}

/** Writes a `.tar.gz` (POSIX ustar), in which everything belongs to root. */
export async function tarFile(path: string, files: readonly Packed[]): Promise<void> {
  const blocks = files.flatMap((file) => [
    headerOf(file),
    file.content,
    Buffer.alloc((BLOCK - (file.content.length % BLOCK)) % BLOCK),
  ]);
  await writeFile(path, gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])));
}

function headerOf({ path, content, isProgram }: Packed): Buffer {
  const octal = (value: number, size: number) => `${value.toString(8).padStart(size - 1, '0')}\0`;
  const mode = octal(isProgram ? 0o755 : 0o644, 8);
  const numbers = mode + octal(0, 8) + octal(0, 8) + octal(content.length, 12) + octal(SOURCE_DATE, 12);
  const block = Buffer.alloc(BLOCK);
  // The checksum is computed while its own field holds spaces.
  block.write(`${path.padEnd(100, '\0')}${numbers}${' '.repeat(8)}0`);
  block.write('ustar\x0000root', 257);
  block.write('root', 297);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)} `, 148);
  return block;
}

/** Writes a ZIP archive. */
export async function zipFile(path: string, files: readonly Packed[]): Promise<void> {
  const UNIX = 3;
  const zipped: Zippable = {};
  for (const { path, content, isProgram } of files) {
    const mode = isProgram ? 0o100755 : 0o100644;
    zipped[path] = [content, { os: UNIX, attrs: (mode << 16) >>> 0 }];
  }
  // ZIP archives store local time, which this makes the same on every machine.
  const utc = new Date(SOURCE_DATE * 1_000);
  const mtime = new Date(utc.getTime() + utc.getTimezoneOffset() * 60_000);
  await writeFile(path, zipSync(zipped, { level: 6, mtime }));
}
