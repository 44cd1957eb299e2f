/**
 * The files of a privacy export: those in an archive, those in the directory that it was unpacked to, or a single one. Nothing is
 * written to the disk, so a name in an archive can do no harm; only the number of bytes that come out is limited.
 */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInflateRaw } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { readStart } from '../../base/files.ts';
import { messageOf } from '../../base/thrown.ts';
import { MAX_EXPORT_BYTES } from '../../domain/plays.ts';

const CHUNK = 64 * 1024;
/** Number of bytes to unpack at once. In zlib's own small parts, waiting for each would take a third of the time of an import. */
const UNPACKED_CHUNK = 1024 * 1024;
const DOWNLOAD_AGAIN = 'Download the export from Spotify again, and import that file as it is.';

/** Why an export is not read. The message names the file and what is wrong with it. */
export class RefusedExport extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string = DOWNLOAD_AGAIN) {
    super(message);
    this.remedy = remedy;
  }
}

export interface ExportFile {
  /** Path in the archive or the directory, with `/`. */
  path: string;
  /** Size in bytes when unpacked. */
  size: number;
  /** Reads the content. An error that this throws says what is wrong with the file. */
  chunks(): AsyncIterable<Uint8Array>;
}

/**
 * `endsong_3.json`, `Streaming_History_Audio_2014-2016_0.json` and `Streaming_History_Video_2019.json` of the extended
 * history; `StreamingHistory0.json`, `StreamingHistory_music_0.json`, `…_podcast_0.json` and `…_audiobook_0.json` of the
 * account data. Browsers and unpackers add " (1)" and the like before `.json`.
 */
const HISTORY = /^(?:endsong|streaming_?history)[^/]*\.json$/i;
/** `Playlist1.json` and `YourLibrary.json` of the account data. */
const LIST = /^(?:playlist\d*|yourlibrary)[^/]*\.json$/i;

/** What an export's file holds, by its name; null for a file that is not read. */
export function kindOf(path: string): 'history' | 'list' | null {
  const name = basename(path);
  // macOS adds such a file to an archive for each file, under the same name.
  if (path.split('/').includes('__MACOSX') || name.startsWith('._')) return null;
  if (HISTORY.test(name)) return 'history';
  return LIST.test(name) ? 'list' : null;
}

/**
 * Passes the files of an export to `use`, and closes the archive after that.
 * @param label the name of the export in errors
 * @throws RefusedExport; errors of `use`, and of the system
 */
export async function withExportFiles<T>(
  path: string,
  label: string,
  use: (files: readonly ExportFile[]) => Promise<T>,
): Promise<T> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new RefusedExport(`There is no file ${path}.`, 'Give the path of the export.');
  if (found.isDirectory()) return use(await folderFiles(path));
  if (!found.isFile())
    throw new RefusedExport(`${label} is not a regular file.`, 'Give the path of the export.');
  const start = (await readStart(path, 4)).toString('latin1');
  // The start of an archive, and of one without entries.
  if (!['PK\u0003\u0004', 'PK\u0005\u0006'].includes(start)) return use([oneFile(path, label, found.size)]);
  const archive = await openPromise(path, { decodeStrings: false, autoClose: false }).catch((error) => {
    throw new RefusedExport(`${label} is not a complete zip archive (${causeOf(error)}).`);
  });
  try {
    return await use(await zipFiles(archive, label));
  } finally {
    archive.close();
  }
}

async function zipFiles(archive: ZipFile, label: string): Promise<ExportFile[]> {
  const files: ExportFile[] = [];
  try {
    for await (const entry of archive.eachEntry()) {
      const { fileNameRaw, uncompressedSize: size } = entry;
      // The shell of Windows writes backslashes.
      const path = fileNameRaw.toString('utf8').replaceAll('\\', '/');
      files.push({ path, size, chunks: () => unpacked(archive, entry) });
    }
  } catch (error) {
    throw new RefusedExport(`The directory of ${label} is damaged (${causeOf(error)}).`);
  }
  return files;
}

function causeOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '');
}

async function* unpacked(archive: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const isPacked = entry.isCompressed();
  const packed = await archive.openReadStreamPromise(entry, isPacked ? { decompress: false } : {});
  const content = isPacked ? packed.pipe(createInflateRaw({ chunkSize: UNPACKED_CHUNK })) : packed;
  packed.on('error', (error) => content.destroy(error));
  try {
    for await (const chunk of content) yield chunk as Buffer;
  } finally {
    packed.destroy();
    content.destroy();
  }
}

/** Lists the files in a directory. Links are left out, since what they lead to was not exported. */
async function folderFiles(folder: string): Promise<ExportFile[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      const inside = path.slice(folder.length).replaceAll('\\', '/').replace(/^\/+/, '');
      return oneFile(path, inside, (await stat(path)).size);
    }),
  );
}

function oneFile(path: string, name: string, size: number): ExportFile {
  return { path: name, size, chunks: () => createReadStream(path, { highWaterMark: CHUNK }) };
}

/**
 * Returns a function that reads files, and counts their bytes.
 * @param onBytes called with the number of bytes read so far, of all files
 * @throws RefusedExport as soon as more than 2 GB have come out
 */
export function boundedReader(
  label: string,
  onBytes: (done: number) => void,
): (file: ExportFile) => AsyncGenerator<Uint8Array> {
  let done = 0;
  return async function* (file) {
    for await (const chunk of file.chunks()) {
      done += chunk.length;
      if (done > MAX_EXPORT_BYTES) throw new RefusedExport(`${label} holds more than 2 GB.`);
      yield chunk;
      onBytes(done);
    }
  };
}
