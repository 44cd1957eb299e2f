/** A ZIP archive that depends on its content alone. Pure. */
import { type Zippable, zipSync } from 'fflate';

export interface ZipEntry {
  path: string;
  content: Uint8Array;
  /** Of the file, for systems that have modes. */
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

/** A ZIP archive has the local time of the machine that makes it: this one reads the same everywhere. */
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
