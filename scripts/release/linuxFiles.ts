/** Collects the files of a Linux package. */
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { packagedUnitText } from '../../src/service/systemdUnit.ts';
import { completionScript } from './helpTree.ts';
import { manPages } from './manPages.ts';

export interface PackageFile {
  /** Path without a leading slash. */
  path: string;
  content: Uint8Array;
  mode: number;
}

export interface LinuxFilesOptions {
  /** Path of the executable. */
  executable: string;
  /** Directory of zsh's completion functions, which differs between systems. */
  zshFolder: string;
  /** Content of licenses and other documents, by path. */
  documents: Record<string, Uint8Array>;
}

const PROGRAM = '/usr/bin/relay';

export async function linuxFiles(options: LinuxFilesOptions): Promise<PackageFile[]> {
  const { executable, zshFolder, documents } = options;
  const text = (path: string, content: string | Uint8Array): PackageFile => ({
    path,
    content: Buffer.from(content),
    mode: 0o644,
  });
  const files = [
    { path: PROGRAM.slice(1), content: await readFile(executable), mode: 0o755 },
    text('usr/lib/systemd/user/relay.service', packagedUnitText([PROGRAM, 'serve'])),
    text('usr/share/bash-completion/completions/relay', await completionScript('bash')),
    text(`${zshFolder}/_relay`, await completionScript('zsh')),
    text('usr/share/fish/vendor_completions.d/relay.fish', await completionScript('fish')),
    ...Object.entries(manPages()).map(([name, page]) =>
      text(`usr/share/man/man1/${name}.gz`, gzipSync(page, { level: 9 })),
    ),
    ...Object.entries(documents).map(([path, content]) => text(path, content)),
  ];
  return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Returns every directory above the files, parents first. */
export function directoriesOf(files: readonly PackageFile[]): string[] {
  const above = (path: string): string[] => {
    const cut = path.lastIndexOf('/');
    return cut < 0 ? [] : [...above(path.slice(0, cut)), path.slice(0, cut)];
  };
  return [...new Set(files.flatMap(({ path }) => above(path)))].sort();
}
