/**
 * Reads a zip archive, and checks every entry before any is used. An archive describes each entry twice: in its directory and
 * before the data. The rules of `zipRules.ts` apply to both descriptions. Then each entry is unpacked once to check its length
 * and checksum, and the result is thrown away.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromFdPromise, type LocalFileHeader, type ZipFile } from 'yauzl';
import { messageOf } from '../../base/thrown.ts';
import { DOWNLOAD_AGAIN, RefusedExport } from './refusal.ts';
import { entryName, faultOfAll, faultOfCount, faultOfEntry, faultOfHeader, shown } from './zipRules.ts';

/**
 * Size of each buffer to unpack into. The system's allocator frees a buffer of this size as soon as it is garbage. It keeps
 * smaller buffers for the thread that used them: 35 MB after an import. The unwritten part of a buffer takes no memory.
 */
const UNPACKED_CHUNK = 33 * 1024 * 1024;

/** A file of an export, in an archive or on the disk. */
export interface ExportFile {
  /** Path in the archive or the directory, with `/`. */
  path: string;
  /** Size in bytes when unpacked. */
  size: number;
  /** Reads the content, at each call from the beginning. */
  chunks(): AsyncIterable<Uint8Array>;
}

/**
 * Opens an archive, checks all of its entries, and passes them to `use` as files. Closes the archive after that.
 * @throws RefusedExport; errors of `use`, and of the system if the archive cannot be opened
 */
export async function zipFiles<T>(
  path: string,
  label: string,
  use: (files: readonly ExportFile[]) => Promise<T>,
): Promise<T> {
  const handle = await open(path, 'r');
  try {
    const archive = await opened(handle, label);
    return await use(await checkedFiles(archive, handle, label));
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
    throw refused(label, `it is not a complete zip archive (${causeOf(error)})`);
  }
}

async function checkedFiles(archive: ZipFile, handle: FileHandle, label: string): Promise<ExportFile[]> {
  const many = faultOfCount(archive.entryCount);
  if (many !== null) throw refused(label, many);
  const found: Array<{ entry: Entry; header: LocalFileHeader }> = [];
  const entryFault = (entry: Entry, fault: string) =>
    refused(label, `the entry ${shown(entry.fileNameRaw)} ${fault}`);
  for await (const entry of entriesOf(archive, label)) {
    const fault = faultOfEntry(entry);
    if (fault !== null) throw entryFault(entry, fault);
    const header = await archive.readLocalFileHeaderPromise(entry).catch((error) => {
      throw entryFault(entry, `cannot be read (${causeOf(error)})`);
    });
    const two = faultOfHeader(entry, header);
    if (two !== null) throw entryFault(entry, two);
    found.push({ entry, header });
  }
  const { size } = await handle.stat();
  const all = faultOfAll(found, size);
  if (all !== null) throw entryFault(all.entry, all.fault);
  const files: ExportFile[] = [];
  for (const { entry } of found) {
    const chunks = () => unpacked(archive, entry, (fault) => entryFault(entry, fault));
    // Unpacks the whole entry, to check its length and checksum.
    for await (const _ of chunks());
    files.push({ path: entryName(entry.fileNameRaw) ?? '', size: entry.uncompressedSize, chunks });
  }
  return files;
}

async function* entriesOf(archive: ZipFile, label: string): AsyncGenerator<Entry> {
  try {
    yield* archive.eachEntry();
  } catch (error) {
    if (error instanceof RefusedExport) throw error;
    throw refused(label, `its directory is damaged (${causeOf(error)})`);
  }
}

/**
 * Unpacks an entry.
 * @throws RefusedExport as soon as there is more data than declared, and at the end for too little or a wrong checksum
 */
async function* unpacked(
  archive: ZipFile,
  entry: Entry,
  fault: (what: string) => RefusedExport,
): AsyncGenerator<Uint8Array> {
  const { uncompressedSize: size, compressedSize } = entry;
  let length = 0;
  let sum = 0;
  const packed = await archive.openReadStreamPromise(entry, { decodeFileData: false });
  const inflate = entry.compressionMethod === 0 ? null : createInflateRaw({ chunkSize: UNPACKED_CHUNK });
  try {
    if (inflate) {
      packed.on('error', (error) => inflate.destroy(error));
      packed.pipe(inflate);
    }
    for await (const chunk of (inflate ?? packed) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > size) throw fault('is larger than it says');
      sum = crc32(chunk, sum);
      yield chunk;
    }
    if (inflate && inflate.bytesWritten !== compressedSize) throw fault('has data after its end');
  } catch (error) {
    if (error instanceof RefusedExport) throw error;
    throw fault(`cannot be unpacked (${causeOf(error)})`);
  } finally {
    packed.destroy();
    inflate?.destroy();
  }
  if (length !== size) throw fault('is smaller than it says');
  if (sum !== entry.crc32) throw fault('has another checksum than it says');
}

/** Says what went wrong, as a part of a sentence. */
function causeOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '');
}
