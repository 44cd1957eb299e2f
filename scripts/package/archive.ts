/** Packs files into archives that depend only on their content. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Zippable, zipSync } from 'fflate';
import { root } from '../bundle.ts';

export interface Packed {
  path: string;
  content: Uint8Array;
  /** True if the file can be run. */
  isProgram?: boolean;
}

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

/** Writes a `.tar.gz`. Needs GNU tar. @param folder for temporary files */
export async function tarFile(path: string, files: readonly Packed[], folder: string): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(folder, file.path)), { recursive: true });
    await writeFile(join(folder, file.path), file.content, { mode: file.isProgram ? 0o755 : 0o644 });
  }
  const owner = ['--owner=root:0', '--group=root:0', `--mtime=@${SOURCE_DATE}`, '--mode=u=rwX,go=rX'];
  const names = files.map((file) => file.path).sort();
  await promisify(execFile)('tar', ['-czf', path, '-C', folder, '--format=ustar', ...owner, ...names]);
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
