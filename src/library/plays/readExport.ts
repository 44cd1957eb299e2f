/** Reads an export into memory, from an archive, a directory or a single file. Nothing is written. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readStart } from '../../base/files.ts';
import { readJson } from '../../base/parsing.ts';
import { isAccountFile, isHistory } from './exportFiles.ts';
import { folderFiles, oneFile } from './folderFiles.ts';
import { eachRow, NotRows } from './jsonRows.ts';
import { playOf, userNameIn } from './play.ts';
import { DOWNLOAD_AGAIN, RefusedExport } from './refusal.ts';
import { MAX_PLAYS, type StagedPlays } from './stagedPlays.ts';
import { type ExportFile, zipFiles } from './zipArchive.ts';

/** Maximum size of the account file, in bytes; a larger one is not read. A real one has a few lines. */
const MAX_ACCOUNT_FILE = 1024 * 1024;

export interface ReadExport {
  /** The first user name that was found in the export; null if there is none. */
  account: string | null;
  /** Number of rows that are not plays. */
  unreadable: number;
}

export interface ExportReader {
  plays: StagedPlays;
  /** Called once for each user name, as soon as the name is found. An error that this throws ends the reading. */
  onAccount(name: string): void;
  /** Called with the progress, in bytes of the history. */
  onProgress(done: number, total: number): void;
}

/**
 * Reads the plays of an export into `reader.plays`.
 * @throws RefusedExport, whose message names the file and what is wrong with it; errors of the system and of `reader`
 */
export async function readExport(path: string, label: string, reader: ExportReader): Promise<ReadExport> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new RefusedExport(`There is no file ${path}.`, 'Give the path of the export.');
  if (found.isDirectory()) {
    const files = await folderFiles(path, label);
    if (files.some((file) => isHistory(file.path))) return readFiles(files, label, reader);
    throw noHistory(label, await pathsIn(path), path);
  }
  if (!found.isFile())
    throw new RefusedExport(`${label} is not a regular file.`, 'Give the path of the export.');
  const start = (await readStart(path, 4)).toString('latin1');
  if (!['PK\u0003\u0004', 'PK\u0005\u0006'].includes(start))
    return readFiles([await oneFile(path, label)], label, reader, true);
  return zipFiles(path, label, (files) => readFiles(files, label, reader));
}

/** @param isNamed true for a single file that the person named, which is read whatever its name is */
async function readFiles(
  files: readonly ExportFile[],
  label: string,
  reader: ExportReader,
  isNamed = false,
): Promise<ReadExport> {
  const histories = files.filter(({ path }) => isNamed || isHistory(path));
  if (histories.length === 0)
    throw noHistory(
      label,
      files.map(({ path }) => path),
    );
  const total = histories.reduce((sum, { size }) => sum + size, 0);
  const accounts = new Set<string>();
  const found = (name: string) => {
    if (accounts.has(name)) return;
    accounts.add(name);
    reader.onAccount(name);
  };
  for (const file of files) if (!isNamed && isAccountFile(file.path)) await readAccount(file, found);
  let [done, unreadable] = [0, 0];
  for (const file of histories) {
    const before = reader.plays.count;
    let others = 0;
    const told = chunksOf(file, (bytes) => {
      done += bytes;
      reader.onProgress(done, total);
    });
    await eachRow(told, (row) => {
      const play = playOf(row);
      if (play === null) others += 1;
      else if (reader.plays.count < MAX_PLAYS) reader.plays.add(play);
      else throw new NotRows(`brings the export above ${MAX_PLAYS} plays`);
      const name = userNameIn(row);
      if (name !== null) found(name);
    }).catch((error) => {
      throw error instanceof NotRows ? refusedFile(label, file, error.message) : error;
    });
    if (others > 0 && reader.plays.count === before) throw refusedFile(label, file, 'holds no plays');
    unreadable += others;
  }
  return { account: [...accounts][0] ?? null, unreadable };
}

async function* chunksOf(file: ExportFile, told: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of file.chunks()) {
    yield chunk;
    told(chunk.length);
  }
}

/** Reads only the user name from the account file, which also holds an address and a date of birth. */
async function readAccount(file: ExportFile, found: (name: string) => void): Promise<void> {
  if (file.size > MAX_ACCOUNT_FILE) return;
  const parts: Uint8Array[] = [];
  for await (const chunk of file.chunks()) parts.push(chunk);
  const text = Buffer.concat(parts).toString('utf8');
  // A file that is not JSON counts as one that names no account.
  const name = userNameIn(readJson(text.replace(/^\ufeff/u, '')));
  if (name !== null) found(name);
}

function refusedFile(label: string, { path }: ExportFile, what: string): RefusedExport {
  const name = path === label ? label : `${label} is refused: "${path}"`;
  return new RefusedExport(`${name} ${what}.`, DOWNLOAD_AGAIN);
}

/** @param folder the directory that holds the files; null for those of an archive, which must be unpacked first */
function noHistory(label: string, paths: readonly string[], folder: string | null = null): RefusedExport {
  return new RefusedExport(
    `${label} holds no listening history: none of its files is called StreamingHistory… or endsong….`,
    insteadOf(paths, folder),
  );
}

/** The paths of all files in a directory, with `/` between their parts. */
async function pathsIn(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).map((path) => path.replaceAll('\\', '/'));
}

function insteadOf(paths: readonly string[], folder: string | null): string {
  const unpack = folder === null ? 'unpack it and ' : '';
  const named = (path: string) => (folder === null ? path : join(folder, path));
  const archives = paths.filter((path) => /\.zip$/i.test(path));
  const hasLists = paths.some((path) => /(?:^|\/)(?:Playlist\d*|YourLibrary)\.json$/i.test(path));
  const ofSpotify = archives.filter((path) => /spotify/i.test(path)).sort();
  const archive = ofSpotify[0] ?? (archives.length === 1 && !hasLists ? archives[0] : undefined);
  if (archive !== undefined && ofSpotify.length > 1) {
    return `It holds ${ofSpotify.length} archives: ${unpack}import one at a time, such as ${named(archive)}.`;
  }
  if (archive !== undefined) {
    return `It holds an archive: ${unpack}import ${named(archive)} instead.`;
  }
  if (hasLists) return `For its playlists, ${unpack}import Playlist1.json or YourLibrary.json.`;
  const [list] = paths.filter((path) => /\.(?:csv|m3u8?|pls|tsv|txt|xspf)$/i.test(path)).sort();
  if (list !== undefined) {
    return `For its lists of songs, ${unpack}import one file at a time, such as ${named(list)}.`;
  }
  return 'Ask Spotify for the extended streaming history, at Account, Privacy, and import the file that Spotify sends.';
}
