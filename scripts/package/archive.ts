/** What people download: the executable as `relay` with its licenses, packed small; and the checksums of everything. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { zipSync } from 'fflate';
import { create } from 'tar';
import type { Target } from './targets.ts';

export interface ArchiveOptions {
  target: Target;
  /** Path of the executable; the archive gets its name. */
  executable: string;
  /** Path of each text that goes with it. */
  texts: readonly string[];
  folder: string;
}

/** Writes the archive beside the executable and returns its path. */
export async function archive(options: ArchiveOptions): Promise<string> {
  const { target, executable, texts, folder } = options;
  const name = basename(executable, target.suffix);
  const stage = join(folder, name);
  await mkdir(stage, { recursive: true });
  for (const text of texts) await copyFile(text, join(stage, basename(text)));
  const program = join(stage, `relay${target.suffix}`);
  await copyFile(executable, program);
  await chmod(program, 0o755);
  const path = join(executable, '..', `${name}.${target.archive}`);
  await (target.archive === 'zip' ? zip(stage, path) : tarXz(folder, name, path));
  await rm(stage, { recursive: true });
  return path;
}

async function tarXz(folder: string, name: string, path: string): Promise<void> {
  const tar = join(folder, `${name}.tar`);
  await create({ file: tar, cwd: folder, portable: true }, [name]);
  const { error, status } = spawnSync('xz', ['-6', '-T0', '--force', tar], { stdio: 'inherit' });
  if (error) {
    throw new Error('xz is needed to pack the archives (Debian: xz-utils); --no-archive leaves them out', {
      cause: error,
    });
  }
  if (status !== 0) throw new Error(`xz failed to pack ${tar}`);
  await copyFile(`${tar}.xz`, path);
  await rm(`${tar}.xz`);
}

async function zip(stage: string, path: string): Promise<void> {
  const files: Record<string, Uint8Array> = {};
  for (const file of await readdir(stage)) {
    files[`${basename(stage)}/${file}`] = await readFile(join(stage, file));
  }
  await writeFile(path, zipSync(files, { level: 9 }));
}

/** Writes `SHA256SUMS` for all files of this version in `dist`, in the form that `sha256sum --check` reads. */
export async function writeSums(dist: string, prefix: string): Promise<void> {
  const names = (await readdir(dist)).filter((name) => name.startsWith(prefix)).sort();
  const lines = await Promise.all(
    names.map(async (name) => {
      const digest = createHash('sha256').update(await readFile(join(dist, name)));
      return `${digest.digest('hex')}  ${name}\n`;
    }),
  );
  await writeFile(join(dist, 'SHA256SUMS'), lines.join(''));
}
