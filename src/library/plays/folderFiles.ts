/**
 * Lists the files of an unpacked export, or a single one. A link in a directory is not followed, since its target was not
 * exported. The export is refused if the link has the name of a history or of the account file.
 */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_EXPORT_BYTES } from '../../domain/plays.ts';
import { isAccountFile, isHistory } from './exportFiles.ts';
import { RefusedExport } from './refusal.ts';
import type { ExportFile } from './zipArchive.ts';

const MAX_FILES = 2_000;
const MAX_LEVELS = 10;
const CHUNK = 64 * 1024;
const REMEDY = 'Give the directory that the export was unpacked to, or the archive itself.';

/** Lists the histories and account files in a directory. @throws RefusedExport, or an error of the system */
export async function folderFiles(folder: string, label: string): Promise<ExportFile[]> {
  const files: ExportFile[] = [];
  let [seen, total] = [0, 0];
  const walk = async (path: string, inside: string, level: number): Promise<void> => {
    for (const entry of await readdir(join(folder, path), { withFileTypes: true })) {
      seen += 1;
      if (seen > MAX_FILES) throw refused(label, `has more than ${MAX_FILES} files and directories`);
      const name = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (entry.isDirectory()) {
        if (level === MAX_LEVELS) throw refused(label, `is deeper than ${MAX_LEVELS} levels`);
        await walk(join(path, entry.name), name, level + 1);
      } else if (isHistory(name) || isAccountFile(name)) {
        if (!entry.isFile()) throw refused(label, `holds "${name}", which is not a regular file`);
        const file = await oneFile(join(folder, path, entry.name), name);
        total += file.size;
        if (total > MAX_EXPORT_BYTES) throw refused(label, 'holds more than 2 GB');
        files.push(file);
      }
    }
  };
  await walk('', '', 1);
  return files;
}

/** Returns a single file as an export. @param name of the file in errors. @throws RefusedExport if the file is too large */
export async function oneFile(path: string, name: string): Promise<ExportFile> {
  const { size } = await stat(path);
  if (size > MAX_EXPORT_BYTES) throw refused(name, 'is larger than 2 GB');
  return { path: name, size, chunks: () => createReadStream(path, { highWaterMark: CHUNK }) };
}

function refused(label: string, what: string): RefusedExport {
  return new RefusedExport(`${label} ${what}.`, REMEDY);
}
