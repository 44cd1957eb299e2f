/** A package for rpm, written without rpm's tools: https://rpm-software-management.github.io/rpm/manual/format_v4.html */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SOURCE_DATE } from '../package/sourceDate.ts';
import { xz } from '../package/xz.ts';
import type { LinuxPackageOptions } from './deb.ts';
import { PRODUCT } from './description.ts';
import { directoriesOf, linuxFiles, type PackageFile } from './linuxFiles.ts';
import { type RpmTag, rpmHeader } from './rpmHeader.ts';

/** rpm's name for the processor, and its number in the lead, which only old programs read. */
const ARCHITECTURES = { x64: { name: 'x86_64', lead: 1 }, arm64: { name: 'aarch64', lead: 19 } } as const;

const RELEASE = '1';
const FULL_NAME = `${PRODUCT.name}-${PRODUCT.version}-${RELEASE}`;
const SIGNATURE_REGION = 62;
const HEADER_REGION = 63;
const DOCUMENT = 1 << 1;
const LICENSE = 1 << 7;
const LESS_OR_EQUAL = 2 | 8;
const RPMLIB = 1 << 24;
/** The required version of libc is the one that Node's own builds need. */
const REQUIRES: ReadonlyArray<[name: string, flags: number, version: string]> = [
  ['libatomic.so.1()(64bit)', 0, ''],
  ['libc.so.6(GLIBC_2.28)(64bit)', 0, ''],
  ['libstdc++.so.6()(64bit)', 0, ''],
  ['rpmlib(CompressedFileNames)', RPMLIB | LESS_OR_EQUAL, '3.0.4-1'],
  ['rpmlib(FileDigests)', RPMLIB | LESS_OR_EQUAL, '4.6.0-1'],
  ['rpmlib(PayloadFilesHavePrefix)', RPMLIB | LESS_OR_EQUAL, '4.0-1'],
  ['rpmlib(PayloadIsXz)', RPMLIB | LESS_OR_EQUAL, '5.2-1'],
];

export async function rpmFile(options: LinuxPackageOptions): Promise<Buffer> {
  const files = await linuxFiles({
    executable: options.executable,
    zshFolder: 'usr/share/zsh/site-functions',
    documents: {
      'usr/share/licenses/relay/LICENSE': await readFile(options.license),
      'usr/share/licenses/relay/THIRD-PARTY-LICENSES.txt': await readFile(options.notices),
      'usr/share/doc/relay/CHANGELOG.md': await readFile(options.changelog),
    },
  });
  const entries = withFolders(files);
  const archive = cpio(entries);
  const payload = xz(archive, 1);
  const { name, lead } = ARCHITECTURES[options.arch];
  const header = rpmHeader(headerTags(name, entries, payload), HEADER_REGION);
  const signature = rpmHeader(signatureTags(header, payload, archive.length), SIGNATURE_REGION);
  const padding = Buffer.alloc((8 - (signature.length % 8)) % 8);
  return Buffer.concat([leadOf(lead), signature, padding, header, payload]);
}

const FILE = 0o100000;
const FOLDER = 0o040000;

/**
 * Adds the file type to each mode, and the directories that only relay uses. All other directories belong to the packages that
 * they come from.
 */
function withFolders(files: readonly PackageFile[]): PackageFile[] {
  const folders = directoriesOf(files).filter((path) => path.endsWith(`/${PRODUCT.name}`));
  return [
    ...files.map((file) => ({ ...file, mode: FILE | file.mode })),
    ...folders.map((path) => ({ path, content: Buffer.alloc(0), mode: FOLDER | 0o755 })),
  ].sort((one, other) => (one.path < other.path ? -1 : 1));
}

function isFolder({ mode }: PackageFile): boolean {
  return (mode & FOLDER) !== 0;
}

function leadOf(arch: number): Buffer {
  const lead = Buffer.alloc(96);
  lead.writeUInt32BE(0xedabeedb, 0);
  lead.set([3, 0], 4);
  lead.writeUInt16BE(arch, 8);
  lead.write(FULL_NAME, 10);
  // Linux, and a signature that is a header.
  lead.writeUInt16BE(1, 76);
  lead.writeUInt16BE(5, 78);
  return lead;
}

function signatureTags(header: Buffer, payload: Buffer, unpacked: number): RpmTag[] {
  const all = createHash('md5').update(header).update(payload).digest();
  return [
    { tag: 269, type: 'string', value: hash('sha1', header) },
    { tag: 273, type: 'string', value: hash('sha256', header) },
    { tag: 1000, type: 'int32', values: [header.length + payload.length] },
    { tag: 1004, type: 'bytes', value: all },
    { tag: 1007, type: 'int32', values: [unpacked] },
  ];
}

function headerTags(arch: string, files: readonly PackageFile[], payload: Buffer): RpmTag[] {
  const each = <T>(pick: (file: PackageFile) => T) => files.map(pick);
  const folders = [...new Set(each(({ path }) => folderOf(path)))];
  const size = files.reduce((sum, { content }) => sum + content.length, 0);
  const provides = [PRODUCT.name, `${PRODUCT.name}(${arch.replace('_', '-')})`];
  return [
    { tag: 100, type: 'strings', values: ['C'] },
    { tag: 1000, type: 'string', value: PRODUCT.name },
    { tag: 1001, type: 'string', value: PRODUCT.version },
    { tag: 1002, type: 'string', value: RELEASE },
    { tag: 1004, type: 'localized', values: [PRODUCT.summary] },
    { tag: 1005, type: 'localized', values: [PRODUCT.longDescription.join('\n\n')] },
    { tag: 1006, type: 'int32', values: [SOURCE_DATE] },
    { tag: 1007, type: 'string', value: 'localhost' },
    { tag: 1009, type: 'int32', values: [size] },
    { tag: 1014, type: 'string', value: PRODUCT.license },
    { tag: 1016, type: 'localized', values: ['Unspecified'] },
    { tag: 1020, type: 'string', value: PRODUCT.home },
    { tag: 1021, type: 'string', value: 'linux' },
    { tag: 1022, type: 'string', value: arch },
    { tag: 1028, type: 'int32', values: each(({ content }) => content.length) },
    { tag: 1030, type: 'int16', values: each(({ mode }) => mode) },
    { tag: 1033, type: 'int16', values: each(() => 0) },
    { tag: 1034, type: 'int32', values: each(() => SOURCE_DATE) },
    {
      tag: 1035,
      type: 'strings',
      values: each((file) => (isFolder(file) ? '' : hash('sha256', file.content))),
    },
    { tag: 1036, type: 'strings', values: each(() => '') },
    { tag: 1037, type: 'int32', values: each(({ path }) => kindOf(path)) },
    { tag: 1039, type: 'strings', values: each(() => 'root') },
    { tag: 1040, type: 'strings', values: each(() => 'root') },
    { tag: 1044, type: 'string', value: `${FULL_NAME}.src.rpm` },
    { tag: 1045, type: 'int32', values: each(() => -1) },
    { tag: 1047, type: 'strings', values: provides },
    { tag: 1048, type: 'int32', values: REQUIRES.map(([, flags]) => flags) },
    { tag: 1049, type: 'strings', values: REQUIRES.map(([name]) => name) },
    { tag: 1050, type: 'strings', values: REQUIRES.map(([, , version]) => version) },
    { tag: 1095, type: 'int32', values: each(() => 1) },
    { tag: 1096, type: 'int32', values: files.map((_, index) => index + 1) },
    { tag: 1097, type: 'strings', values: each(() => '') },
    { tag: 1112, type: 'int32', values: provides.map(() => 8) },
    { tag: 1113, type: 'strings', values: provides.map(() => `${PRODUCT.version}-${RELEASE}`) },
    { tag: 1116, type: 'int32', values: each(({ path }) => folders.indexOf(folderOf(path))) },
    { tag: 1117, type: 'strings', values: each(({ path }) => path.slice(path.lastIndexOf('/') + 1)) },
    { tag: 1118, type: 'strings', values: folders },
    { tag: 1124, type: 'string', value: 'cpio' },
    { tag: 1125, type: 'string', value: 'xz' },
    { tag: 1126, type: 'string', value: '1' },
    // 8 stands for SHA-256.
    { tag: 5011, type: 'int32', values: [8] },
    { tag: 5092, type: 'strings', values: [hash('sha256', payload)] },
    { tag: 5093, type: 'int32', values: [8] },
  ];
}

function folderOf(path: string): string {
  return `/${path.slice(0, path.lastIndexOf('/') + 1)}`;
}

function kindOf(path: string): number {
  if (path.startsWith('usr/share/licenses/relay/')) return LICENSE;
  return /^usr\/share\/(doc\/relay|man)\//.test(path) ? DOCUMENT : 0;
}

/** Packs the files into an archive in the "newc" form. cpio(5) */
function cpio(files: readonly PackageFile[]): Buffer {
  const parts = files.flatMap(({ path, content, mode }, index) =>
    cpioEntry(`./${path}`, content, { inode: index + 1, mode }),
  );
  return Buffer.concat([...parts, ...cpioEntry('TRAILER!!!', Buffer.alloc(0), { inode: 0, mode: 0 })]);
}

function cpioEntry(path: string, content: Uint8Array, { inode, mode }: { inode: number; mode: number }) {
  const time = mode === 0 ? 0 : SOURCE_DATE;
  const fields = [inode, mode, 0, 0, 1, time, content.length, 0, 0, 0, 0, path.length + 1, 0];
  const header = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}${path}\0`;
  const pad = (length: number) => Buffer.alloc((4 - (length % 4)) % 4);
  return [Buffer.from(header), pad(header.length), content, pad(content.length)];
}

function hash(algorithm: string, content: Uint8Array): string {
  return createHash(algorithm).update(content).digest('hex');
}
