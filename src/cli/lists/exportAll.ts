/** Writes a whole library to files: one for each playlist, and one for the saved songs. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectories } from '../../base/filesSync.ts';
import { counted } from '../../base/lists.ts';
import { messageOf, RelayError } from '../../domain/errors.ts';
import type { ListRow, PlaylistFacts, WrittenFormat } from '../../domain/listExport.ts';
import { writeList } from '../../music/lists/writeList.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { createProgress } from '../terminal/progress.ts';
import { lostLines, lostRows } from './exportText.ts';
import { fileNames } from './fileNames.ts';
import { alreadyThere, writeNew } from './writeNew.ts';

interface AllOptions {
  directory: string;
  format: WrittenFormat;
  force: boolean;
}

/** One of the files. If `playlist` is null, the file has the saved songs. */
interface Part {
  name: string;
  playlist: PlaylistFacts | null;
  file: string;
}

const SAVED = 'Liked Songs';

/**
 * Reads every playlist once. Spotify does not give the rows of other people's playlists, so those playlists are left out, and
 * the output names them.
 */
export async function exportAll(context: Context, local: LocalApi, options: AllOptions): Promise<void> {
  const { playlists } = await local.listPlaylists();
  const parts = partsOf(playlists, options);
  await prepare(parts, options);
  const files: Array<Record<string, unknown>> = [];
  const lost: string[] = [];
  const skipped = playlists.filter(({ readable }) => !readable);
  const progress = createProgress(context.io);
  try {
    for (const [index, part] of parts.entries()) {
      progress.draw({ progress: index + 1, total: parts.length, message: part.name });
      const rows = await rowsOf(local, part);
      if (rows === null) {
        if (part.playlist) skipped.push(part.playlist);
        continue;
      }
      await writeNew(part.file, writeList(options.format, rows, part.name), options.force);
      files.push({
        file: part.file,
        playlist_id: part.playlist?.id ?? null,
        name: part.name,
        rows: rows.length,
        lost: lostRows(rows),
      });
      lost.push(...lostLines(rows).map((line) => `${part.name}: ${line}`));
    }
  } catch (error) {
    progress.clear();
    throw withFiles(context, options, files, parts.length, error);
  }
  progress.clear();
  show(context, options.directory, files, skipped, lost);
}

function partsOf(playlists: readonly PlaylistFacts[], { directory, format }: AllOptions): Part[] {
  const readable = playlists.filter((playlist) => playlist.readable);
  const all = [
    { name: SAVED, playlist: null },
    ...readable.map((playlist) => ({ name: playlist.name, playlist })),
  ];
  const names = fileNames(all.map(({ name }) => name));
  return all.map((part, index) => ({ ...part, file: join(directory, `${names[index]}.${format}`) }));
}

/** Creates the directory, and refuses to overwrite files before any rows are read, so that a refusal costs few requests. */
async function prepare(parts: readonly Part[], { directory, force }: AllOptions): Promise<void> {
  try {
    makeDirectories(directory, 0o777);
  } catch (error) {
    throw new RelayError(
      'INVALID_ARGUMENT',
      `The directory ${directory} cannot be created: ${messageOf(error)}.`,
      { remedy: 'Give another path with -o.', cause: error },
    );
  }
  const there = force ? [] : parts.map(({ file }) => file).filter((file) => existsSync(file));
  if (there.length > 0) throw alreadyThere(there);
}

/** Returns the rows for one file; null if Spotify does not give the playlist's rows to this account. */
async function rowsOf(local: LocalApi, { playlist }: Part): Promise<readonly ListRow[] | null> {
  if (!playlist) return readSaved(local);
  try {
    return (await local.playlistRows({ playlist: playlist.id })).rows;
  } catch (error) {
    const isWithheld =
      error instanceof RelayError && (error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND');
    if (isWithheld) return null;
    throw error;
  }
}

/** Says which files are there, since the next export refuses to overwrite them. Returns the error with their paths. */
function withFiles(
  { io, json }: Context,
  { directory, force }: AllOptions,
  files: ReadonlyArray<Record<string, unknown>>,
  total: number,
  error: unknown,
): unknown {
  if (files.length === 0) return error;
  if (!json) {
    const command = force ? 'The same command' : 'The same command with --force';
    note(io, `Wrote only ${files.length} of ${total} files to ${directory}. ${command} writes all of them.`);
  }
  return error instanceof RelayError ? error.with({ details: { ...error.details, files } }) : error;
}

function show(
  { io, json }: Context,
  directory: string,
  files: ReadonlyArray<Record<string, unknown>>,
  skipped: readonly PlaylistFacts[],
  lost: readonly string[],
): void {
  if (json) {
    const left = skipped.map(({ id, name, owner }) => ({ playlist_id: id, name, owner }));
    printJson(io, { directory, files, skipped: left });
    return;
  }
  printLine(io, `Wrote ${counted(files.length, 'file')} to ${directory}.`);
  for (const line of lost) note(io, line);
  for (const { name, owner } of skipped) {
    note(
      io,
      `Left out: "${name}" by ${owner}. Spotify gives the rows of a playlist only to its owner and collaborators.`,
    );
  }
}

/** How often the saved songs are read from the start if a song is saved or removed meanwhile. */
const TRIES = 3;

/** Reads all saved songs, newest first. @throws RelayError `CONFLICT` if they change at every attempt */
export async function readSaved(local: LocalApi, tries = TRIES): Promise<ListRow[]> {
  const all: ListRow[] = [];
  try {
    for (let at: { offset: number; total?: number } | null = { offset: 0 }; at !== null; ) {
      const { rows, total, next }: Awaited<ReturnType<LocalApi['savedRows']>> = await local.savedRows(at);
      all.push(...rows);
      at = next === null ? null : { offset: next, total };
    }
    return all;
  } catch (error) {
    if (tries === 1 || !(error instanceof RelayError) || error.code !== 'CONFLICT') throw error;
    return readSaved(local, tries - 1);
  }
}
