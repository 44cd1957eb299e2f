/**
 * A zip archive whose every entry is checked before anything is used: the rules of `zipRules.ts` apply to both descriptions
 * of each. Then each is unpacked once to check its length and checksum, and the result is thrown away.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { DOWNLOAD_AGAIN, RefusedExport } from './refusal.ts';
import {
  type DirectoryEntry,
  entryName,
  faultOfAll,
  faultOfCount,
  faultOfEntry,
  faultOfHeader,
  type LocalHeader,
  shown,
} from './zipRules.ts';

/**
 * The system's allocator returns a piece of this size as soon as it is garbage. Smaller ones it keeps for the thread that
 * used them, 35 MB after an import. Memory that is not written to is never taken.
 */
const UNPACKED_CHUNK = 33 * 1024 * 1024;

/** A file of an export, wherever it is. */
export interface ExportFile {
  /** Path in the archive or the directory, with `/`. */
  path: string;
  /** Size in bytes when unpacked. */
  size: number;
  /** The content. Each call reads the file from the beginning. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** @throws RefusedExport */
export async function zipFiles(
  path: string,
  label: string,
  use: (files: readonly ExportFile[]) => Promise<void>,
): Promise<void> {
  const handle = await open(path, 'r');
  try {
    const archive = await opened(handle, label);
    const files = await checkedFiles(archive, handle, label);
    await use(files);
  } finally {
    await handle.close();
  }
}

function refused(label: string, what: string): RefusedExport {
  return new RefusedExport(`${label} is refused: ${what}.`, DOWNLOAD_AGAIN);
}

async function opened(handle: FileHandle, label: string): Promise<ZipFile> {
  try {
    return await fromFdPromise(handle.fd, { decodeStrings: false, validateEntrySizes: false });
  } catch (error) {
    throw refused(label, `it is not a complete zip archive (${messageOf(error)})`);
  }
}

async function checkedFiles(archive: ZipFile, handle: FileHandle, label: string): Promise<ExportFile[]> {
  const many = faultOfCount(archive.entryCount);
  if (many !== null) throw refused(label, many);
  const found: Array<{ raw: Entry; entry: DirectoryEntry; header: LocalHeader }> = [];
  const entryFault = (name: Uint8Array, fault: string) => refused(label, `the entry ${shown(name)} ${fault}`);
  for await (const raw of entriesOf(archive, label)) {
    const entry = described(raw);
    const fault = faultOfEntry(entry);
    if (fault !== null) throw entryFault(entry.nameBytes, fault);
    const header = await headerOf(archive, raw).catch((error) => {
      throw entryFault(entry.nameBytes, `cannot be read (${messageOf(error)})`);
    });
    const two = faultOfHeader(entry, header);
    if (two !== null) throw entryFault(entry.nameBytes, two);
    found.push({ raw, entry, header });
  }
  const { size } = await handle.stat();
  const all = faultOfAll(found, size);
  if (all !== null) throw entryFault(all.nameBytes, all.fault);
  const files: ExportFile[] = [];
  for (const { raw, entry } of found) {
    const chunks = () => unpacked(archive, raw, entry, entryFault);
    // Unpacks all of it, to check its length and checksum.
    for await (const _ of chunks());
    files.push({ path: entryName(entry.nameBytes) ?? '', size: entry.size, chunks });
  }
  return files;
}

async function* entriesOf(archive: ZipFile, label: string): AsyncGenerator<Entry> {
  try {
    yield* archive.eachEntry();
  } catch (error) {
    if (error instanceof RefusedExport) throw error;
    throw refused(label, `its directory is damaged (${messageOf(error)})`);
  }
}

function described(raw: Entry): DirectoryEntry {
  return {
    nameBytes: raw.fileNameRaw,
    flags: raw.generalPurposeBitFlag,
    method: raw.compressionMethod,
    compressedSize: raw.compressedSize,
    size: raw.uncompressedSize,
    crc: raw.crc32,
    offset: raw.relativeOffsetOfLocalHeader,
    madeBy: raw.versionMadeBy,
    attributes: raw.externalFileAttributes,
  };
}

async function headerOf(archive: ZipFile, raw: Entry): Promise<LocalHeader> {
  const header = await archive.readLocalFileHeaderPromise(raw);
  return {
    nameBytes: header.fileName,
    flags: header.generalPurposeBitFlag,
    method: header.compressionMethod,
    compressedSize: header.compressedSize,
    size: header.uncompressedSize,
    crc: header.crc32,
    dataStart: header.fileDataStart,
  };
}

/** @throws RefusedExport as soon as there is more data than declared, and at the end for too little or a wrong checksum */
async function* unpacked(
  archive: ZipFile,
  raw: Entry,
  { nameBytes, method, size, crc, compressedSize }: DirectoryEntry,
  fault: (name: Uint8Array, fault: string) => RefusedExport,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  let sum = 0;
  const packed = await archive.openReadStreamPromise(raw, { decodeFileData: false });
  const inflate = method === 0 ? null : createInflateRaw({ chunkSize: UNPACKED_CHUNK });
  try {
    if (inflate) {
      packed.on('error', (error) => inflate.destroy(error));
      packed.pipe(inflate);
    }
    for await (const chunk of (inflate ?? packed) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > size) throw fault(nameBytes, 'is larger than it says');
      sum = crc32(chunk, sum);
      yield chunk;
    }
    if (inflate && inflate.bytesWritten !== compressedSize) throw fault(nameBytes, 'has data after its end');
  } catch (error) {
    if (error instanceof RefusedExport) throw error;
    throw fault(nameBytes, `cannot be unpacked (${messageOf(error)})`);
  } finally {
    packed.destroy();
    inflate?.destroy();
  }
  if (length !== size) throw fault(nameBytes, 'is smaller than it says');
  if (sum !== crc) throw fault(nameBytes, 'has another checksum than it says');
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
