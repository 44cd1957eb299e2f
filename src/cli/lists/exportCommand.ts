import { extname, join } from 'node:path';
import { Command, Option } from 'commander';
import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import {
  type ListRow,
  type PlaylistFacts,
  WRITTEN_FORMATS,
  type WrittenFormat,
} from '../../domain/listExport.ts';
import type { LocalApi } from '../../server/calls.ts';
import { answering, type Result } from '../command.ts';
import type { Context } from '../context.ts';
import { createProgress, printBlock } from '../terminal/output.ts';
import { findPlaylist } from './findPlaylist.ts';

interface ExportOptions {
  saved?: boolean;
  all?: boolean;
  format?: WrittenFormat;
  output?: string;
  force?: boolean;
}

const HELP = `
\`relay import\` reads the file back without searching. Local files, and rows that
Spotify no longer has, are in the file but cannot be restored.

Examples:
  $ relay export "Road trip" > road-trip.csv
  $ relay export --all -o backup`;

const SAVED = 'Liked Songs';

export function exportCommand(context: Context): Command {
  return new Command('export')
    .description('Export a playlist, Liked Songs or everything')
    .argument('[playlist]', 'Name, ID or link of a playlist')
    .option('--saved', 'Export the saved songs (Liked Songs)')
    .option('--all', 'Export every playlist and the saved songs, each to a file in the directory of -o')
    .addOption(
      new Option(
        '--format <format>',
        "Format of the file; by default the one that the file's name ends in, or csv",
      ).choices(WRITTEN_FORMATS),
    )
    .option('-o, --output <file>', 'File to write, or directory with --all; stdout without it')
    .option('--force', 'Overwrite existing files')
    .addHelpText('after', HELP)
    .action(
      answering(context, (playlist: string | undefined, options: ExportOptions) =>
        runExport(context, playlist, options),
      ),
    );
}

async function runExport(
  context: Context,
  playlist: string | undefined,
  { saved, all, format: asked, output: given, force = false }: ExportOptions,
): Promise<Result | undefined> {
  // As in other commands, - means stdout.
  const output = given === '-' ? undefined : given;
  if ([playlist, saved, all].filter((one) => one !== undefined).length !== 1)
    throw usage('Give the name of a playlist, --saved or --all: one of them.');
  if (all && output === undefined) throw usage('--all needs -o with the directory to write to.');
  const isJson = context.json && output === undefined;
  if (isJson && asked !== undefined && asked !== 'json')
    throw usage(`--json prints JSON, not ${asked}. Write to a file with -o, or leave --json out.`);
  const { local } = await context.server();
  if (all) return exportAll(context, local, output ?? '', asked ?? 'csv', force);
  const found = playlist === undefined ? null : await findPlaylist(local, playlist);
  const name = found?.name ?? SAVED;
  const rows = await rowsOf(local, found);
  const { writeList: written } = await import('../../music/lists/writeList.ts');
  const format = isJson ? 'json' : (asked ?? formatOf(output));
  const text = written(format, rows, name);
  if (output === undefined) {
    if (!context.json) printBlock(context.io, text);
    return { value: { name, tracks: rows }, notes: lostLines(rows) };
  }
  const { writeList } = await import('./exportFiles.ts');
  await writeList(output, text, force);
  return {
    value: { file: output, format, name, rows: rows.length, lost: lostRows(rows) },
    text: [`Wrote ${counted(rows.length, 'row')} of "${visibleText(name, 100)}" to ${output}.`],
    notes: lostLines(rows),
  };
}

function usage(message: string): RelayError {
  return new RelayError('USAGE', message, {
    remedy: { text: 'See {command}.', command: ['export', '--help'] },
  });
}

function formatOf(output = ''): WrittenFormat {
  const ending = extname(output).slice(1).toLowerCase();
  return WRITTEN_FORMATS.find((one) => one === ending) ?? (ending === 'm3u' ? 'm3u8' : 'csv');
}

/**
 * Writes a file for each playlist and one for the saved songs. Spotify does not give the rows of other people's playlists, so those
 * are left out and named. Nothing is read if a file would be overwritten.
 */
async function exportAll(
  context: Context,
  local: LocalApi,
  directory: string,
  format: WrittenFormat,
  force: boolean,
): Promise<Result> {
  const { makeDirectories } = await import('../../base/filesSync.ts');
  const { exists } = await import('../../base/files.ts');
  const { alreadyThere, fileNames, writeList } = await import('./exportFiles.ts');
  const { writeList: written } = await import('../../music/lists/writeList.ts');
  const { playlists } = await local.listPlaylists();
  const readable = playlists.filter((playlist) => playlist.readable);
  const parts = [null, ...readable].map((playlist) => ({ playlist, name: playlist?.name ?? SAVED }));
  const names = fileNames(parts.map(({ name }) => name));
  const pathOf = (index: number) => join(directory, `${names[index]}.${format}`);
  makeDirectories(directory, 0o777);
  const taken: string[] = [];
  for (const index of parts.keys()) if (!force && (await exists(pathOf(index)))) taken.push(pathOf(index));
  if (taken.length > 0) throw alreadyThere(taken);
  const files: Array<Record<string, unknown>> = [];
  const notes: string[] = [];
  const skipped = playlists.filter((playlist) => !playlist.readable);
  const progress = createProgress(context.io);
  try {
    for (const [index, { playlist, name }] of parts.entries()) {
      progress.draw({ progress: index + 1, total: parts.length, message: name });
      const rows = await rowsOf(local, playlist).catch(nullIfWithheld);
      if (rows === null) {
        if (playlist) skipped.push(playlist);
        continue;
      }
      const file = pathOf(index);
      await writeList(file, written(format, rows, name), force);
      files.push({ file, playlist_id: playlist?.id ?? null, name, rows: rows.length, lost: lostRows(rows) });
      notes.push(...lostLines(rows).map((line) => `${visibleText(name, 100)}: ${line}`));
    }
  } catch (error) {
    throw error instanceof RelayError ? unfinished(error, files, parts.length) : error;
  } finally {
    progress.clear();
  }
  const why = 'Spotify gives the rows of a playlist only to its owner and collaborators.';
  return {
    value: {
      directory,
      files,
      skipped: skipped.map(({ id, name, owner }) => ({ playlist_id: id, name, owner })),
    },
    text: [`Wrote ${counted(files.length, 'file')} to ${directory}.`],
    notes: [...notes, ...skipped.map(({ name, owner }) => `Left out: "${name}" by ${owner}. ${why}`)],
  };
}

function nullIfWithheld(error: unknown): null {
  if (error instanceof RelayError && (error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND')) return null;
  throw error;
}

/** Says in the error which files are there, since the next export refuses to overwrite them. */
function unfinished(
  error: RelayError,
  files: ReadonlyArray<Record<string, unknown>>,
  total: number,
): RelayError {
  if (files.length === 0) return error;
  return error.with({
    message: `${error.message} Only ${files.length} of ${total} files are written; with --force all are written again.`,
    details: { ...error.details, files },
  });
}

/** Returns the rows of a playlist; null means the saved songs. */
async function rowsOf(local: LocalApi, playlist: PlaylistFacts | null): Promise<readonly ListRow[]> {
  return playlist ? (await local.playlistRows({ playlist: playlist.id })).rows : readSaved(local);
}

/** How often the saved songs are read from the start if a song is saved or removed meanwhile. */
const TRIES = 3;

/** Reads all saved songs, newest first. @throws RelayError `CONFLICT` if they change at every attempt */
async function readSaved(local: LocalApi, tries = TRIES): Promise<ListRow[]> {
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

/** Counts the rows in the file that cannot be restored. */
function lostRows(rows: readonly ListRow[]): { local: number; unavailable: number } {
  return {
    local: rows.filter(({ uri }) => uri?.startsWith('spotify:local:')).length,
    unavailable: rows.filter(({ uri }) => uri === null).length,
  };
}

function lostLines(rows: readonly ListRow[]): string[] {
  const { local, unavailable } = lostRows(rows);
  return [
    ...(local > 0 ? [`Cannot be restored: ${counted(local, 'local file')}.`] : []),
    ...(unavailable > 0
      ? [`Cannot be restored: ${counted(unavailable, 'row')} that Spotify no longer has.`]
      : []),
  ];
}
