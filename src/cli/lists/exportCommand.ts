import { stat, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Command, Option } from 'commander';
import { exists, replaceFile } from '../../base/files.ts';
import { counted } from '../../base/lists.ts';
import { visibleLine, visibleText } from '../../base/visibleText.ts';
import { messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';
import {
  type ListRow,
  type PlaylistFacts,
  WRITTEN_FORMATS,
  type WrittenFormat,
} from '../../domain/listExport.ts';
import type { LocalApi } from '../../server/calls.ts';
import { leaf, type Result } from '../command.ts';
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
  const format = "Format of the file; by default the one that the file's name ends in, or csv";
  return leaf(context, 'export', 'Export a playlist, Liked Songs or everything', runExport, HELP)
    .argument('[playlist]', 'Name, ID or link of a playlist')
    .option('--saved', 'Export the saved songs (Liked Songs)')
    .option('--all', 'Export every playlist and the saved songs, each to a file in the directory of -o')
    .addOption(new Option('--format <format>', format).choices(WRITTEN_FORMATS))
    .option('-o, --output <file>', 'File to write, or directory with --all; stdout without it')
    .option('--force', 'Overwrite existing files');
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
  const { writeList } = await import('../../music/lists/writeList.ts');
  const format = isJson ? 'json' : (asked ?? formatOf(output));
  const text = writeList(format, rows, name);
  const { lost, lines } = lostOf(rows);
  if (output === undefined) {
    if (!context.json) printBlock(context.io, text);
    return { value: { name, tracks: rows }, notes: lines };
  }
  await writeFileAt(output, text, force);
  return {
    value: { file: output, format, name, rows: rows.length, lost },
    text: [`Wrote ${counted(rows.length, 'row')} of "${visibleText(name, 100)}" to ${output}.`],
    notes: lines,
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
  { io }: Context,
  local: LocalApi,
  directory: string,
  format: WrittenFormat,
  force: boolean,
): Promise<Result> {
  const { makeDirectories } = await import('../../base/filesSync.ts');
  const { writeList } = await import('../../music/lists/writeList.ts');
  const { playlists } = await local.listPlaylists();
  const readable = playlists.filter((playlist) => playlist.readable);
  const parts = [null, ...readable].map((playlist) => ({ playlist, name: playlist?.name ?? SAVED }));
  const paths = fileNames(parts.map(({ name }) => name)).map((name) => join(directory, `${name}.${format}`));
  makeDirectories(directory, 0o777);
  const taken: string[] = [];
  for (const path of paths) if (!force && (await exists(path))) taken.push(path);
  if (taken.length > 0) throw alreadyThere(taken);
  const files: unknown[] = [];
  const notes: string[] = [];
  const skipped = playlists.filter((playlist) => !playlist.readable);
  const progress = createProgress(io);
  try {
    for (const [index, { playlist, name }] of parts.entries()) {
      progress.draw({ progress: index + 1, total: parts.length, message: name });
      const rows = await rowsOf(local, playlist).catch(nullIfWithheld);
      if (rows === null) {
        if (playlist) skipped.push(playlist);
        continue;
      }
      const file = paths[index] ?? '';
      const { lost, lines } = lostOf(rows);
      await writeFileAt(file, writeList(format, rows, name), force);
      files.push({ file, playlist_id: playlist?.id ?? null, name, rows: rows.length, lost });
      notes.push(...lines.map((line) => `${visibleText(name, 100)}: ${line}`));
    }
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

/** Returns the rows of a playlist; null means the saved songs, newest first. @throws RelayError `CONFLICT` if these change meanwhile */
async function rowsOf(local: LocalApi, playlist: PlaylistFacts | null): Promise<readonly ListRow[]> {
  if (playlist) return (await local.playlistRows({ playlist: playlist.id })).rows;
  const all: ListRow[] = [];
  for (let at: { offset: number; total?: number } | null = { offset: 0 }; at !== null; ) {
    const { rows, total, next }: Awaited<ReturnType<LocalApi['savedRows']>> = await local.savedRows(at);
    all.push(...rows);
    at = next === null ? null : { offset: next, total };
  }
  return all;
}

/** Counts the rows in the file that cannot be restored, and says so. */
function lostOf(rows: readonly ListRow[]) {
  const local = rows.filter(({ uri }) => uri?.startsWith('spotify:local:')).length;
  const unavailable = rows.filter(({ uri }) => uri === null).length;
  const lines = [
    ...(local > 0 ? [`Cannot be restored: ${counted(local, 'local file')}.`] : []),
    ...(unavailable > 0
      ? [`Cannot be restored: ${counted(unavailable, 'row')} that Spotify no longer has.`]
      : []),
  ];
  return { lost: { local, unavailable }, lines };
}

/**
 * Maximum length of a name in bytes of UTF-8: with a number and an ending the name stays below the 255 that file systems
 * accept.
 */
const MAX_BYTES = 180;
/** Device names of Windows. A file cannot have such a name, whatever its ending. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns a file name for each playlist, in order, without ending. No two names are the same file on any system, even where
 * case or the form of accents does not matter. No name leads out of its directory, is hidden, or has a special meaning.
 * @internal
 */
export function fileNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const base = safeName(name);
    for (let number = 1; ; number += 1) {
      const candidate = number === 1 ? base : `${base} (${number})`;
      const key = candidate.normalize('NFKC').toLowerCase();
      if (taken.has(key)) continue;
      taken.add(key);
      return candidate;
    }
  });
}

function safeName(name: string): string {
  const plain = visibleLine(name)
    .replace(/[/\\:*?"<>|\p{Cc}]/gu, '_')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^\.+/u, (dots) => '_'.repeat(dots.length))
    .replace(/^[-~]/u, '_');
  const short = cut(plain).replace(/[. ]+$/u, '');
  if (short === '') return 'playlist';
  return RESERVED.test(short) ? `_${short}` : short;
}

function cut(name: string): string {
  let bytes = 0;
  let kept = '';
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) break;
    kept += character;
  }
  return kept;
}

/**
 * Writes a file. An existing one is overwritten only with `force`.
 * @throws RelayError `INVALID_ARGUMENT` if the file cannot be written, or if it exists and `force` is false
 */
async function writeFileAt(file: string, text: string, force: boolean): Promise<void> {
  if (!force && (await exists(file))) throw alreadyThere([file]);
  try {
    // A device, such as /dev/stdout, is written in place. A file is replaced whole, since half a list would look like a whole one.
    const isPlain = await stat(file).then(
      (found) => found.isFile(),
      () => true,
    );
    if (isPlain) await replaceFile(file, text, { mode: 0o666 & ~process.umask() });
    else await writeFile(file, text);
  } catch (error) {
    const isDirectory = systemCodeOf(error) === 'EISDIR';
    throw new RelayError('INVALID_ARGUMENT', `${file} cannot be written: ${messageOf(error)}.`, {
      remedy: isDirectory
        ? 'Give the path of a file with -o. With --all, every playlist becomes a file in the directory.'
        : 'Give another path with -o.',
      cause: error,
    });
  }
}

function alreadyThere(paths: readonly string[]): RelayError {
  const [first = ''] = paths;
  const more = paths.length > 1 ? ` and ${paths.length - 1} more` : '';
  return new RelayError('INVALID_ARGUMENT', `${first}${more} would be overwritten.`, {
    remedy: 'Give another path with -o, or add --force.',
  });
}
