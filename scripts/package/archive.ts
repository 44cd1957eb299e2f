/** Packs the download: the executable as `relay`, with its licenses. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SOURCE_DATE } from './sourceDate.ts';
import { tarFile } from './tarFile.ts';
import type { Target } from './targets.ts';
import { xz } from './xz.ts';
import { zipFile } from './zipFile.ts';

export interface ArchiveOptions {
  target: Target;
  /** Path of the executable; the archive gets its name. */
  executable: string;
  /** Paths of the texts to include. */
  texts: readonly string[];
}

/** Writes the archive beside the executable and returns its path. */
export async function archive({ target, executable, texts }: ArchiveOptions): Promise<string> {
  const name = basename(executable, target.suffix);
  const files = [
    ...texts.map((path) => ({ path, as: basename(path), mode: 0o644 })),
    { path: executable, as: `relay${target.suffix}`, mode: 0o755 },
  ];
  const entries = await Promise.all(
    files.map(async ({ path, as, mode }) => ({ path: `${name}/${as}`, content: await readFile(path), mode })),
  );
  const path = join(executable, '..', `${name}.${target.archive}`);
  const packed = target.archive === 'zip' ? zipFile(entries, SOURCE_DATE) : xz(tarFile(entries, SOURCE_DATE));
  await writeFile(path, packed);
  return path;
}
