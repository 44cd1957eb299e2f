/** A Debian package, written without Debian's tools. deb(5), deb-control(5) */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { SOURCE_DATE } from '../package/sourceDate.ts';
import { tarFile } from '../package/tarFile.ts';
import { xz } from '../package/xz.ts';
import { PRODUCT } from './description.ts';
import { directoriesOf, linuxFiles, type PackageFile } from './linuxFiles.ts';

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' } as const;

export interface LinuxPackageOptions {
  arch: keyof typeof ARCHITECTURES;
  /** Paths of the executable, our license, the licenses of its parts, and the changelog. */
  executable: string;
  license: string;
  notices: string;
  changelog: string;
}

export async function debFile(options: LinuxPackageOptions): Promise<Buffer> {
  const files = await linuxFiles({
    executable: options.executable,
    zshFolder: 'usr/share/zsh/vendor-completions',
    documents: {
      'usr/share/doc/relay/copyright': await readFile(options.license),
      'usr/share/doc/relay/THIRD-PARTY-LICENSES.gz': gzipSync(await readFile(options.notices), { level: 9 }),
      'usr/share/doc/relay/changelog.gz': gzipSync(await readFile(options.changelog), { level: 9 }),
    },
  });
  const control = tarFile(
    [
      directory('./'),
      { path: './control', content: Buffer.from(controlText(options.arch, files)), mode: 0o644 },
      { path: './md5sums', content: Buffer.from(md5sums(files)), mode: 0o644 },
    ],
    SOURCE_DATE,
  );
  const data = tarFile(
    [
      directory('./'),
      ...directoriesOf(files).map((path) => directory(`./${path}/`)),
      ...files.map((file) => ({ ...file, path: `./${file.path}` })),
    ],
    SOURCE_DATE,
  );
  return arArchive([
    ['debian-binary', Buffer.from('2.0\n')],
    ['control.tar.gz', gzipSync(control, { level: 9 })],
    ['data.tar.xz', xz(data, 1)],
  ]);
}

function directory(path: string) {
  return { path, content: Buffer.alloc(0), mode: 0o755 };
}

/** The required version of libc is the one that Node's own builds need. */
function controlText(arch: keyof typeof ARCHITECTURES, files: readonly PackageFile[]): string {
  const size = files.reduce((sum, { content }) => sum + Math.ceil(content.length / 1024), 0);
  const paragraphs = PRODUCT.longDescription.map((text) => folded(text).join('\n'));
  return `Package: ${PRODUCT.name}
Version: ${PRODUCT.version}
Architecture: ${ARCHITECTURES[arch]}
Maintainer: ${PRODUCT.maintainer}
Installed-Size: ${size}
Depends: libc6 (>= 2.28), libstdc++6, libatomic1
Section: sound
Priority: optional
Homepage: ${PRODUCT.home}
Description: ${PRODUCT.summary}
${paragraphs.join('\n .\n')}
`;
}

/** Breaks text into lines of at most 78 characters that begin with a space. */
function folded(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 77) lines.push(` ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function md5sums(files: readonly PackageFile[]): string {
  return files
    .map(({ path, content }) => `${createHash('md5').update(content).digest('hex')}  ${path}\n`)
    .join('');
}

function arArchive(members: ReadonlyArray<[name: string, content: Buffer]>): Buffer {
  const parts = members.flatMap(([name, content]) => {
    const fields = [
      name.padEnd(16),
      String(SOURCE_DATE).padEnd(12),
      '0'.padEnd(6),
      '0'.padEnd(6),
      '100644'.padEnd(8),
      String(content.length).padEnd(10),
      '`\n',
    ];
    return [Buffer.from(fields.join('')), content, Buffer.alloc(content.length % 2, '\n')];
  });
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}
