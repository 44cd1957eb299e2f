/** A ZIP archive that depends only on its content. Pure. */
import { type Zippable, zipSync } from 'fflate';

export interface ZipEntry {
  path: string;
  content: Uint8Array;
  /** Permission bits of the file, for systems that have them. */
  mode: number;
}

const UNIX = 3;

/** @param time seconds since 1970 */
export function zipFile(entries: readonly ZipEntry[], time: number): Uint8Array {
  const files: Zippable = {};
  for (const { path, content, mode } of entries) {
    files[path] = [content, { os: UNIX, attrs: ((0o100000 | mode) << 16) >>> 0 }];
  }
  return zipSync(files, { level: 6, mtime: localDate(time) });
}

/** ZIP archives store local time. This date has the same local time on every machine. */
function localDate(time: number): Date {
  const utc = new Date(time * 1_000);
  return new Date(
    utc.getUTCFullYear(),
    utc.getUTCMonth(),
    utc.getUTCDate(),
    utc.getUTCHours(),
    utc.getUTCMinutes(),
    utc.getUTCSeconds(),
  );
}
